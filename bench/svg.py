# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""SVG elements of the plots of benchmark and drills."""
import html


def text(x, y, content, **attributes):
    extra = "".join(f' {k.replace("_", "-")}="{v}"'
                    for k, v in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{html.escape(content)}</text>'


def document(width, height, parts):
    """An image of @parts on a white background."""
    body = "\n".join(parts)
    return ('<svg xmlns="http://www.w3.org/2000/svg" '
            f'width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="13">\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')
