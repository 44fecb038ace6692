# SPDX-License-Identifier: BSD-2-Clause
"""Configurations of OpenDKIM as guides and appliances write them, and odd ones.

Each is opendkim.conf, its tables, and the exit code of an import: 0 where
nothing is lost, 1 where something has no equivalent. {dir} is the folder of the
tables, keys are a.pem, b.pem and c.pem in it. Socket, UserID and the like are
added.
"""
GUIDE = """
AutoRestart Yes
AutoRestartRate 10/1h
UMask 002
Syslog yes
SyslogSuccess Yes
LogWhy Yes
Canonicalization relaxed/simple
Mode sv
PidFile /run/opendkim/opendkim.pid
SignatureAlgorithm rsa-sha256
"""
REFILES = GUIDE + """
ExternalIgnoreList refile:{dir}/TrustedHosts
InternalHosts refile:{dir}/TrustedHosts
KeyTable refile:{dir}/KeyTable
SigningTable refile:{dir}/SigningTable
"""
SINGLE = """
Selector 2020
KeyFile {dir}/a.pem
"""
TABLES = """
KeyTable {dir}/KeyTable
SigningTable {dir}/SigningTable
"""
PATTERNS = """
KeyTable {dir}/KeyTable
SigningTable refile:{dir}/SigningTable
"""
KEYS = """
ka example.com:sa:{dir}/a.pem
kb example.org:sb:{dir}/b.pem
kc example.com:sc:{dir}/c.pem
"""


class Config:
    def __init__(self, name, conf, code=0, but=(), **tables):
        self.name = name
        self.conf = conf
        self.code = code
        self.but = but
        self.tables = tables


def patterns(name, signing, code=0, more="", keys=KEYS, but=()):
    return Config(name, PATTERNS + more, code, but, KeyTable=keys,
                  SigningTable=signing)


def table(name, signing, code=0, more="", keys=KEYS, but=()):
    return Config(name, TABLES + more, code, but, KeyTable=keys,
                  SigningTable=signing)


def single(name, conf, code=0, **tables):
    return Config(name, SINGLE + conf, code, **tables)


CONFIGS = [
    # The package's own opendkim.conf, its three lines filled in.
    single("debian", """
Syslog yes
SyslogSuccess yes
Canonicalization relaxed/simple
OversignHeaders From
Domain example.com
UMask 007
PidFile /run/opendkim/opendkim.pid
"""),
    single("ubuntu_with_trusted_hosts", GUIDE + """
Domain example.com
InternalHosts {dir}/TrustedHosts
ExternalIgnoreList {dir}/TrustedHosts
""", TrustedHosts="""
# who may send
127.0.0.1
::1
localhost
192.0.2.0/24
2001:db8::/32
"""),
    # A network with bits set behind its prefix, and client names.
    Config("guide_with_refiles", REFILES, 1, TrustedHosts="""
127.0.0.1
localhost
192.0.2.1/24
*.example.com
""", KeyTable="""
mail._domainkey.example.com example.com:mail:{dir}/a.pem
""", SigningTable="""
*@example.com mail._domainkey.example.com
"""),
    Config("guide_with_subdomains", GUIDE + PATTERNS + """
InternalHosts {dir}/trusted.hosts
ExternalIgnoreList {dir}/trusted.hosts
""", 0, **{"trusted.hosts": "127.0.0.1\nlocalhost\n10.*\n"}, KeyTable="""
default._domainkey.example.com     example.com:default:{dir}/a.pem
""", SigningTable="""
*@example.com     default._domainkey.example.com
*@*.example.com   default._domainkey.example.com
"""),
    # Of an appliance that has a row for each of its domains.
    Config("appliance_with_domains", REFILES + """
MinimumKeyBits 1024
OversignHeaders From
""", 0, TrustedHosts="127.0.0.1\n10.0.0.0/8\n", KeyTable="""
example.com example.com:mail:{dir}/a.pem
example.org example.org:mail:{dir}/a.pem
sub.example.com sub.example.com:mail:{dir}/a.pem
""", SigningTable="""
*@example.com example.com
*@example.org example.org
*@sub.example.com sub.example.com
"""),
    # Of a panel that lists its domains in a file.
    single("panel_with_domain_file", GUIDE + "Domain {dir}/dkim-domains.txt\n",
           **{"dkim-domains.txt": "example.com\nexample.org # a client's\n"}),
    Config("panel_with_plain_tables", GUIDE + TABLES, 0, KeyTable="""
dkim_example.com example.com:dkim123:{dir}/a.pem
dkim_example.org example.org:dkim456:{dir}/b.pem
""", SigningTable="""
example.com dkim_example.com
example.org dkim_example.org
"""),
    single("domains_in_a_list", "Domain example.com, example.org\n"),
    single("domains_in_csl", "Domain csl:example.com,sub.example.org\n"),
    single("domains_in_patterns", "Domain refile:{dir}/domains\n",
           domains="*.example.com\nexample.org\n"),
    single("every_domain", "Domain *\n"),
    single("subdomains", "Domain example.com\nSubDomains yes\n"),
    single("subdomains_of_several",
           "Domain example.com,sub.example.com,example.org\nSubDomains yes\n"),
    Config("tables_in_csl", """
KeyTable csl:ka=example.com:sa:{dir}/a.pem,kb=example.org:sb:{dir}/b.pem
SigningTable joe@example.com=kb,example.com=ka,.example.org=kb
"""),
    table("users_in_a_plain_table", """
joe@example.com kc
example.com ka
.example.com kb
"""),
    table("everyone_last", "example.com ka\n* kb\n"),
    # Only the narrowest counts, wherever it stands.
    table("everyone_first", "* kb\nexample.com ka\njoe@example.com kc\n"),
    table("wildcards_without_refile", "*@example.com ka\nexample.org kb\n"),
    table("the_first_of_two_rows", "example.com ka\nexample.com kb\n"),
    table("users_below_a_parent", "joe@.example.com ka\nexample.org kb\n", 1,
          but=["joe@sub.example.com"]),
    patterns("users", """
joe@example.com kc
*@example.com ka
*@example.org kb
"""),
    patterns("users_behind_their_domain", """
*@example.com ka
joe@example.com kc
*@example.org kb
"""),
    # field: E4
    patterns("everyone_before_all_others", """
*@* ka
*@example.org kb
"""),
    patterns("everyone_behind_all_others", """
*@sub.example.com kc
*@*.example.com kb
* ka
"""),
    patterns("the_nearest_parent", """
*@*.sub.example.com kc
*.example.com kb
"""),
    patterns("parents_in_the_other_order", """
*@*.example.com kb
*@*.sub.example.com kc
"""),
    patterns("a_domain_and_all_that_ends_so", "*example.com ka\n", 1,
             but=["joe@badexample.com"]),
    patterns("no_domain_in_a_refile",
             "example.com ka\n@example.org kb\n joe@example.org kb\n"
             "ann@example.com ka\n"),
    patterns("a_pattern_within_a_name", "j*@example.com ka\n"
             "*@example.org kb\n", 1,
             but=["joe@example.com", "Joe@EXAMPLE.com"]),
    # field: E6
    patterns("a_key_that_is_not_there", """
*@example.com nokey
*@* kb
""", 1),
    patterns("several_signatures", """
joe@example.com kc
*@example.com ka
*@*.example.com kc
*@*.sub.example.com kb
""", more="MultipleSignatures yes\n"),
    # OpenDKIM forgets those between the first and the last.
    patterns("three_signatures", """
joe@example.com kc
*@example.com ka
* kb
""", more="MultipleSignatures yes\n", but=["joe@example.com",
                                          "Joe@EXAMPLE.com"]),
    table("several_signatures_in_a_plain_table", """
joe@example.com kc
example.com ka
.sub.example.com ka
.example.com kc
.org kb
""", more="MultipleSignatures yes\n"),
    patterns("two_keys_for_one_domain", """
*@example.com ka
*@example.com kc
""", more="MultipleSignatures yes\n"),
    patterns("another_domain_signs", "*@example.org ka\n*@other.test kb\n"),
    patterns("an_identity", "*@example.com ka:@example.com\n"
             "*@example.org kb:news@%\n"),
    patterns("an_identity_elsewhere", "*@example.com ka:joe@other.test\n"),
    patterns("from_domain_signs", "* any\n", keys="any %:sa:{dir}/a.pem\n"),
    patterns("from_domain_signs_for_two", "*@example.com any\n*@*.org any\n",
             keys="any %:sa:{dir}/a.pem\n"),
    patterns("path_by_domain", "*@example.com any\n*@example.org any\n",
             keys="any %:sa:{dir}/%/mail.private\n",
             ),
    patterns("path_by_domain_for_all", "*@* any\n", 1,
             keys="any %:sa:{dir}/%/mail.private\n"),
    patterns("key_by_domain", "*@example.com %\n*@*.example.com %\n",
             keys="example.com example.com:sa:{dir}/a.pem\n"
                  "sub.example.com example.com:sb:{dir}/b.pem\n"),
    Config("keys_by_pattern", """
KeyTable refile:{dir}/KeyTable
SigningTable refile:{dir}/SigningTable
""", 0, KeyTable="k1* example.com:sa:{dir}/a.pem\n"
           "* example.com:sb:{dir}/b.pem\n",
           SigningTable="*@example.com k17\n*@example.org other\n"),
    # field: E5
    Config("key_file_beside_a_key_table", SINGLE + PATTERNS
           + "Domain example.net\n", 0, KeyTable=KEYS,
           SigningTable="*@example.com kc\n"),
    single("hosts_but_some", "Domain example.com\nInternalHosts {dir}/hosts\n",
           hosts="10.0.0.0/8\n!10.1.0.0/16\n10.1.2.0/24\n127.0.0.1\n"
                 "!2001:db8:1::/48\n2001:db8::/32\n"),
    single("hosts_by_octets", "Domain example.com\n"
           "InternalHosts refile:{dir}/hosts\n",
           hosts="192.0.2.*\n10.1.*.*\n!10.1.2.3\n127.*\n"),
    # field: E2
    single("all_hosts", "Domain example.com\n"
           "InternalHosts 0.0.0.0/0,::/0\n"),
    single("peers", "Domain example.com\nInternalHosts 10.0.0.0/8,127.0.0.1\n"
           "PeerList 10.1.0.0/16\nMode s\n"),
    single("peers_but_some", "Domain example.com\n"
           "InternalHosts 10.0.0.0/8,127.0.0.1\n"
           "PeerList 10.1.0.0/16,!10.1.2.3,203.0.113.9\n", 1),
    single("listeners", "Domain example.com\nMTA ORIGINATING,MSA\n"),
    single("listeners_by_macro", "Domain example.com\n"
           "MacroList daemon_name=ORIGINATING|OUT\n"),
    patterns("exempt_domains", "*@example.com ka\n*@* kb\n", 1,
             "ExemptDomains example.org,sub.example.com\n"),
    single("signs_only", "Domain example.com\nMode s\n"),
    single("verifies_only", "Domain example.com\nMode v\n"),
    single("included", "Include {dir}/more.conf\n",
           **{"more.conf": "Domain example.com\nSelector other\n"}),
    single("the_last_of_two", "Domain example.org\nDomain example.com\n"
           "Selector last # not that\n"),
    single("header_lists", "Domain example.com\n"
           "SignHeaders From,To,Subject,Date\nOmitHeaders To\n"
           "OversignHeaders From,Subject\nSignatureTTL 86400\n"),
]
