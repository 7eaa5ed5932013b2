#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The dashboard against a Prometheus with the data of monitored.sh.

  dashboard.py check URL DIR     ask Prometheus at URL each expression of the dashboard
                                 for the time of DIR/events; print how much it returns,
                                 and when which alert was pending or firing. Status 1 if
                                 an expression returns nothing, unless it leaves out 0.
  dashboard.py console DIR FILE  write a console template of Prometheus that shows those
                                 panels of the dashboard in which something happens on h0

Grafana's variables are replaced as it would: all hosts and devices, and four scrape
intervals as the interval of rates.
"""
import html
import json
import pathlib
import re
import sys
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "packaging/monitoring/mrc-dashboard.json"
STEP = 15
HOST = "h0"
SHOWN = ("Sent by port", "Paths by state", "Goodput by peer", "Retransmissions",
         "Faults that mrcd has named", "Alerts that fire")
COLOURS = ["#3274d9", "#56a64b", "#e07b00", "#8f3bb8", "#c8102e", "#705da0"]
NAMED_COLOURS = {"green": "#73bf69", "yellow": "#f2cc0c", "blue": "#5794f2",
                 "red": "#ff4d4d", "dark-red": "#a3001b", "gray": "#8e8e8e"}
# For units of Grafana: how the console writes numbers on an axis.
UNITS = {"Bps": 'x => humanize(x) + "B/s"', "pps": 'x => humanize(x) + "/s"',
         "percentunit": 'x => Math.round(x * 100) + " %"'}

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{{ template "prom_console_head" }}
<script>
// Hours with the minutes, every two minutes.
var Time = Rickshaw.Fixtures.Time;
Rickshaw.Fixtures.Time = function() {
  Time.call(this);
  var minute = this.units.find(unit => unit.name == "minute");
  minute.seconds = 120;
  minute.formatter = this.formatTime;
};
Rickshaw.Fixtures.Time.prototype = Time.prototype;
var humanize = x => x ? PromConsole.NumberFormatter.humanize(x) : "0";
</script>
<style>
body { margin: 8px; width: %(width)dpx }
h1 { font-size: 17px; margin: 0 0 2px 6px }
p { font-size: 13px; margin: 0 0 4px 6px }
h2 { font-size: 14px; font-weight: bold; margin: 2px 0 3px 20px }
.panel { float: left; box-sizing: border-box; padding: 4px 6px }
.stat { font-size: 26px; margin: -4px 0 4px 20px }
.prom_graph_xtitle, .prom_graph_link { display: none }
.rickshaw_legend { background: none; color: #222; font-size: 12px; padding: 0 }
.rickshaw_legend ul { margin: 0; padding: 0 }
.rickshaw_legend .line { padding: 0 8px 0 0 }
.rickshaw_legend .action { display: none }
.rickshaw_graph .x_tick .title { opacity: 0.9; white-space: nowrap }
.rickshaw_graph .y_ticks text { font-size: 11px; opacity: 0.9 }
</style>
</head>
<body>
<h1>%(title)s: %(host)s</h1>
<p>%(story)s</p>
%(panels)s
</body>
</html>
"""

PANEL = """<div class="panel" style="width:%(share)g%%">
<h2>%(title)s</h2>
<div id="panel%(id)d"></div>
<script>new PromConsole.Graph({
  node: document.querySelector("#panel%(id)d"), duration: %(duration)d, endTime: %(end)d,
  height: %(height)d, min: 0, renderer: "%(renderer)s", yAxisTicks: 4,
  yAxisFormatter: %(formatter)s,
  colorScheme: %(colours)s,
  name: [%(names)s], expr: %(exprs)s})</script>
</div>
"""


def expression(text, host=".+"):
    """An expression of the dashboard, as Grafana asks for it."""
    for name, value in (("$instance", host), ("$device", ".+"),
                        ("$__rate_interval", f"{4 * STEP}s")):
        text = text.replace(name, value)
    return text


def events(directory):
    """(time, text) of monitored.sh."""
    lines = (pathlib.Path(directory) / "events").read_text("utf-8").splitlines()
    return [(int(when), text) for when, text in (x.split(" ", 1) for x in lines)]


def ask(url, expr, begin, end):
    query = urllib.parse.urlencode(
        {"query": expr, "start": begin, "end": end, "step": STEP})
    with urllib.request.urlopen(f"{url}/api/v1/query_range?{query}", timeout=60) as r:
        return json.load(r)["data"]["result"]


def check(url, directory):
    """How much each expression returns; alerts."""
    happened = events(directory)
    begin, end = happened[0][0], happened[-1][0]
    status = 0
    for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]:
        for target in panel["targets"]:
            result = ask(url, expression(target["expr"]), begin, end)
            values = [float(v) for series in result for _, v in series["values"]]
            print(f"{panel['title']}: {len(result)} series, "
                  f"{min(values, default=0):g} to {max(values, default=0):g}")
            if not values and not target["expr"].endswith("> 0"):
                print(f"  nothing: {target['expr']}")
                status = 1
    for when, text in happened:
        print(f"{when - begin:5} s  {text}")
    for series in ask(url, "ALERTS", begin, end):
        labels = series["metric"]
        times = [int(t) - begin for t, _ in series["values"]]
        rest = ",".join(f"{k}={v}" for k, v in sorted(labels.items())
                        if k not in ("__name__", "alertname", "alertstate", "severity"))
        print(f"{times[0]:5} to {times[-1]:5} s  {labels['alertname']} "
              f"{labels['alertstate']} {rest}")
    return status


def names(legend):
    """A function that makes the name of a series, as a legend of Grafana describes."""
    parts = re.split(r"\{\{(\w+)\}\}", legend)
    code = [json.dumps(part) if i % 2 == 0 else f"m[{json.dumps(part)}]"
            for i, part in enumerate(parts)]
    return f"function(m) {{ return {' + '.join(code)} }}"


def colours(panel):
    """Those of series, which Prometheus sorts by their labels"""
    named = {rule["matcher"]["options"]: rule["properties"][0]["value"]["fixedColor"]
             for rule in panel["fieldConfig"]["overrides"]}
    return [NAMED_COLOURS[named[name]] for name in sorted(named)] or COLOURS


def graph(panel, happened):
    """A panel of Prometheus's console for one of the dashboard."""
    defaults = panel["fieldConfig"]["defaults"]
    stacked = defaults["custom"].get("stacking", {}).get("mode") == "normal"
    begin, end = happened[0][0], happened[-1][0]
    return PANEL % {
        "id": panel["id"], "title": html.escape(panel["title"]),
        "formatter": UNITS.get(defaults["unit"], "humanize"),
        "height": 130, "colours": json.dumps(colours(panel)), "end": end, "duration": end - begin,
        "renderer": "area" if stacked else "line", "share": 50,
        "names": ", ".join(names(t["legendFormat"]) for t in panel["targets"]),
        "exprs": json.dumps([expression(t["expr"], HOST) for t in panel["targets"]])}


def console(directory, name):
    """The console template."""
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    happened = events(directory)
    by_title = {p["title"]: p for p in dashboard["panels"]}
    panels = [graph(by_title[title], happened) for title in SHOWN]
    story = ", ".join(f"{time.strftime('%H:%M', time.gmtime(when))} {text}"
                      for when, text in happened[:-1])
    pathlib.Path(name).write_text(PAGE % {
        "title": dashboard["title"], "host": HOST, "width": 960,
        "story": html.escape(story),
        "panels": "".join(panels)}, "utf-8")


def main():
    verb, *args = sys.argv[1:]
    return {"check": check, "console": console}[verb](*args) or 0


if __name__ == "__main__":
    sys.exit(main())
