# SPDX-License-Identifier: BSD-2-Clause
"""What contrib/'s dashboard and alerts ask Prometheus for."""
import json
import os
import re

CONTRIB = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "..", "..", "contrib")
DASHBOARD = os.path.join(CONTRIB, "grafana", "signpost.json")
ALERTS = os.path.join(CONTRIB, "prometheus", "alerts.yml")
PROMETHEUS = os.path.join(CONTRIB, "prometheus", "prometheus.yml")


def dashboard():
    with open(DASHBOARD, encoding="ascii") as file:
        return json.load(file)


def dashboard_expressions():
    """(where, expression) for each question of the dashboard."""
    board = dashboard()
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for note in board["annotations"]["list"]:
        yield note["name"], note["expr"]
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]


def alert_expressions():
    """The same of each alert; the file is YAML in one shape, read as text so
    that no library is needed."""
    with open(ALERTS, encoding="ascii") as file:
        text = file.read()
    for name, rest in re.findall(
            r"(?ms)^      - alert: (\w+)\n(.*?)(?=^      - alert|\Z)", text):
        match = re.search(r"(?ms)^        expr: (?:>-\n)?(.*?)^        \w+:",
                          rest)
        yield name, " ".join(match.group(1).split())


def selectors(expression):
    """(name, [(label, operator, value)]) of each metric in an expression."""
    text = re.sub(r'"[^"]*"', lambda m: m.group().replace("_", "\0"),
                  expression)
    for name, inside in re.findall(
            r"\b((?:signpost|process)_\w+|up)\b(?:\{([^}]*)\})?", text):
        yield name, [(label, operator, value.replace("\0", "_"))
                     for label, operator, value in re.findall(
                         r'(\w+)(=~|!=|!~|=)"([^"]*)"', inside)]
