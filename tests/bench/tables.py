# SPDX-License-Identifier: BSD-2-Clause
"""Tables of measurements as text, JSON or CSV, in the form of signpost bench.

    report = Report("mta", "Postfix with and without filters", quick=False)
    table = report.table("signing", "Signing", [
        Column("milter", "milter"), Column("wall_ns", "time", "ns")])
    table.add("Signpost", 2e9)
    report.remark("The load average was 9.")
    report.write("text", sys.stdout)

A cell that is None is not known: empty, and null in JSON.
"""
import argparse
import csv
import datetime
import json
import math
import os
import platform
import subprocess
import sys
import textwrap

from lab.lab import LabError

# A unit's steps, greatest first: size and name.
STEPS = {
    "ns": [(1e9, " s"), (1e6, " ms"), (1e3, " us"), (1, " ns")],
    "byte": [(1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1, " B")],
    "ns/byte": [(1e3, " us/B"), (1, " ns/B")],
}
FORMATS = ("text", "json", "csv")
WIDTH = 76


class Column:
    """`unit`: "" for text, or one that number() knows."""

    def __init__(self, name, label, unit=""):
        self.name, self.label, self.unit = name, label, unit


class Table:
    def __init__(self, name, title, columns):
        self.name, self.title, self.columns = name, title, columns
        self.rows = []

    def add(self, *cells):
        assert len(cells) == len(self.columns)
        self.rows.append(cells)

    def used(self):
        """The columns that some row has something for."""
        return [i for i in range(len(self.columns))
                if any(row[i] not in (None, "") for row in self.rows)]

    def text(self, row, i):
        return number(self.columns[i].unit, row[i])

    def write_text(self, out):
        out.write("\n%s\n\n" % self.title)
        used = self.used()
        lines = [[self.columns[i].label for i in used]]
        lines += [[self.text(row, i) for i in used] for row in self.rows]
        widths = [max(map(len, cells)) for cells in zip(*lines)]
        for line in lines:
            out.write("  ".join(
                cell.rjust(width) if self.columns[i].unit else
                cell.ljust(width)
                for i, cell, width in zip(used, line, widths)).rstrip() + "\n")

    def as_json(self):
        return {
            "name": self.name, "title": self.title,
            "columns": [vars(c) for c in self.columns],
            "rows": [dict(zip((c.name for c in self.columns), row))
                     for row in self.rows]}


class Report:
    def __init__(self, command, title, quick):
        self.command, self.title, self.quick = command, title, quick
        self.tables, self.remarks = [], []
        self.date = datetime.datetime.now(datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%SZ")
        self.machine = machine()

    def table(self, *arguments):
        self.tables.append(Table(*arguments))
        return self.tables[-1]

    def remark(self, text):
        self.remarks.append(text)

    def write(self, form, out):
        {"text": self._text, "json": self._json, "csv": self._csv}[form](out)
        out.flush()

    def _text(self, out):
        m = self.machine
        out.write("%s\n%s, %d of its processors\n%s, %s, load %.2f\n" % (
            self.title, m["processor"], m["processors"], m["system"], self.date,
            m["load"]))
        for table in self.tables:
            table.write_text(out)
        out.write("\n")
        for remark in self.remarks:
            out.write(textwrap.fill(remark, WIDTH, initial_indent="* ",
                                    subsequent_indent="  ") + "\n")

    def _json(self, out):
        json.dump({
            "command": self.command, "title": self.title,
            "date": self.date, "quick": self.quick,
            "machine": self.machine,
            "tables": [t.as_json() for t in self.tables],
            "remarks": self.remarks}, out, indent=2)
        out.write("\n")

    def _csv(self, out):
        names = list(dict.fromkeys(
            c.name for t in self.tables for c in t.columns))
        writer = csv.DictWriter(out, ["table"] + names, lineterminator="\n")
        writer.writeheader()
        for table in self.tables:
            for row in table.as_json()["rows"]:
                writer.writerow({"table": table.name, **row})


def number(unit, value):
    """A cell for people."""
    if value is None:
        return ""
    if unit == "":
        return str(value)
    if unit == "count":
        return "{:,}".format(round(value))
    if unit == "number":
        return "{:,.3f}".format(value).rstrip("0").rstrip(".")
    if unit == "ratio":
        return "%.2f" % value
    if unit == "%":
        return "%+.1f %%" % value
    for size, name in STEPS[unit]:
        if abs(value) >= size * 0.9995:
            break
    return three_digits(value / size) + name


def three_digits(value):
    if value == 0 or not math.isfinite(value):
        return "%.0f" % value
    digits = 2 - math.floor(math.log10(abs(value)) + 1e-9)
    return "{:,.{}f}".format(value, max(0, digits))


def machine():
    processor = "unknown processor"
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    return {"processor": processor,
            "processors": len(os.sched_getaffinity(0)),
            "system": "%s %s %s" % (platform.system(), platform.release(),
                                    platform.machine()),
            "load": os.getloadavg()[0]}


def natural(text):
    """An argument that is a number from 1 up."""
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


natural.__name__ = "number from 1 up"


def options(doc):
    """A parser of arguments with what every measurement here takes."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="DIR", help="the build tree to "
                        "measure; that of contrib/check if left out")
    parser.add_argument("--quick", action="store_true",
                        help="fewer and shorter runs: the form, not the cost")
    parser.add_argument("--format", choices=FORMATS, default="text")
    return parser


def parse(parser, programs):
    """Parses the arguments, and builds PROGRAMS of tests/."""
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("mail servers start as root: run it as root")
    build = os.path.abspath(arguments.build or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../../build-check/gcc"))
    if not os.path.exists(os.path.join(build, "milter/signpostd")):
        parser.error("%s: nothing is built there: name a build tree with "
                     "--build, or build one with contrib/check --stage gcc"
                     % build)
    if programs:
        done = subprocess.run(
            ["make", "-C", os.path.join(build, "tests"), *programs],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise LabError("make failed:\n" + done.stdout[-4000:])
    arguments.build = build
    return arguments


def run(main):
    """MAIN, whose failures are told in a line and exit code 1."""
    try:
        main()
    except (LabError, OSError, subprocess.SubprocessError) as error:
        sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), error))
    except KeyboardInterrupt:
        sys.exit(130)
