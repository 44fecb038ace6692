/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_conf.h"

#include <assert.h>

#define LDAP	   "tables in LDAP are not read: write them to files, and import"
#define LUA	   "there are no scripts: see mode, trusted_networks, domains, match"
#define REPUTATION "there is no reputation: leave that to a filter of its own"
#define VBR	   "Vouch By Reference (RFC 5518) is not spoken"
#define TEST	   "is for tests of OpenDKIM alone: leave it out"

/* Sorted as in opendkim.conf(5), what its build may leave out in between. */
static const struct opendkim_name names[] = {
	{ "AddAllSignatureResults", OPENDKIM_BOOLEAN, FATE_OLD, NULL },
	{ "ADSPAction", OPENDKIM_STRING, FATE_OLD, NULL },
	{ "ADSPNoSuchDomain", OPENDKIM_BOOLEAN, FATE_OLD, NULL },
	{ "AllowSHA1Only", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "AlwaysAddARHeader", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "ATPSDomains", OPENDKIM_STRING, FATE_LOST,
	    "authorized third-party signatures (RFC 6541) are not made: sign "
	    "by the author's domain" },
	{ "ATPSHashAlgorithm", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "AuthservID", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "AuthservIDWithJobID", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "the queue id is in the log, not in Authentication-Results" },
	{ "AutoRestart", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "AutoRestartCount", OPENDKIM_INTEGER, FATE_NONE, NULL },
	{ "AutoRestartRate", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "Background", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "BaseDirectory", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "BodyLengthDB", OPENDKIM_STRING, FATE_LOST,
	    "signatures of a part of the body (l=) are not made, as anybody "
	    "can add to such a body" },
	{ "BogusKey", OPENDKIM_STRING, FATE_LOST,
	    "a key record that DNSSEC proves forged has the result temperror: "
	    "see verify.on_temperror" },
	{ "BogusPolicy", OPENDKIM_STRING, FATE_OLD, NULL },
	{ "Canonicalization", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "CaptureUnknownErrors", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "a message that meets an error inside is put off, not "
	    "quarantined" },
	{ "ChangeRootDirectory", OPENDKIM_STRING, FATE_LOST,
	    "the daemon does not change its root: paths of keys have to be "
	    "those outside; confine it by its service unit" },
	{ "ClockDrift", OPENDKIM_INTEGER, FATE_TAKEN, NULL },
	{ "ConditionalSignatures", OPENDKIM_STRING, FATE_LOST,
	    "conditional signatures are not made" },
	{ "DefaultSender", OPENDKIM_STRING, FATE_LOST,
	    "a message without an author is not signed" },
	{ "Diagnostics", OPENDKIM_BOOLEAN, FATE_TAKEN, NULL },
	{ "DiagnosticDirectory", OPENDKIM_STRING, FATE_LOST,
	    "the log names the fields that changed, by z=" },
	{ "DisableADSP", OPENDKIM_BOOLEAN, FATE_OLD, NULL },
	{ "DisableCryptoInit", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "DNSConnect", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "DNS is asked over TCP only where an answer is too long for UDP" },
	{ "DNSTimeout", OPENDKIM_INTEGER, FATE_TAKEN, NULL },
	{ "Domain", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "DomainKeysCompat", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "key records of DomainKeys (RFC 4870) are not read as such" },
	{ "DontSignMailTo", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "EnableCoredumps", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "there are never core files, as private keys would be in them" },
	{ "ExemptDomains", OPENDKIM_STRING, FATE_TAKEN, NULL },
	/* Only keeps lines from the log that Signpost does not write. */
	{ "ExternalIgnoreList", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "FinalPolicyScript", OPENDKIM_STRING, FATE_LOST, LUA },
	{ "FixCRLF", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "a CR or LF that stands alone is signed as it is: see "
	    "sign.on_bare_line_end" },
	{ "FlowData", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "FlowDataFactor", OPENDKIM_INTEGER, FATE_NONE, NULL },
	{ "FlowDataTTL", OPENDKIM_INTEGER, FATE_NONE, NULL },
	{ "IdentityHeader", OPENDKIM_STRING, FATE_LOST,
	    "the identity (i=) comes from the configuration, not from a field "
	    "of the message: see domains and sign.identity" },
	{ "IdentityHeaderRemove", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "IgnoreMalformedMail", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "Include", OPENDKIM_INCLUDE, FATE_TAKEN, NULL },
	{ "InternalHosts", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "KeepAuthResults", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "Authentication-Results that others have added under our name are "
	    "removed as forged, but those of trusted_networks" },
	{ "KeepTemporaryFiles", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "messages are not written to files: see sign.diagnostics" },
	{ "KeyFile", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "KeyTable", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "LDAPAuthMechanism", OPENDKIM_STRING, FATE_LOST, LDAP },
	{ "LDAPAuthName", OPENDKIM_STRING, FATE_LOST, LDAP },
	{ "LDAPAuthRealm", OPENDKIM_STRING, FATE_LOST, LDAP },
	{ "LDAPAuthUser", OPENDKIM_STRING, FATE_LOST, LDAP },
	{ "LDAPBindPassword", OPENDKIM_STRING, FATE_LOST, LDAP },
	{ "LDAPBindUser", OPENDKIM_STRING, FATE_LOST, LDAP },
	{ "LDAPDisableCache", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "LDAPKeepaliveIdle", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "LDAPKeepaliveInterval", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "LDAPKeepaliveProbes", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "LDAPSoftStart", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "LDAPTimeout", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "LDAPUseTLS", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "LocalADSP", OPENDKIM_STRING, FATE_OLD, NULL },
	{ "LogResults", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "LogWhy", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "LuaOnlySigning", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON, LUA },
	{ "MacroList", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "MaximumHeaders", OPENDKIM_INTEGER, FATE_TAKEN, NULL },
	{ "MaximumSignaturesToVerify", OPENDKIM_INTEGER, FATE_TAKEN, NULL },
	{ "MaximumSignedBytes", OPENDKIM_INTEGER, FATE_LOST,
	    "the whole body is signed, as anybody can add to one that is "
	    "signed in part (l=)" },
	{ "MilterDebug", OPENDKIM_INTEGER, FATE_NONE, NULL },
	{ "Minimum", OPENDKIM_STRING, FATE_LOST,
	    "a signature of a part of the body (l=) has the result policy: see "
	    "verify.unsigned_body" },
	{ "MinimumKeyBits", OPENDKIM_INTEGER, FATE_TAKEN, NULL },
	{ "Mode", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "MTA", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "MTACommand", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "MultipleSignatures", OPENDKIM_BOOLEAN, FATE_TAKEN, NULL },
	{ "MustBeSigned", OPENDKIM_STRING, FATE_LOST,
	    "a signature must cover From and nothing else: see "
	    "verify.require_aligned_pass" },
	{ "Nameservers", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "NoDiscardableMailTo", OPENDKIM_STRING, FATE_OLD, NULL },
	{ "NoHeaderB", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "Authentication-Results always have header.b, which tells "
	    "signatures apart (RFC 6008)" },
	{ "OmitHeaders", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-BadSignature", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-Default", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-DNSError", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-InternalError", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-KeyNotFound", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-NoSignature", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-PolicyError", OPENDKIM_STRING, FATE_OLD, NULL },
	{ "On-ReputationError", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "On-Security", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "On-SignatureError", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "OversignHeaders", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "PeerList", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "PidFile", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "POPDBFile", OPENDKIM_STRING, FATE_LOST,
	    "POP before SMTP is not known: have clients authenticate" },
	{ "Quarantine", OPENDKIM_BOOLEAN, FATE_TAKEN, NULL },
	{ "QueryCache", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "RateLimits", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "RedirectFailuresTo", OPENDKIM_STRING, FATE_LOST,
	    "mail is not sent elsewhere: see verify.on_fail for quarantine" },
	{ "RemoveARAll", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "RemoveARFrom", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "RemoveOldSignatures", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "signatures that are there stay: have the MTA remove "
	    "DKIM-Signature before the milter" },
	{ "ReplaceHeaders", OPENDKIM_STRING, FATE_LOST,
	    "fields are signed as the milter sees them: rewrite addresses "
	    "before the milter" },
	{ "ReplaceRules", OPENDKIM_STRING, FATE_LOST,
	    "fields are signed as the milter sees them: rewrite addresses "
	    "before the milter" },
	{ "ReportAddress", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "ReportBccAddress", OPENDKIM_STRING, FATE_LOST,
	    "reports have no further recipients: reports.directory keeps a "
	    "copy of each instead" },
	{ "ReputationCache", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationCacheTTL", OPENDKIM_INTEGER, FATE_LOST, REPUTATION },
	{ "ReputationDuplicates", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationLimits", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationLimitModifiers", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationLowTime", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationMinimum", OPENDKIM_INTEGER, FATE_LOST, REPUTATION },
	{ "ReputationRatios", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationRRDHashDepth", OPENDKIM_INTEGER, FATE_LOST, REPUTATION },
	{ "ReputationRRDRoot", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationSpamCheck", OPENDKIM_STRING, FATE_LOST, REPUTATION },
	{ "ReputationTest", OPENDKIM_BOOLEAN, FATE_LOST, REPUTATION },
	{ "ReputationTimeFactor", OPENDKIM_INTEGER, FATE_LOST, REPUTATION },
	{ "ReputationTimeout", OPENDKIM_INTEGER, FATE_LOST, REPUTATION },
	{ "ReputationVerbose", OPENDKIM_BOOLEAN, FATE_LOST, REPUTATION },
	{ "RequestReports", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "signatures do not ask for reports (r=y); DMARC's record can" },
	{ "RequiredHeaders", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "a message with a wrong count of fields is not refused, and not "
	    "signed where From is not there once" },
	{ "RequireSafeKeys", OPENDKIM_BOOLEAN, FATE_TAKEN, NULL },
	{ "ResignAll", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "what is forwarded is not signed anew" },
	{ "ResignMailTo", OPENDKIM_STRING, FATE_LOST,
	    "what is forwarded is not signed anew" },
	{ "ResolverConfiguration", OPENDKIM_STRING, FATE_LOST,
	    "the resolver has no file of its own: see dns.servers, "
	    "dns.trust_anchor and dns.dnssec" },
	{ "ResolverTracing", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "ScreenPolicyScript", OPENDKIM_STRING, FATE_LOST, LUA },
	{ "SelectCanonicalizationHeader", OPENDKIM_STRING, FATE_LOST,
	    "no field of a message chooses how it is signed: see "
	    "canonicalization in domains" },
	{ "Selector", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "SendADSPReports", OPENDKIM_BOOLEAN, FATE_OLD, NULL },
	{ "SenderHeaders", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "SenderMacro", OPENDKIM_STRING, FATE_LOST,
	    "who signs is decided by From alone" },
	{ "SendReports", OPENDKIM_BOOLEAN, FATE_TAKEN, NULL },
	{ "SetupPolicyScript", OPENDKIM_STRING, FATE_LOST, LUA },
	{ "SignatureAlgorithm", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "SignatureTTL", OPENDKIM_INTEGER, FATE_TAKEN, NULL },
	{ "SignHeaders", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "SigningTable", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "SMTPURI", OPENDKIM_STRING, FATE_LOST,
	    "reports are handed to a program: see reports.sendmail" },
	{ "Socket", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "SoftStart", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "SoftwareHeader", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "no field with the program's name is added; "
	    "Authentication-Results and the log say what was done" },
	{ "Statistics", OPENDKIM_STRING, FATE_LOST,
	    "there is no such file: see the status server of signpostd(8)" },
	{ "StatisticsName", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "StatisticsPolicyScript", OPENDKIM_STRING, FATE_LOST, LUA },
	{ "StatisticsPrefix", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "StrictHeaders", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "a message with a wrong count of fields is worked on, and not "
	    "signed where From is not there once" },
	{ "StrictTestMode", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "SubDomains", OPENDKIM_BOOLEAN, FATE_TAKEN, NULL },
	{ "Syslog", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "SyslogFacility", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "SyslogName", OPENDKIM_STRING, FATE_LOST,
	    "lines in syslog begin with signpostd: see log" },
	{ "SyslogSuccess", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "TemporaryDirectory", OPENDKIM_STRING, FATE_NONE, NULL },
	{ "TestDNSData", OPENDKIM_STRING, FATE_LOST, TEST },
	{ "TestPublicKeys", OPENDKIM_STRING, FATE_LOST, TEST },
	{ "TrustAnchorFile", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "TrustSignaturesFrom", OPENDKIM_STRING, FATE_LOST,
	    "signatures of other domains are judged as any: see "
	    "verify.require_aligned_pass" },
	{ "UMask", OPENDKIM_INTEGER, FATE_TAKEN, NULL },
	{ "UnprotectedKey", OPENDKIM_STRING, FATE_LOST,
	    "keys whose records DNSSEC does not protect are taken as any" },
	{ "UnprotectedPolicy", OPENDKIM_STRING, FATE_OLD, NULL },
	{ "UserID", OPENDKIM_STRING, FATE_TAKEN, NULL },
	{ "VBR-Certifiers", OPENDKIM_STRING, FATE_LOST, VBR },
	{ "VBR-PurgeFields", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON, VBR },
	{ "VBR-TrustedCertifiers", OPENDKIM_STRING, FATE_LOST, VBR },
	{ "VBR-TrustedCertifiersOnly", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON, VBR },
	{ "VBR-Type", OPENDKIM_STRING, FATE_LOST, VBR },
	{ "WeakSyntaxChecks", OPENDKIM_BOOLEAN, FATE_NONE, NULL },
	{ "X-Header", OPENDKIM_BOOLEAN, FATE_LOST_IF_ON,
	    "no field with the program's name is added" },
};

const struct opendkim_name *
opendkim_name_get(size_t i)
{
	static_assert(sizeof(names) / sizeof(names[0]) <= OPENDKIM_MAX_NAMES,
	    "one value each");
	return i < sizeof(names) / sizeof(names[0]) ? &names[i] : NULL;
}

size_t
opendkim_name_find(struct bytes name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_is_nocase(name, names[i].name))
			return i;
	return OPENDKIM_MAX_NAMES;
}
