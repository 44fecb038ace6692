#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual pages have the commands and options that --help has, and no
others."""
import os
import re
import subprocess
import unittest

SIGNPOST = os.environ["SIGNPOST"]
MANUALS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "milter", "tool")
# Those of every command.
SHARED = {"h", "help", "V", "version"}
# What signpost-bench(1) calls "options".
MEASURING = {"quick", "full", "format", "html"}


def help_of(*words):
    return subprocess.run([SIGNPOST, *words, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE, timeout=60).stdout


def options_of(*words):
    """Of each option the set of its names."""
    options = []
    for line in help_of(*words).splitlines():
        found = re.match(r"  (?:   |-(\w))(?:,? +--([\w-]+))?", line)
        names = {name for name in found.groups() if name} if found else set()
        if names and not names & SHARED:
            options.append(names)
    return options


def commands():
    return re.findall(r"^  (\w+)  ", help_of(), re.M)


def measurements():
    return re.findall(r"^  ([a-z]+)  ", help_of("bench"), re.M)


class Page:
    def __init__(self, name):
        with open(os.path.join(MANUALS, name), encoding="utf-8") as file:
            self.text = file.read()
        synopsis = re.search(r"^\.Sh SYNOPSIS\n(.*?)^\.Sh ", self.text,
                             re.M | re.S).group(1)
        self.synopses = re.split(r"^\.Nm", synopsis, flags=re.M)[1:]
        self.explained = set()
        for line in re.findall(r"^\.It (Fl .*)", self.text, re.M):
            self.explained |= {
                name.lstrip("-") for name in
                re.findall(r"(?:Fl|,) (?:Fl )?(-?[A-Za-z0-9][\w-]*)", line)}

    def synopsis(self, words):
        """The options in the synopsis of WORDS, or None."""
        for text in self.synopses:
            if re.match(r"(?: signpost)?\s+\.?Cm %s\s*$" % words, text, re.M):
                names = {name.lstrip("-") for name in
                         re.findall(r"Fl (-?[\w-]+)", text)}
                return names | (MEASURING if "Ar options" in text else set())
        return None


class Manual(unittest.TestCase):
    def check(self, page, words, options):
        written = page.synopsis(words)
        self.assertIsNotNone(written, "no synopsis of " + words)
        for names in options:
            self.assertTrue(names & written,
                            f"{words}: {names} is not in the synopsis")
            self.assertLessEqual(names, page.explained, words)
        self.assertLessEqual(written, set().union(*options), words)

    def test_each_command_is_in_the_manual_with_its_options(self):
        page = Page("signpost.1")
        self.assertGreater(len(commands()), 8)
        for command in commands():
            if command == "bench":
                continue
            options = options_of(command)
            self.assertTrue(options, command)
            words = "import opendkim" if command == "import" else command
            with self.subTest(command):
                self.check(page, words, options)

    def test_each_measurement_is_in_the_manual_with_its_options(self):
        page = Page("signpost-bench.1")
        self.assertEqual(len(measurements()), 5)
        for name in measurements():
            with self.subTest(name):
                self.check(page, "bench " + name, options_of("bench", name))


if __name__ == "__main__":
    unittest.main()
