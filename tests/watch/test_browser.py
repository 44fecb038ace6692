# SPDX-License-Identifier: BSD-2-Clause
"""The page at / of the status address, in a browser."""
import http.server
import json
import re
import threading
import time
import unittest

from browser import Browser
from watched import Watched

WIDTHS = (1200, 800, 360, 320)
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>" \
    "document.title='owned'</script>"


def number(text):
    return float(re.search(r"[\d,.]*\d", text).group().replace(",", ""))


def total(rows, **labels):
    return sum(row["count"] for row in rows
               if all(row[name] == value for name, value in labels.items()))


class InABrowser(unittest.TestCase):
    def browser(self, **options):
        browser = Browser(**options)
        self.addCleanup(browser.close)
        return browser

    def assert_fits(self, browser, picture=None):
        for width in WIDTHS:
            browser.resize(width)
            self.assertEqual(browser.too_wide(), 0, width)
            if picture:
                browser.picture("%s-%d" % (picture, width))
        browser.resize(WIDTHS[0])


class Live(InABrowser):
    """A real daemon."""

    def setUp(self):
        self.watched = Watched()
        self.addCleanup(self.watched.close)

    def in_all(self, browser):
        """Signatures made and judged, as the page says."""
        found = [re.search(r"([\d,]+) in all", browser.text(name))
                 for name in ("signs-more", "verifies-more")]
        return [number(match.group(1)) if match else 0 for match in found]

    def test_figures_rise_under_load_and_are_those_of_the_status(self):
        browser = self.browser()
        browser.open(self.watched.url)
        browser.wait_for(lambda: browser.text("state") == "Ready", "Ready")
        before = self.in_all(browser)
        self.assertIn("Nothing since the start", browser.text("trouble"))
        with self.watched.load():
            for _ in range(2):
                browser.wait_for(lambda: all(
                    now > then for now, then in
                    zip(self.in_all(browser), before)), "counts to rise")
                before = self.in_all(browser)
            browser.wait_for(lambda: number(browser.text("signs-now")) > 0 and
                             number(browser.text("verifies-now")) > 0, "rates")
            browser.wait_for(lambda: browser.run(
                "return document.querySelector('#plot .made .line')"
                ".getBBox().height") > 20, "a line that is not flat")
            self.assert_fits(browser, "load")
        status = self.watched.status()
        browser.wait_for(lambda: self.in_all(browser) == [
            total(status["signs"]), total(status["verifies"])],
            "the last counts")
        self.assert_same(browser, status)
        self.assertEqual(browser.complaints(), [])

    def assert_same(self, browser, status):
        def counts(name):
            return {key: number(text)
                    for key, text in browser.pairs(name).items()}

        self.assertEqual(counts("messages"), {
            name: count for name, count in status["messages"].items() if count})
        self.assertEqual(counts("results"), {
            word: total(status["verifies"], result=word)
            for word in ("pass", "fail", "permerror")})
        self.assertEqual(counts("verifies"), {
            name: total(status["verifies"], algorithm=name)
            for name in ("rsa-sha256", "ed25519-sha256")})
        self.assertEqual(counts("reasons"), {
            name.replace("_", " "): count for name, count in
            status["verify_reasons"].items() if count})
        self.assertEqual(counts("signs"), {
            "%(algorithm)s %(key_bits)s" % row: row["count"]
            for row in status["signs"] if row["count"]})
        self.assertEqual(counts("lookups"), {
            name.replace("_", " "): count
            for name, count in status["dns"]["lookups"].items() if count})
        self.assertEqual(counts("connections")["Connections in all"],
                         status["connections"]["total"])
        self.assertEqual(browser.pairs("workers")["busy"], "0 of 2")
        self.assertEqual(browser.pairs("private")["Private keys loaded"], "2")
        rows = browser.run("return [...document.querySelectorAll("
                           "'#operations tr:not(.split)')].map((row) => "
                           "[...row.children].map((one) => one.textContent))")
        self.assertEqual(
            {row[0]: number(row[1]) for row in rows},
            {"%(operation)s %(algorithm)s" % one: one["cpu_seconds"]["count"]
             for one in status["operations"] if one["cpu_seconds"]["count"]})
        for row in rows:
            self.assertTrue(all(re.fullmatch(r"[\d.]+ (s|ms|\u00b5s|ns)", text)
                                or text == "0" for text in row[2:]), row)

    def test_the_past_is_there_when_the_page_is_opened(self):
        with self.watched.load():
            time.sleep(4)
        browser = self.browser()
        browser.open(self.watched.url)
        browser.wait_for(lambda: browser.run(
            "return document.querySelector('#plot .judged .line')?.getBBox()"
            ".height ?? 0") > 20, "a line that is not flat")
        browser.run("""
            const plot = document.getElementById("plot");
            const box = plot.getBoundingClientRect();
            plot.dispatchEvent(new PointerEvent("pointermove", {
                clientX: box.right - 12, clientY: box.top + 50 }))""")
        self.assertRegex(browser.text("reading"),
                         r"\d\d:\d\d:\d\d: [\d.,]+ made, [\d.,]+ judged")

    def test_a_daemon_that_goes_away_and_comes_back_is_told(self):
        browser = self.browser()
        with self.watched.load():
            browser.open(self.watched.url)
            browser.wait_for(lambda: min(self.in_all(browser)) > 0, "counts")
        self.assertFalse(browser.run(
            "return document.getElementById('notice').checkVisibility()"))
        self.watched.stop()
        browser.wait_for(lambda: browser.text("state") == "No answer",
                         "the daemon to be missed")
        self.assertRegex(browser.text("notice"),
                         r"No answer from the daemon since \d\d:\d\d:\d\d \(")
        self.assertIn("No answer", browser.driver.title)
        self.assertGreater(min(self.in_all(browser)), 0)
        self.assert_fits(browser, "gone")
        self.watched.daemon.start()
        browser.wait_for(lambda: browser.text("state") == "Ready",
                         "the daemon to be back")
        self.assertRegex(browser.text("notice"), r"answers again since "
                         r"\d\d:\d\d:\d\d\. .* it was started anew\.")
        self.assertEqual(self.in_all(browser), [0, 0])
        for line in browser.complaints():
            self.assertIn("net::ERR_CONNECTION_REFUSED", line)
        before = self.in_all(browser)
        with self.watched.load():
            browser.wait_for(lambda: self.in_all(browser) > before,
                             "counts after the restart")

    def test_light_and_dark_can_both_be_read(self):
        backgrounds = set()
        for dark in (False, True):
            browser = self.browser(dark=dark)
            browser.open(self.watched.url)
            with self.watched.load():
                browser.wait_for(lambda: min(self.in_all(browser)) > 0,
                                 "counts")
            self.assertEqual(browser.low_contrast(), [])
            self.assert_fits(browser, "dark" if dark else "light")
            backgrounds.add(browser.run(
                "return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(backgrounds), 2)

    def test_each_part_has_a_name_and_the_keyboard_reaches_each_link(self):
        browser = self.browser()
        browser.open(self.watched.url)
        with self.watched.load():
            browser.wait_for(lambda: min(self.in_all(browser)) > 0, "counts")
        find = browser.driver.find_elements
        for element in find("css selector", "section, svg"):
            self.assertIn(element.aria_role, ("region", "img", "image"))
            self.assertRegex(element.accessible_name, r"\w \w|\w{3}")
        self.assertEqual(len(find("css selector", "h1")), 1)
        self.assertEqual(len(find("css selector", "main, header, footer")), 3)
        # On a narrow page, too, a table is a table.
        for width in (1200, 360):
            browser.resize(width)
            self.assertEqual({cell.aria_role for cell in find(
                "css selector", "#operations td.number")}, {"cell"})
        links = find("css selector", "a[href]:not(noscript a)")
        self.assertEqual(len(links), 5)
        for link in links:
            browser.driver.switch_to.active_element.send_keys("\ue004")
            self.assertEqual(browser.driver.switch_to.active_element, link)
            self.assertNotEqual(browser.run(
                "return getComputedStyle(arguments[0]).outlineStyle", link),
                "none")


class Feigned(InABrowser):
    """The page of a real daemon with figures that are not: what a faulty or
    a younger daemon could say."""

    @classmethod
    def setUpClass(cls):
        watched = Watched()
        try:
            cls.html = watched.ask("")
            cls.policy = watched.policy()
            cls.status = watched.status()
            cls.history = json.loads(watched.ask("history"))
        finally:
            watched.close()

    def setUp(self):
        self.answers = {"/status": json.dumps(self.status),
                        "/history": json.dumps(self.history)}
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = test.html if self.path == "/" else test.answers.get(
                    self.path)
                if callable(body):
                    body = body()
                self.send_response(200 if body is not None else 503)
                self.send_header("Content-Type", "text/html; charset=utf-8"
                                 if self.path == "/" else "application/json")
                self.send_header("Content-Security-Policy", test.policy)
                self.end_headers()
                self.wfile.write((body or "").encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A browser that waits no longer is no fault.
        self.server.handle_error = lambda *_: None
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.page = self.browser()

    def say(self, **members):
        self.answers["/status"] = json.dumps({**self.status, **members})

    def open(self):
        self.page.open("http://127.0.0.1:%d/" % self.server.server_port)

    def test_what_the_daemon_says_is_text_and_never_markup(self):
        self.answers["/keys"] = "{}"
        self.say(version=HOSTILE, published={"keys": {HOSTILE: 3}},
                 messages={HOSTILE: 1},
                 signs=[{"algorithm": HOSTILE, "key_bits": HOSTILE,
                         "result": HOSTILE, "count": 5}],
                 verifies=[{"algorithm": HOSTILE, "result": "pass",
                            "count": 5}],
                 verify_reasons={HOSTILE: 1}, sign_hazards={HOSTILE: 1},
                 operations=[{"operation": HOSTILE, "algorithm": HOSTILE,
                              "cpu_seconds": {"count": 1, "sum": 1}}])
        self.open()
        self.page.wait_for(lambda: HOSTILE in self.page.text("about"),
                           "the version")
        for name in ("messages", "signs", "verifies", "reasons", "hazards",
                     "keys", "operations"):
            self.assertIn(HOSTILE, self.page.run(
                "return document.getElementById(arguments[0]).textContent",
                name), name)
        self.assertEqual(self.page.run(
            "return document.querySelectorAll('img, script').length"), 1)
        self.assertNotIn("owned", self.page.driver.title)
        self.assertEqual(self.page.complaints(), [])
        self.assert_fits(self.page)

    def test_the_policy_stops_a_script_that_got_in_all_the_same(self):
        self.open()
        self.page.run("""
            const script = document.createElement("script");
            script.textContent = "document.title = 'owned'";
            document.body.append(script)""")
        self.assertNotIn("owned", self.page.driver.title)
        self.assertIn("Content Security Policy",
                      "".join(self.page.complaints()))

    def test_figures_that_are_missing_or_odd_break_nothing(self):
        for answer in ("{}", '{"signs": 1, "operations": {}, "published": 7}',
                       '{"ready": 1, "signs": [null], "operations": [7]}',
                       "[]"):
            with self.subTest(answer):
                self.answers["/status"] = answer
                self.answers["/history"] = answer
                self.open()
                self.page.wait_for(
                    lambda: self.page.text("about") not in ("", "\u00a0"),
                    "the head")
                self.assertEqual(self.page.complaints(), [])
                self.assertIn("None yet", self.page.text("messages"))

    def test_where_keys_stand_is_shown_and_the_troubled_by_name(self):
        self.open()
        self.page.wait_for(lambda: self.page.text("state") == "Ready", "Ready")
        self.assertFalse(self.page.run(
            "return document.getElementById('standing').checkVisibility()"))
        self.say(published={"keys": {"published": 30, "waiting": 31,
                                     "revoked": 1, "gone": 0}})
        self.answers["/keys"] = json.dumps({"keys": [
            {"name": HOSTILE, "state": "revoked", "last_check": "revoked"},
            {"name": "b._domainkey.example.org", "state": "waiting",
             "last_check": "failed"}] + [
            {"name": "k%d._domainkey.example.org" % i, "state": state,
             "last_check": "none"} for state in ("waiting", "published")
            for i in range(30)]})
        self.page.wait_for(lambda: self.page.pairs("keys") == {
            "published": "30", "waiting": "31", "revoked": "1"}, "states")
        keys = self.page.pairs("key-list")
        self.assertEqual(len(keys), 13)
        self.assertEqual(list(keys.items())[:2], [
            (HOSTILE, "revoked"),
            ("b._domainkey.example.org", "waiting, look-up fails")])
        self.assertEqual(keys["and more"], "20")
        self.assertEqual(self.page.low_contrast(), [])
        self.assert_fits(self.page, "keys")
        self.answers["/keys"] = json.dumps({"keys": [
            {"name": "a._domainkey.example.org", "state": "published"}]})
        self.say(published={"keys": {"published": 30}})
        self.page.wait_for(lambda: self.page.pairs("key-list") == {},
                           "no names")

    def test_what_needs_a_look_is_said_in_words(self):
        self.say(queue={**self.status["queue"], "overloads": 7},
                 reloads={"ok": 1, "failed": 2}, ready=0)
        self.open()
        self.page.wait_for(lambda: "takes no mail" in self.page.text("state"),
                           "the state")
        self.assertEqual(self.page.pairs("trouble"), {
            "messages found the workers' queue full": "7",
            "reloads failed: the old configuration is in use": "2"})
        self.assertEqual(self.page.low_contrast(), [])

    def test_a_daemon_that_fails_or_hangs_is_told_from_one_that_is_gone(self):
        self.open()
        self.page.wait_for(lambda: self.page.text("state") == "Ready", "Ready")
        asked = self.answers["/status"]
        ended = threading.Event()
        self.addCleanup(ended.set)
        for answer, words in ((None, "HTTP 503"), ("{", "JSON"),
                              (lambda: ended.wait(30) and "",
                               "it takes too long")):
            self.answers["/status"] = answer
            self.page.wait_for(
                lambda: self.page.text("state") == "No answer", "no answer")
            self.assertIn(words, self.page.text("notice"))
            self.answers["/status"] = asked
            self.page.wait_for(
                lambda: self.page.text("state") == "Ready", "Ready again")
            self.assertRegex(self.page.text("notice"),
                             r"again since .* There was no answer for \d+ s\.")

    def test_large_figures_fit(self):
        def grow(value):
            if isinstance(value, dict):
                return {name: grow(one) for name, one in value.items()}
            if isinstance(value, list):
                return [grow(one) for one in value]
            return value + 12345678901 if isinstance(
                value, (int, float)) else value
        self.answers["/status"] = json.dumps(grow(self.status))
        self.answers["/keys"] = "{}"
        self.answers["/history"] = json.dumps({
            "seconds": 300, "signs": [123456.7] * 300, "verifies": [0.1] * 300})
        self.open()
        self.page.wait_for(lambda: "12,345,678" in self.page.text("messages"),
                           "large counts")
        reasons = self.page.pairs("reasons")
        self.assertEqual(len(reasons), 11)
        self.assertEqual(
            list(reasons)[-1],
            "%d others" % (len(self.status["verify_reasons"]) - 10))
        self.assert_fits(self.page, "large")


if __name__ == "__main__":
    unittest.main()
