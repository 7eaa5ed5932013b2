# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Output of the drills: a page with plots, and a table for the terminal."""
import html

from measure import FIGURES, beyond_losses, counted, lost, retransmissions, worst
from plot import COLORS, NAMES

STYLE = """
body { font-family: sans-serif; max-width: 970px; margin: 2em auto;
       padding: 0 1em; line-height: 1.35; color: #222; }
table { border-collapse: collapse; margin: .6em 0; font-size: 90%; }
td, th { padding: .25em 1em .25em 0; text-align: left; vertical-align: top;
         overflow-wrap: anywhere; }
th, .met, .missed { overflow-wrap: normal; }
tr { border-bottom: 1px solid #e5e5e5; }
td.n, th.n { text-align: right; white-space: nowrap; }
.says { color: #666; font-size: 90%; }
.met { color: #1e7d34; } .missed { color: #b5651d; }
.failed { color: #c0392b; font-weight: bold; }
h2 { margin-top: 2.5em; border-top: 2px solid #1d4f86; padding-top: .4em; }
svg { max-width: 100%; height: auto; }
.key { display: inline-block; width: 1em; height: .6em; margin-left: .6em; }
"""


# --- figures of one drill -----------------------------------------------------

def wrong(report):
    """The drill failed, or missed a bound that is not known to be missed."""
    return report["failure"] or any(not b["met"] and not b["known"]
                                    for b in report["bounds"])


def verdict(report):
    if report["failure"]:
        return f"FAIL: {report['failure']}"
    parts = []
    for words, chosen in (
            ("MISSED", [b for b in report["bounds"]
                        if not b["met"] and not b["known"]]),
            ("missed as known", [b for b in report["bounds"]
                                 if not b["met"] and b["known"]]),
            ("met, remove it from drills/missed",
             [b for b in report["bounds"] if b["met"] and b["known"]])):
        if chosen:
            parts.append(f"{words}: {', '.join(b['kind'] for b in chosen)}")
    return "; ".join(parts) or "ok"


def settled(report):
    return worst(report, "settled_percent", min)


def gap(report):
    return worst(report, "gap_us", max)


def back(report):
    return FIGURES["back"](report)


def shown(figure, unit="", form="g"):
    return "" if figure is None else f"{figure:{form}}{unit}"


def missed_reasons(reports):
    """Bounds that were missed, by reason: pairs of drill and bound."""
    reasons = {}
    for report in reports:
        for bound in report["bounds"]:
            if not bound["met"]:
                reasons.setdefault(bound["known"] or "not known", []).append(
                    (report["name"], bound))
    return sorted(reasons.items())


# --- page ---------------------------------------------------------------------

def row(cells, tag="td", numbers=()):
    """A row of a table; columns @numbers are right-aligned."""
    return "<tr>" + "".join(
        f'<{tag}{" class=n" if i in numbers else ""}>{c}</{tag}>'
        for i, c in enumerate(cells)) + "</tr>"


def coloured(report):
    words = verdict(report)
    kind = "failed" if wrong(report) else "met" if words == "ok" else "missed"
    return f'<span class="{kind}">{html.escape(words)}</span>'


def bound_rows(report):
    return [row((html.escape(b["bound"]), shown(b["figure"]),
                 '<span class="met">met</span>' if b["met"] else
                 '<span class="missed">missed</span>'), numbers=(1,))
            for b in report["bounds"]]


def action_rows(report):
    return [row((f"{a['start'] / 1000:.3f} ms",
                 html.escape(a["action"].replace(",", ", ")),
                 shown(a["left"], " %"),
                 shown(a.get("settled_percent"), " %"),
                 shown(a.get("gap_us"), " us")), numbers=(0, 2, 3, 4))
            for a in report["actions"]]


def actions_table(report):
    if not report["actions"]:
        return []
    return ["<table>", row(("at", "action", "left", "settled", "gap"), "th",
                           (0, 2, 3, 4)), *action_rows(report), "</table>"]


def bounds_table(report):
    if not report["bounds"]:
        return []
    return ["<table>", row(("bound", "figure", ""), "th", (1,)),
            *bound_rows(report), "</table>"]


def ending(report):
    """Why the connection of another protocol failed."""
    return f"failed: {report['failure']}" if report.get("failure") else ""


def beside_rows(report):
    """A row for each protocol: its figures with the same faults."""
    return [(NAMES[protocol], shown(r.get("undisturbed_gb_s")),
             shown(settled(r), " %"), shown(gap(r), " us"),
             ending(r) if protocol != "mrc" else "")
            for protocol, r in {"mrc": report, **report["beside"]}.items()]


def beside_section(report, svg):
    if not report["beside"]:
        return []
    return ["<h3>Other protocols with the same faults</h3>", svg, "<table>",
            row(("", "undisturbed Gb/s", "settled, at least", "gap, at most", ""),
                "th", (1, 2, 3)),
            *[row(cells, numbers=(1, 2, 3)) for cells in beside_rows(report)],
            "</table>"]


def network_words(report):
    return (f"topology {report['topology']}, base round trip "
            f"{report['round_trip_us']:g} us.")


def figures_words(report):
    parts = [f"Undisturbed {report.get('undisturbed_gb_s', 0):g} of "
             f"{report['ideal_gb_s']:g} Gb/s, "
             f"longest gap {report.get('undisturbed_gap_us', 0)} us"]
    if back(report) is not None:
        parts.append("paths that were good again carried data after at most "
                     f"{back(report)} us")
    parts.append(f"{report['bytes']} bytes compared, "
                 f"{report['wrong_messages']} messages wrong")
    parts.append(f"{retransmissions(report)} packets retransmitted, "
                 f"{lost(report)} lost, of these {report['links']['drops']} dropped by "
                 f"full queues and {counted(report, 'trimmed_pkts')} trimmed")
    return "; ".join(parts) + "."


def section(report, svg, beside):
    parts = [f'<h2 id="{report["name"]}">{html.escape(report["title"])}</h2>',
             f"<p>{html.escape(report['says'])} "
             f'<span class="says">{report["name"]}: {network_words(report)}'
             "</span></p>"]
    if report["failure"]:
        parts.append('<p class="failed">Failed: '
                     f'{html.escape(report["failure"])}</p>')
    parts.append(svg or "<p>Nothing was measured.</p>")
    parts += bounds_table(report) + actions_table(report)
    parts.append(f"<p>{figures_words(report)}</p>")
    return "\n".join(parts + beside_section(report, beside))


def summary_row(report):
    return row((f'<a href="#{report["name"]}">{html.escape(report["title"])}</a>'
                f'<br><span class="says">{html.escape(report["says"])}</span>',
                shown(report.get("undisturbed_gb_s")),
                shown(settled(report), " %"), shown(gap(report), " us"),
                coloured(report)), numbers=(1, 2, 3))


def missed_table(reports):
    rows = [row((html.escape(reason),
                 ", ".join(f"{name} ({b['kind']})" for name, b in some)))
            for reason, some in missed_reasons(reports)]
    if not rows:
        return ""
    return ("<table>" + row(("reason", "missed bounds"), "th") +
            "".join(rows) + "</table>\n")


def summary(reports):
    failed = sum(1 for r in reports if wrong(r))
    bounds = [b for r in reports for b in r["bounds"]]
    missed = sum(1 for b in bounds if not b["met"])
    return (f"<p>{len(reports)} drills, {failed} of them failed; "
            f"{len(bounds)} bounds, {missed} of them missed.</p>\n<table>" +
            row(("drill", "Gb/s", "settled", "gap", "verdict"), "th",
                (1, 2, 3)) +
            "".join(summary_row(r) for r in reports) + "</table>\n" +
            missed_table(reports))


def make_page(reports, plots, machine):
    """@plots: for each report its plot and that of all protocols, or None."""
    keys = "".join(f'<span class="key" style="background:{COLORS[c]}"></span>'
                   f" {c}" for c in ("good", "bad", "down"))
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            f"<title>mrc: drills</title><style>{STYLE}</style></head><body>\n"
            f"<h1>Failure drills</h1>\n<p>{machine.get('date', '')}, "
            f"kernel {machine.get('kernel')} in virtual time, "
            f"{machine.get('minutes')} minutes.</p>\n" + summary(reports) +
            "<p>Goodput is what the receiving program has compared, in bins of "
            "10 us and (dark) its mean over 200 us; the dashed line is the part that "
            "the faults leave, shaded is the duration of an action. Below, the "
            f"sixteen paths of the sender by port:{keys} for any of its queue "
            "pairs. Below them the congestion windows and round trips of these, and "
            "the longest queue of the switches, from 0 to the largest value. "
            "<i>Settled</i> and <i>gap</i> are the worst after any action."
            "</p>\n" +
            "\n".join(section(r, *p) for r, p in zip(reports, plots)) +
            "\n</body></html>\n")


# --- terminal -----------------------------------------------------------------

def figure(report, kind, unit):
    for b in report["bounds"]:
        if b["kind"] == kind and b["figure"] is not None:
            relation = ">=" if kind == "settled" else "<="
            return f"{b['figure']:g} {unit} ({relation} {b['limit']:g})"
    return ""


COLUMNS = (
    ("Gb/s", 6, lambda r: shown(r.get("undisturbed_gb_s"), form=".1f")),
    ("settled", 16, lambda r: figure(r, "settled", "%")),
    ("gap", 19, lambda r: figure(r, "gap", "us")),
    ("back", 9, lambda r: shown(back(r), " us")),
    ("lost", 6, lambda r: shown(lost(r))),
    ("again", 6, lambda r: shown(retransmissions(r))),
    ("beyond", 6, lambda r: shown(beyond_losses(r))),
    ("uneven", 6, lambda r: shown(r["uneven_percent"], "%")),
    ("fair", 6, lambda r: shown(r.get("fair_percent"), "%")),
    ("share", 6, lambda r: shown(r.get("share_percent"), "%")),
)


def print_table(reports):
    width = max(len(r["name"]) for r in reports)
    print(f"\n{'drill':{width}} " +
          " ".join(f"{name:>{wide}}" for name, wide, _ in COLUMNS) +
          "  verdict")
    for r in reports:
        print(f"{r['name']:{width}} " +
              " ".join(f"{cell(r):>{wide}}" for _, wide, cell in COLUMNS) +
              f"  {verdict(r)}")
        for name, *cells, end in beside_rows(r)[1:]:
            print(f"{'  ' + name:{width}} " +
                  " ".join(f"{cell:>{column[1]}}"
                           for cell, column in zip(cells, COLUMNS)) +
                  f"  {end}".rstrip())
