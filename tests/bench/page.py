# SPDX-License-Identifier: BSD-2-Clause
"""A report as a page that stands alone: plots and tables, no script.

    plot = Plot("Body size", "octets of body", "CPU a message", "byte", "ns")
    plot.line("signing", [(1000, 2e6), (10000, 3e6)])
    page.write(report, [plot], "report.html")

Both axes of a plot are logarithmic; what has no logarithm is left out.
"""
import html
import math

from tables import number

# In units of the viewBox, as the plots of signpost bench.
WIDTH, HEIGHT = 460, 320
LEFT, RIGHT, TOP, BOTTOM = 66, 20, 22, 46
COLORS = [("#1b6ca8", "#6cb4ee"), ("#d1495b", "#ff8a9a"),
          ("#2e8b57", "#6fd39a"), ("#b8860b", "#e6b84a")]
STYLE = """\
:root{color-scheme:light dark;--line:#8884;--dim:#666;%s}
@media(prefers-color-scheme:dark){:root{--dim:#aaa;%s}}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;
max-width:70rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
.machine{color:var(--dim);font-size:.9rem}
.plots{display:grid;gap:1.5rem;
grid-template-columns:repeat(auto-fit,minmax(min(100%%,28rem),1fr))}
figure{margin:0}figcaption{font-weight:600}
svg{width:100%%;height:auto;font-size:11px;fill:currentColor}
.grid{stroke:var(--line);fill:none}.line{fill:none;stroke-width:1.8}
.dashed{stroke-dasharray:5 3;stroke-width:1.2}
ul.legend{list-style:none;margin:.25rem 0;padding:0;display:flex;
flex-wrap:wrap;gap:.1rem 1rem;font-size:.85rem}
.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.4em;
background:var(--c)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem;
font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;text-align:right;white-space:nowrap;
border-bottom:1px solid var(--line)}
th.t,td.t{text-align:left}
td.w{white-space:normal;min-width:14rem}
"""
LONG_TEXT = 40


class Plot:
    def __init__(self, title, x_label, y_label, x_unit, y_unit):
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.x_unit, self.y_unit = x_unit, y_unit
        self.lines = []

    def line(self, label, points, fit=()):
        """`fit`: points of a dashed line beside it."""
        self.lines.append((label, _drawn(points), _drawn(fit)))

    def svg(self):
        points = [p for _, *both in self.lines for line in both for p in line]
        x = _Axis([p[0] for p in points], LEFT, WIDTH - RIGHT)
        y = _Axis([p[1] for p in points], HEIGHT - BOTTOM, TOP, 10)
        out = ['<svg viewBox="0 0 %d %d" role="img" aria-label="%s">' % (
            WIDTH, HEIGHT, html.escape(self.title))]
        for value in x.ticks():
            out.append('<path class="grid" d="M%.1f %d V%d"/>' % (
                x.place(value), TOP, HEIGHT - BOTTOM))
            out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>'
                       % (x.place(value), HEIGHT - BOTTOM + 15,
                          _tick(self.x_unit, value)))
        for value in y.ticks():
            out.append('<path class="grid" d="M%d %.1f H%d"/>' % (
                LEFT, y.place(value), WIDTH - RIGHT))
            out.append('<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (
                LEFT - 6, y.place(value) + 4, _tick(self.y_unit, value)))
        for i, (label, line, fit) in enumerate(self.lines):
            out.append('<g class="s%d">' % i)
            for points, kind in ((fit, "line dashed"), (line, "line")):
                out.append('<path class="%s" d="%s"/>' % (kind, " ".join(
                    "%s%.1f %.1f" % ("L" if n else "M", x.place(px),
                                     y.place(py))
                    for n, (px, py) in enumerate(points))))
            for px, py in line:
                out.append(
                    '<circle cx="%.1f" cy="%.1f" r="3"><title>%s, %s: %s'
                    "</title></circle>" % (
                        x.place(px), y.place(py), html.escape(label),
                        number(self.x_unit, px), number(self.y_unit, py)))
            out.append("</g>")
        out.append('<text x="%d" y="%d" text-anchor="middle">%s</text>' % (
            (LEFT + WIDTH - RIGHT) // 2, HEIGHT - 8,
            html.escape(self.x_label)))
        out.append('<text x="4" y="%d">%s</text>' % (
            TOP - 9, html.escape(self.y_label)))
        out.append("</svg>")
        return "\n".join(out)

    def figure(self):
        return "<figure><figcaption>%s</figcaption>\n%s\n" \
            '<ul class="legend">%s</ul></figure>\n' % (
                html.escape(self.title), self.svg(), "".join(
                    '<li class="s%d"><i></i>%s</li>' % (i, html.escape(label))
                    for i, (label, _, _) in enumerate(self.lines)))


class _Axis:
    """Logarithmic; its ends are at 1, 2 or 5 times a power of ten."""

    def __init__(self, values, start, end, factor=1):
        """`factor`: that the ends are apart at least, so that noise is not
        blown up to look like growth."""
        self.start, self.end = start, end
        low, high = min(values, default=1), max(values, default=10)
        middle = math.sqrt(low * high)
        low = min(low, middle / math.sqrt(factor))
        high = max(high, middle * math.sqrt(factor))
        self.low = max(v for v in _round_values(low) if v <= low * 1.0001)
        self.high = min(v for v in _round_values(high)
                        if v >= high * 0.9999 and v > self.low)

    def place(self, value):
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self):
        decades = math.log10(self.high / self.low)
        found = []
        power = math.floor(math.log10(self.low))
        while 10 ** power <= self.high * 1.0001:
            for step in (1,) if decades > 3 else (1, 2, 5):
                value = step * 10.0 ** power
                if self.low * 0.9999 <= value <= self.high * 1.0001:
                    found.append(value)
            power += 2 if decades > 8 else 1
        return found


def _round_values(value):
    power = math.floor(math.log10(value))
    return [step * 10.0 ** (power + i) for i in (-1, 0, 1)
            for step in (1, 2, 5)]


def _drawn(points):
    return [(x, y) for x, y in points if x > 0 and y > 0]


def _tick(unit, value):
    """Without zeros at the end of what is behind the point."""
    text = number(unit, value)
    digits, space, name = text.partition(" ")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return html.escape(digits + space + name)


def _table(table):
    used = table.used()

    def cells(tag, texts):
        return "<tr>" + "".join(
            '<%s%s>%s</%s>' % (
                tag, "" if table.columns[i].unit else ' class="t%s"' % (
                    " w" if len(text) > LONG_TEXT else ""),
                html.escape(text), tag)
            for i, text in zip(used, texts)) + "</tr>\n"
    return '<h2>%s</h2>\n<div class="scroll"><table>\n<thead>%s</thead>\n' \
        "<tbody>\n%s</tbody></table></div>\n" % (
            html.escape(table.title),
            cells("th", [table.columns[i].label for i in used]),
            "".join(cells("td", [table.text(row, i) for i in used])
                    for row in table.rows))


def write(report, plots, path):
    machine = report.machine
    light, dark = ("".join("--s%d:%s;" % (i, pair[which])
                           for i, pair in enumerate(COLORS))
                   for which in (0, 1))
    with open(path, "w", encoding="utf-8") as out:
        out.write(
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n'
            '<meta charset="utf-8">\n<meta name="viewport" '
            'content="width=device-width, initial-scale=1">\n'
            "<title>%s</title>\n<style>\n%s%s</style>\n</head>\n<body>\n"
            "<h1>%s</h1>\n" % (
                html.escape(report.command), STYLE % (light, dark), "".join(
                    ".s%d{--c:var(--s%d)}.s%d .line{stroke:var(--c)}"
                    ".s%d circle{fill:var(--c)}\n" % (i, i, i, i)
                    for i in range(len(COLORS))),
                html.escape(report.title)))
        out.write('<p class="machine">%s, %d of its processors; %s; %s; load '
                  "%.2f</p>\n" % (
                      html.escape(machine["processor"]), machine["processors"],
                      html.escape(machine["system"]), report.date,
                      machine["load"]))
        out.write('<div class="plots">\n%s</div>\n' % "".join(
            plot.figure() for plot in plots))
        out.write("".join(_table(table) for table in report.tables))
        out.write("<h2>Remarks</h2>\n<ul>\n%s</ul>\n</body>\n</html>\n" %
                  "".join("<li>%s</li>\n" % html.escape(remark)
                          for remark in report.remarks))
