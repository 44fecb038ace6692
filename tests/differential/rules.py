# SPDX-License-Identifier: BSD-2-Clause
"""Disagreements with the peers, decided.

Signpost's own answer has been found right by the oracle before a rule is asked
for. A rule says of a peer what it does otherwise, by which section that is
wrong or left to it, and of which signatures. Two tables: REFUSES, where
Signpost passes a signature and the peer does not; ACCEPTS, where the peer
passes what Signpost does not. A disagreement that no row explains is a failure
of the test, and has to be decided: here, or by mending the library.
"""
import collections
import re

import canon
from signatures import Tag, get

RFC = "RFC 6376 section "

Rule = collections.namedtuple("Rule", "name peers section why applies")


class About:
    """A signature that two disagree about."""

    def __init__(self, case, signature, verdict, result):
        self.case, self.signature = case, signature
        self.verdict, self.result = verdict, result
        self.marks = signature.marks

    def tag(self, name):
        """A tag as it was made; Signpost's own have no odd spaces."""
        tags = self.signature.tags
        if isinstance(tags, dict):
            return Tag(name, tags[name]) if name in tags else None
        return get(tags, name)

    def names_of_tags(self):
        tags = self.signature.tags
        return list(tags) if isinstance(tags, dict) else [
            tag.name for tag in tags]

    def key_tag(self, name):
        record = getattr(self.signature, "record", [])
        return get(record, name)

    def signed_fields(self):
        return canon.select(self.case.fields, self.signature.names)

    def chooses_itself(self):
        return any(field is self.signature.field
                   for field in self.signed_fields())

    def count(self, name):
        """How often it stands in the message, and in h=."""
        return (sum(canon.called(field, name) for field in self.case.fields),
                sum(other.lower() == name.lower()
                    for other in self.signature.names))


def body_without_line_end(about):
    return not about.case.body.endswith(b"\r\n")


def lone_cr_or_lf(text):
    return re.search(rb"\r(?!\n)|(?<!\r)\n", text) is not None


def header_has(about, pattern):
    return any(re.search(pattern, name + b":" + value, re.S)
               for name, value in about.case.fields)


def signed_has(about, pattern):
    return any(re.search(pattern, value, re.S)
               for _, value in about.signed_fields())


def value_ends_in_space(about):
    return re.search(rb"\s\Z", about.signature.field[1]) is not None


REFUSES = (
    Rule("bare-rsa-key", "opendkim mail-dkim", RFC + "3.6.1",
         "p= of an RSA key is an RSAPublicKey; they want the "
         "SubjectPublicKeyInfo around it, which others publish, and which "
         "is read, too",
         lambda about: "other-key-form" in about.marks
         and about.signature.key.type == "rsa"),
    Rule("ed25519-key-info", "opendkim dkimpy", "RFC 8463 section 4.2",
         "p= is the bare 32 octets; a SubjectPublicKeyInfo holds the same "
         "key, and says so",
         lambda about: "other-key-form" in about.marks
         and about.signature.key.type == "ed25519"),
    Rule("u-labels", "opendkim dkimpy mail-dkim", "RFC 8616 section 4, 5",
         "a U-label in d= is looked up as its A-label",
         lambda about: max(about.signature.domain) > 127),
    Rule("utf-8-identity", "opendkim dkimpy mail-dkim", "RFC 8616 section 5",
         "i= may hold UTF-8 as it is",
         lambda about: about.tag(b"i") is not None
         and max(about.tag(b"i").value, default=0) > 127),
    Rule("several-records", "opendkim", RFC + "6.1.2 (4)",
         "the answer with several records is the verifier's to choose from "
         "or to cycle through; it gives up",
         lambda about: "two-records" in about.marks
         and about.result == "multiple keys found"),
    Rule("first-record", "dkimpy mail-dkim", RFC + "6.1.2 (4)",
         "they look at one of several records only",
         lambda about: "good-record-second" in about.marks),
    Rule("space-behind-b", "opendkim", RFC + "3.2",
         "white space may stand between a tag's name and the equals sign",
         lambda about: about.tag(b"b").spaces[1] != b""),
    Rule("names-like-b", "opendkim", RFC + "3.5, b=",
         "it empties a tag whose name ends in b, or begins with it",
         lambda about: any(
             re.search(rb"b\Z|\Abb", name) and name != b"b"
             for name in about.names_of_tags())),
    Rule("space-behind-b-value", "dkimpy", RFC + "3.5, b=",
         "the white space around the value of b= goes with it",
         lambda about: about.tag(b"b").spaces[3] != b""),
    Rule("b-first", "dkimpy", RFC + "3.2",
         "b= may begin the list with nothing before it",
         lambda about: about.names_of_tags()[0] == b"b"
         and about.tag(b"b").spaces[0] == b""),
    Rule("b-within-a-value", "dkimpy", RFC + "3.5, b=",
         "b= is a tag, and not those letters within the value of another",
         lambda about: re.search(rb"\sb=", about.signature.field[1])
         and "unknown:ab" in about.marks),
    Rule("field-ends-in-space", "dkimpy", RFC + "3.4.1",
         "simple changes nothing, the white space at the field's end neither",
         lambda about: about.signature.header_canon == "simple"
         and value_ends_in_space(about)),
    Rule("space-before-colon", "dkimpy", RFC + "3.4.2",
         "white space before the colon is part of the field and deleted by "
         "relaxed; it refuses the message",
         lambda about: "Unexpected characters" in about.result
         and header_has(about, rb"\A[^:]*[ \t]:")),
    Rule("mbox-from", "dkimpy", "RFC 5322 section 4.5",
         "\"From \" with a colon behind it is the field From; it takes it for "
         "the line that separates messages in a mailbox file",
         lambda about: header_has(about, rb"\AFrom ")),
    Rule("space-before-colon-tab", "opendkim", RFC + "3.4.2",
         "white space before the colon is part of the field, more than one "
         "octet of it and TAB, too",
         lambda about: header_has(about, rb"\A[^:]*[ \t]:")),
    Rule("own-field-space", "mail-dkim", RFC + "3.4.2",
         "nor does it know its own field by its name then",
         lambda about: about.signature.field[0][-1:] in b" \t"),
    Rule("query-methods", "dkimpy mail-dkim", RFC + "3.5, q=",
         "q= is a list, with white space around the colons, of which one "
         "method is enough",
         lambda about: "query-methods" in about.marks),
    Rule("quoted-identity", "opendkim dkimpy", RFC + "3.5, i=",
         "i= is dkim-quoted-printable, and its domain is read decoded",
         lambda about: "subdomain" in about.result
         and about.tag(b"i") is not None
         and b"=40" in about.tag(b"i").value),
    Rule("identity-space", "mail-dkim", RFC + "2.11; 3.5, i=",
         "the white space in dkim-quoted-printable says nothing",
         lambda about: "identity-space" in about.marks
         and "subdomains" in about.result),
    Rule("key-services", "dkimpy mail-dkim", RFC + "3.6.1, s=",
         "s= is a list, with white space around the colons",
         lambda about: "key-services" in about.marks),
    Rule("key-hashes", "mail-dkim", RFC + "3.6.1, h=",
         "h= is a list with white space around the colons",
         lambda about: "key-hashes" in about.marks
         and "hash algorithm" in about.result),
    Rule("retired-key-tag", "mail-dkim", RFC + "3.6.1",
         "g= is a tag of RFC 4871: unknown tags are ignored",
         lambda about: "retired-tag" in about.marks
         and "granularity" in about.result),
    Rule("own-field-chosen", "opendkim dkimpy mail-dkim",
         RFC + "3.5, h=",
         "the signature that is verified is not among the fields that its h= "
         "covers, not where DKIM-Signature stands in it, either",
         lambda about: about.chooses_itself()),
    Rule("no-from", "opendkim", RFC + "6.1.1",
         "a message without From, or with several, is no reason to say "
         "nothing of its signatures",
         lambda about: about.result == "left out: Syntax error"
         and about.count(b"From")[0] != 1),
    Rule("8-bit-note", "opendkim", "RFC 8616 section 5",
         "octets beyond ASCII in a tag that says nothing to a verifier",
         lambda about: about.key_tag(b"n") is not None
         and max(about.key_tag(b"n").value, default=0) > 127
         and about.result == "key DNS reply corrupt"),
    Rule("lone-lf", "dkimpy", RFC + "2.8",
         "only CRLF ends a line; it makes one of a lone LF",
         lambda about: lone_cr_or_lf(about.case.body)),
    Rule("lone-cr-lf-body", "opendkim mail-dkim", RFC + "3.4.3, 3.4.4",
         "a lone CR or LF is an octet as any other",
         lambda about: lone_cr_or_lf(about.case.body)),
    Rule("lone-cr-header", "opendkim dkimpy mail-dkim", RFC + "3.4.2",
         "a lone CR is an octet as any other, and no white space",
         lambda about: signed_has(about, rb"\r(?!\n)")),
    Rule("l-is-0", "mail-dkim", RFC + "3.5, l=",
         "l=0 signs no body; it takes it for no l=",
         lambda about: about.tag(b"l") is not None
         and about.tag(b"l").value.strip(b"0") == b""),
    Rule("last-line-space", "opendkim dkimpy mail-dkim", RFC + "3.4.4 (a)",
         "white space at the end of the last line goes, too, where no CRLF "
         "ends that line",
         lambda about: about.signature.body_canon == "relaxed"
         and re.search(rb"[ \t]\Z", about.case.body) is not None),
    Rule("last-line-end", "opendkim mail-dkim", RFC + "3.4.3, 3.4.4",
         "a CRLF is added to a body that does not end in one",
         body_without_line_end),
    Rule("nul", "opendkim", RFC + "3.4",
         "NUL is an octet as any other; it ends there",
         lambda about: header_has(about, rb"\0")
         or b"\0" in about.case.body),
)

# The same for what does not match.
PASSES = (
    Rule("lone-lf-passes", "opendkim dkimpy", RFC + "2.8",
         "a line end that became a lone LF on the way is a change",
         lambda about: about.verdict.reason == "body_hash"
         and lone_cr_or_lf(about.case.body)),
    Rule("space-hides-name", "opendkim", RFC + "3.4.2, 5.4.2",
         "a field that h= chooses is one of that name with white space before "
         "the colon, too; added on the way, it is a change",
         lambda about: about.verdict.reason == "signature"
         and any(name[-1:] in b" \t" for name, _ in about.signed_fields())),
    Rule("l-beyond-body", "dkimpy", RFC + "3.5, l=",
         "l= must not be more than the octets of the body",
         lambda about: about.verdict.reason == "body_short"),
    Rule("last-cr-passes", "opendkim", RFC + "3.4.3, 3.4.4",
         "a line end cut between CR and LF is a change",
         lambda about: about.verdict.reason == "body_hash"
         and about.case.body.endswith(b"\r")),
)

# What peers pass, by the reason that Signpost gives for not passing it, which
# the oracle gives, too: "all", or those who were seen to.
ACCEPTS = (
    # Not parsed: the word is neutral (RFC 8601 section 2.7.1).
    ("tags", "all", RFC + "3.2",
     "the list is not one of tags: names of letters, digits and _, values of "
     "printable characters, nothing empty, as many as there are tags for"),
    ("tag_repeated", "opendkim mail-dkim", RFC + "3.2",
     "tags with duplicate names make the whole list invalid"),
    ("tag_missing", "mail-dkim", RFC + "6.1.1",
     "a required tag is missing; it takes a signature without bh= for one that "
     "signs no body"),
    ("version", "mail-dkim", RFC + "3.5, v=",
     "v= is 1; it takes an empty one and that of a draft, 0.5"),
    ("algorithm", "opendkim mail-dkim", RFC + "3.2",
     "values are case-sensitive"),
    ("canonicalization", "opendkim mail-dkim", RFC + "3.5, c=; 3.2",
     "c= names algorithms, case-sensitive, without white space, not empty"),
    ("query", "opendkim mail-dkim", RFC + "3.5, q=",
     "no item of the list is empty"),
    ("from_unsigned", "dkimpy mail-dkim", RFC + "5.4, 6.1.1",
     "From must be signed"),
    ("signed_headers", "all", RFC + "3.5, h=",
     "h= is a list of field names, none of them empty"),
    ("domain", "all", RFC + "3.5, d=", "d= is a domain"),
    ("selector", "all", RFC + "3.5, s=", "s= is a selector"),
    ("identity", "all", RFC + "3.5, i=; 6.1.1",
     "i= is an address within d="),
    ("times", "all", RFC + "3.5, t=, x=",
     "a time has 12 digits at most, and x= is after t="),
    ("length", "opendkim mail-dkim", RFC + "3.5, l=",
     "l= is a number of 76 digits at most"),
    ("base64", "opendkim mail-dkim", RFC + "2.10, 3.5",
     "b= and bh= are base64 with its padding, and white space, and nothing "
     "else, and not empty"),
    # The key does not serve: permerror.
    ("key_syntax", "all", RFC + "3.6.1, 6.1.2 (6)",
     "the record is not a list of tags with v= first, or p= not base64 of one "
     "key of the type that k= says, with nothing behind it"),
    ("key_version", "opendkim mail-dkim", RFC + "3.6.1, v=",
     "v= is DKIM1 to the octet, not empty"),
    ("key_type", "opendkim mail-dkim", RFC + "3.6.1, k=; 3.2",
     "values are case-sensitive, and an empty one is no type"),
    ("key_hash", "all", RFC + "3.6.1, h=; 6.1.2 (6)",
     "the key is not for this hash algorithm; values are case-sensitive"),
    ("key_service", "opendkim mail-dkim", RFC + "3.6.1, s=; 3.2",
     "the key is not for mail; values are case-sensitive"),
    ("key_strict", "dkimpy mail-dkim", RFC + "3.6.1, t=s",
     "the domain of i= is that of d= then; they ignore it, or the white space "
     "in the list"),
    # What the verifier may decide for itself: policy.
    ("sha1", "all", "RFC 8301 section 3.1", "rsa-sha1 must not be verified"),
    ("key_small", "all", "RFC 8301 section 3.2",
     "keys of less than 1024 bits must not be"),
    ("key_large", "all", "RFC 8301 section 3.2",
     "what is more than 4096 bits need not be; the limit is a setting"),
    ("expired", "all", RFC + "3.5, x=",
     "it may be held invalid; to the second, and not with some slack"),
    ("too_old", "all", RFC + "6.1.1, 8.6", "a setting"),
    ("future", "all", RFC + "3.5, t=", "it may be ignored; a setting"),
    ("too_many", "all", RFC + "8.4", "a setting"),
    ("from_extra", "all", RFC + "3.8, 8.15",
     "h= covers fewer From than the message has, and who reads it may be shown "
     "another one"),
    ("unsigned_body", "all", RFC + "8.2",
     "what stands beyond l= is anyone's; a setting"),
)

def not_compared(peer, signature, result):
    """Why RESULT says nothing of the signature; None if it does."""
    if result.startswith("crash: "):
        return result
    if result == "ambiguous":
        return result
    if peer == "mail-dkim" and "unsupported algorithm ed25519" in result:
        return "no Ed25519"
    return None


def described(rule):
    return rule.name, rule.section, rule.why


def find(peer, case, signature, verdict, result):
    """The rule that decides the disagreement, or None."""
    about = About(case, signature, verdict, result)
    if verdict.passes():
        for rule in REFUSES:
            if peer in rule.peers.split() and rule.applies(about):
                return rule
        return None
    for rule in PASSES:
        if peer in rule.peers.split() and rule.applies(about):
            return rule
    for reason, peers, section, why in ACCEPTS:
        if verdict.reason == reason and (
                peers == "all" or peer in peers.split()):
            return Rule("accepts " + reason, peers, section, why, None)
    return None
