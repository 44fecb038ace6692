# SPDX-License-Identifier: BSD-2-Clause
"""Asks Signpost and its peers one case after the other, and counts.

Signpost's answer has to be what the oracle expects. Each peer's is compared
with it: pass or not, signature by signature. Where they differ, a rule has to
say why. A case that a peer could not run is not compared.
"""
import collections

import cases
import rules
from peers import PeerError

ANSWER = 10  # items a signature, from peer_signpost


Found = collections.namedtuple("Found", "number who title lines message")


class Verdict:
    def __init__(self, items):
        (self.word, self.reason, self.domain, self.selector, self.identity,
         self.algorithm, self.b, self.bits, self.testing,
         self.unsigned) = [item.decode("latin-1") for item in items]

    def passes(self):
        return self.word == "pass"


class Counts:
    def __init__(self):
        self.cases = self.signatures = 0
        self.words = collections.Counter()
        self.agree = collections.Counter()
        self.not_compared = collections.Counter()
        self.why_not = collections.Counter()
        self.decided = collections.Counter()  # (peer, rule, section, why)
        self.found = []

    def add(self, other):
        self.cases += other.cases
        self.signatures += other.signatures
        for name in ("words", "agree", "not_compared", "why_not", "decided"):
            getattr(self, name).update(getattr(other, name))
        self.found += other.found


class Driver:
    def __init__(self, seed, signpost, peers):
        self.seed, self.signpost, self.peers = seed, signpost, peers
        self.counts = Counts()
        self.answers = {}

    def close(self):
        """Ends the peers. A sanitizer tells of what leaked at the end."""
        self.counts = Counts()
        if self.signpost.stop() != 0:
            self.counts.found.append(Found(
                -1, "oracle", "Signpost" + self.signpost.said(), [], b""))
        for peer in self.peers:
            peer.stop()

    def run(self, number):
        """One case; the case, for whoever wants to look at it."""
        case = cases.Case(self.seed, number)
        self.counts.cases += 1
        self.answers = {}
        try:
            if not self.sign(case):
                return case
            asked = self.ask_peers(case)
            verdicts = self.ask_signpost(case)
        except PeerError as error:
            self.report(case, "Signpost " + str(error), [])
            return case
        if len(verdicts) != len(case.signatures):
            self.report(case, "Signpost tells of %d signatures and not %d" % (
                len(verdicts), len(case.signatures)), [])
            return case
        self.counts.signatures += len(verdicts)
        for signature, verdict in zip(case.signatures, verdicts):
            self.judge(case, signature, verdict)
        for peer in asked:
            self.compare(case, peer, verdicts)
        return case

    def sign(self, case):
        if not case.signs:
            return True
        wrong, *values = self.signpost.ask(case.sign_items())
        if (wrong == b"") != case.can_sign():
            self.report(case, "signing: %s" % (wrong.decode() or
                                               "signed without From"), [])
        if wrong or not case.can_sign():
            return False
        for problem in case.take_fields(values):
            self.report(case, "signing: " + problem, [])
        return True

    def ask_signpost(self, case):
        items = self.signpost.ask(case.verify_items(case.lf_folds))
        verdicts = [Verdict(items[at:at + ANSWER])
                    for at in range(0, len(items), ANSWER)]
        self.answers["signpost"] = ["%s %s" % (v.word, v.reason)
                                    for v in verdicts]
        return verdicts

    def ask_peers(self, case):
        asked = []
        for peer in self.peers:
            try:
                peer.send(case.verify_items())
                asked.append(peer)
            except PeerError as error:
                self.skip(peer, len(case.signatures), str(error))
        return asked

    def judge(self, case, signature, verdict):
        self.counts.words[verdict.word] += 1
        if not signature.expected.allows(verdict.word, verdict.reason):
            self.report(
                case, "Signpost says %s (%s) and not %s" % (
                    verdict.word, verdict.reason or "-", signature.expected),
                self.describe(signature))
        for what, got, want in told(signature, verdict):
            if got != want:
                self.report(case, "Signpost tells %s as %s and not %s" % (
                    what, got, want), self.describe(signature))

    def compare(self, case, peer, verdicts):
        try:
            results = align(peer.name, peer.receive(), case.signatures)
        except PeerError as error:
            self.skip(peer, len(verdicts), str(error))
            return
        self.answers[peer.name] = results
        for signature, verdict, result in zip(case.signatures, verdicts,
                                              results):
            why_not = rules.not_compared(peer.name, signature, result)
            if why_not is not None:
                self.skip(peer, 1, why_not)
            elif (result == "pass") == verdict.passes():
                self.counts.agree[peer.name] += 1
            else:
                self.decide(case, peer, signature, verdict, result)

    def decide(self, case, peer, signature, verdict, result):
        rule = rules.find(peer.name, case, signature, verdict, result)
        if rule is not None:
            self.counts.decided[
                (peer.name,) + rules.described(rule)] += 1
            return
        self.report(case, "Signpost says %s (%s), %s says %s" % (
            verdict.word, verdict.reason or "-", peer.name, result),
            self.describe(signature), peer.name)

    def skip(self, peer, count, why):
        self.counts.not_compared[peer.name] += count
        self.counts.why_not[peer.name, why[:100]] += count

    def report(self, case, title, lines, who="oracle"):
        """Something to be looked at."""
        self.counts.found.append(
            Found(case.number, who, title, lines, case.message()))

    @staticmethod
    def describe(signature):
        return ["signature %s: expected %s; %s" % (
            signature.selector.decode(), signature.expected,
            ", ".join(sorted(signature.marks)) or "nothing odd")]


def told(signature, verdict):
    """What the verdict tells of the signature: (what, told, true)."""
    if signature.syntax or signature.cut_off:
        return
    tags = {tag.name: tag.value for tag in signature.tags} if isinstance(
        signature.tags, list) else signature.tags
    yield "d=", verdict.domain, signature.domain.decode("latin-1")
    yield "s=", verdict.selector, signature.selector.decode()
    yield "a=", verdict.algorithm, signature.algorithm
    yield "i=", verdict.identity, tags.get(b"i", b"").decode("latin-1")
    yield "b=", verdict.b, b"".join(tags[b"b"].split())[:8].decode()
    if verdict.word == "pass":
        yield "the key's bits", verdict.bits, str(signature.key.bits)


def align(name, answer, signatures):
    """The peer's results in the order of SIGNATURES. "left out" for one that
    it did not tell of: it refused to read it."""
    message, *rest = [item.decode("latin-1") for item in answer]
    told_of = [tuple(rest[at:at + 3]) for at in range(0, len(rest), 3)]
    if len(told_of) == len(signatures):
        return [result for result, _, _ in told_of]
    by_selector = {}
    for result, selector, _ in told_of:
        by_selector.setdefault(selector, []).append(result)
    results = []
    for signature in signatures:
        found = by_selector.get(signature.selector.decode(), [])
        if len(found) == 1:
            results.append(found[0])
        elif found:
            results.append("ambiguous")
        else:
            results.append("left out: " + message)
    return results
