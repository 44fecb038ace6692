# SPDX-License-Identifier: BSD-2-Clause
"""signpostd under load: full queues, deadlines, slow neighbours."""
import os
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "lib"))

from daemon_case import (  # noqa: E402
    BODY, Case, HEADERS, INSIDE, RECORDS, RSA, results)
from dns_server import DnsServer, SILENT  # noqa: E402
from signpostd import Daemon, Key, PATIENCE  # noqa: E402


class Overload(Case):
    def test_full_queue_puts_a_message_off(self):
        daemon = self.daemon(workers={"threads": 1, "queue": 1},
                             keys={("example.com", "r1"): RSA})
        mtas = [daemon.mta() for _ in range(60)]
        for mta in mtas:
            mta.connect("localhost", INSIDE)
            mta.envelope()
            mta.whole_header(HEADERS)
            mta.body(BODY)
        for mta in mtas:
            mta.macros(b"E", i="Q1")
            mta.send(b"E")
        replies = [mta.result() for mta in mtas]
        for mta in mtas:
            mta.close()
        busy = [r for r in replies if r.reply == "tempfail"]
        for result in busy:
            self.assertRegex(result.text, r"\A451 4\.3\.2 ")
            self.assertEqual(result.inserted, [])
        for result in replies:
            if result.reply != "tempfail":
                self.assertEqual(len(result.field("DKIM-Signature")), 1)
        self.assertEqual(daemon.metrics()["signpost_overload_total"],
                         len(busy))
        self.assertGreater(len(busy), 0)

    def test_passed_deadline_puts_a_message_off(self):
        slow = Key("rsa", 4096)
        keys = {("example.com", "k%d" % i): slow for i in range(16)}
        daemon = self.daemon(
            keys=keys, workers={"threads": 1}, limits={"max_wait": "1s"},
            domains=({"name": "example.com", "all": True},))
        mtas = [daemon.mta() for _ in range(40)]
        for mta in mtas:
            mta.connect("localhost", INSIDE)
            mta.envelope()
            mta.whole_header(HEADERS)
        begin = time.monotonic()
        for mta in mtas:
            mta.send(b"E")
            time.sleep(0.01)  # lets libmilter have a thread for each
        replies = [mta.result() for mta in mtas]
        self.assertLess(time.monotonic() - begin, 1.5 + PATIENCE)
        for mta in mtas:
            mta.close()
        late = [r for r in replies if r.reply == "tempfail"]
        for result in late:
            self.assertRegex(result.text, r"\A451 4\.3\.2 .*too long")
            self.assertEqual(result.inserted, [])
        for result in replies:
            if result.reply != "tempfail":
                self.assertEqual(len(result.field("DKIM-Signature")), 16)
        self.assertGreater(len(late), 0)
        # A machine that is busy with something else may do none in time; once
        # the rush is over, one gets through.
        for _ in range(20):
            result = self.send(daemon, client=INSIDE)
            if result.reply != "tempfail":
                break
        self.assertEqual(len(result.field("DKIM-Signature")), 16)


class Neighbours(Case):
    # field: F3
    def test_burst_of_messages_that_wait_for_keys_holds_up_no_other(self):
        """All in one moment: libmilter starts no thread for such by itself."""
        signature = self.sign(self.daemon())[0]
        silent = ["s%d.example.com" % i for i in range(100)]
        dns = DnsServer({**RECORDS, **{
            "r1._domainkey." + name: SILENT for name in silent}})
        self.addCleanup(dns.close)
        verifier = Daemon(dns_port=dns.port)
        self.addCleanup(verifier.close)
        verifier.configure(dns={"timeout": "6s"})
        verifier.start()
        honest = [signature] + HEADERS
        self.send(verifier, honest)  # its key is cached

        def begin(headers):
            mta = verifier.mta()
            mta.connect()
            mta.envelope()
            mta.whole_header(headers)
            mta.body(BODY)
            return mta

        slow = [begin([("DKIM-Signature", signature[1].replace(
            "d=example.com", "d=" + name))] + HEADERS) for name in silent]
        fast = [begin(honest) for _ in range(8)]
        start = time.monotonic()
        for mta in slow + fast:
            mta.send(b"E")
        for mta in fast:
            self.assertIn("dkim=pass", results(mta.result()))
        self.assertLess(time.monotonic() - start, PATIENCE)
        for mta in slow:
            self.assertIn("dkim=temperror", results(mta.result()))
        for mta in slow + fast:
            mta.close()

    def test_client_whose_keys_never_come_leaves_room_for_others(self):
        signature = self.sign(self.daemon())[0]
        silent = ["s%d.example.com" % i for i in range(7)]
        dns = DnsServer({**RECORDS, **{
            "r1._domainkey." + name: SILENT for name in silent}})
        self.addCleanup(dns.close)
        verifier = Daemon(dns_port=dns.port)
        self.addCleanup(verifier.close)
        verifier.configure(dns={"timeout": "20s", "max_pending": 8,
                                "max_pending_per_client": 3},
                           limits={"max_wait": "60s"})
        verifier.start()
        waiting = []
        for name in silent:
            mta = verifier.mta()
            mta.connect("client.test", "192.0.2.66")
            mta.envelope()
            for field, value in [("DKIM-Signature", signature[1].replace(
                    "d=example.com", "d=" + name))] + HEADERS:
                mta.header(field, value.replace("\r\n", "\n"))
            mta.end_headers()
            mta.body(BODY)
            mta.send(b"E")
            waiting.append(mta)
            pending = min(len(waiting), 3)
            verifier.wait_for(
                lambda: verifier.metrics()["signpost_dns_pending"] == pending,
                "the question to be asked")
        # Those beyond the share are told at once, while three still wait.
        for mta in waiting[3:]:
            self.assertIn("dkim=temperror", results(mta.result()))
        metrics = verifier.metrics()
        self.assertEqual(metrics["signpost_dns_pending"], 3)
        self.assertEqual(metrics["signpost_dns_refused_client_total"], 4)
        self.assertEqual(metrics["signpost_dns_refused_total"], 0)
        for client in ("192.0.2.67", "2001:db8::1"):
            result = self.send(verifier, [signature] + HEADERS, client=client)
            self.assertIn("dkim=pass", results(result))
        for mta in waiting:
            mta.close()


if __name__ == "__main__":
    unittest.main()
