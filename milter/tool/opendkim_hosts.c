/* SPDX-License-Identifier: BSD-2-Clause */
#include "opendkim_hosts.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "config_check.h"
#include "config_text.h"
#include "opendkim_set.h"

enum {
	MAPPED_BITS = 96 /* before an IPv4 address in an IPv6 one */
};

/* A network that is in the list, or taken out of it. */
struct host_rule {
	struct config_network network;
	bool out; /* "!" */
};

struct hosts {
	const struct opendkim_conf *conf;
	struct host_rule *rules;
	size_t count;
	bool takes_out; /* a rule does */
	struct buf *out;
	bool wrote;
};

/* A row of a list while it is looked at. */
struct host_row {
	struct import_place place;
	const char *key;  /* as it stands there */
	const char *text; /* without "!" */
	bool out;
};

static void
add_rule(struct hosts *hosts, const struct host_row *row, const char *network)
{
	struct host_rule rule = { .out = row->out };

	if (check_network(network, &rule.network) != NULL ||
	    !import_grow(hosts->conf->import, &hosts->rules, hosts->count,
		sizeof(*hosts->rules)))
		return;
	hosts->rules[hosts->count++] = rule;
	hosts->takes_out |= row->out;
}

static void
network_text(const struct config_network *network, char out[64])
{
	char address[INET6_ADDRSTRLEN];
	unsigned bits = network->bits, most = 128;

	if (IN6_IS_ADDR_V4MAPPED(&network->address) && bits >= MAPPED_BITS) {
		inet_ntop(AF_INET, network->address.s6_addr + 12, address,
		    sizeof(address));
		bits -= MAPPED_BITS;
		most = 32;
	} else {
		inet_ntop(
		    AF_INET6, &network->address, address, sizeof(address));
	}
	if (bits == most)
		snprintf(out, 64, "%s", address);
	else
		snprintf(out, 64, "%s/%u", address, bits);
}

static void
say_name(struct hosts *hosts, const struct host_row *row)
{
	import_lost(hosts->conf->import, row->place,
	    "\"%s\": clients are known by their address here, as their names "
	    "are in the hands of others: write the addresses to "
	    "trusted_networks",
	    row->key);
}

static void
say_never(struct hosts *hosts, const struct host_row *row, const char *why)
{
	import_note(hosts->conf->import, row->place,
	    "\"%s\" never matches in OpenDKIM, as %s, and is left out; if it "
	    "is meant, write it right to trusted_networks",
	    row->key, why);
}

/* ADDRESS[/BITS], or [ADDRESS][/BITS]; false where it is none at all. */
static bool
take_network(struct hosts *hosts, const struct host_row *row)
{
	struct config_network network;
	char text[64], canonical[64];
	const char *end = strchr(row->text, ']');
	int written;

	if (row->text[0] == '[' && end != NULL)
		written = snprintf(text, sizeof(text), "%.*s%s",
		    (int)(end - row->text - 1), row->text + 1, end + 1);
	else
		written = snprintf(text, sizeof(text), "%s", row->text);
	if (written >= (int)sizeof(text) ||
	    text[strspn(text, "0123456789abcdefABCDEF:./")] != '\0' ||
	    (strchr(text, ':') == NULL &&
		text[strspn(text, "0123456789./")] != '\0'))
		return false;
	if (check_network(text, &network) != NULL) {
		say_never(
		    hosts, row, "it is no network whose address ends in zeros");
		return true;
	}
	network_text(&network, canonical);
	/* A bare address and one with all its bits are the same. */
	if (strncasecmp(canonical, text, strcspn(text, "/")) != 0) {
		say_never(
		    hosts, row, "the address is not in its shortest form");
		return true;
	}
	add_rule(hosts, row, text);
	return true;
}

/* "10.*", "192.168.*" or the like, as a network; false where it is not. */
static bool
take_octets(struct hosts *hosts, const struct host_row *row)
{
	const char *at = row->text, *end;
	char text[64] = "";
	unsigned octets = 0, used = 0;

	while (octets < 3 && (end = strchr(at, '.')) != NULL && end > at &&
	    at + strspn(at, "0123456789") == end && end - at <= 3) {
		used += (unsigned)snprintf(text + used, sizeof(text) - used,
		    "%.*s.", (int)(end - at), at);
		octets++;
		at = end + 1;
	}
	if (octets == 0 || at[0] != '*' || at[strspn(at, "*.")] != '\0')
		return false;
	for (unsigned i = octets; i < 4; i++)
		used += (unsigned)snprintf(
		    text + used, sizeof(text) - used, "0%s", i < 3 ? "." : "");
	snprintf(text + used, sizeof(text) - used, "/%u", octets * 8);
	add_rule(hosts, row, text);
	return true;
}

static void
take_pattern(struct hosts *hosts, const struct host_row *row)
{
	if (strcmp(row->text, "*") == 0) {
		add_rule(hosts, row, "0.0.0.0/0");
		add_rule(hosts, row, "::/0");
	} else if (!take_octets(hosts, row)) {
		say_name(hosts, row);
	}
}

static void
take_row(struct hosts *hosts, const struct opendkim_row *from, bool patterns)
{
	bool out = from->key[0] == '!';
	struct host_row row = { from->place, from->key, from->key + out, out };

	if (strcasecmp(row.text, "localhost") == 0) {
		add_rule(hosts, &row, "127.0.0.1");
		add_rule(hosts, &row, "::1");
	} else if (patterns && strchr(row.text, '*') != NULL) {
		take_pattern(hosts, &row);
	} else if (strchr(row.text, '*') != NULL) {
		say_never(hosts, &row, "this table is no refile");
	} else if (!take_network(hosts, &row)) {
		say_name(hosts, &row);
	}
}

static void
read_hosts(struct hosts *hosts, const struct opendkim_value *value)
{
	struct opendkim_set set;

	opendkim_set_read(hosts->conf, value, &set);
	for (size_t i = 0; i < set.count; i++)
		take_row(hosts, &set.rows[i], set.patterns);
	opendkim_set_fini(&set);
}

static void
write_network(struct hosts *hosts, const struct config_network *network)
{
	char text[64];

	network_text(network, text);
	buf_printf(hosts->out, "%s\"%s\"", hosts->wrote ? ", " : "", text);
	hosts->wrote = true;
}

static int
compare(const void *a, const void *b)
{
	const struct host_rule *x = a, *y = b;
	int order = memcmp(&x->network.address, &y->network.address,
	    sizeof(x->network.address));

	return order != 0 ? order
			  : (x->network.bits > y->network.bits) -
		(x->network.bits < y->network.bits);
}

/* What the rules from FIRST to END, all inside of NETWORK, leave of it, which
 * is IN from outside. */
static void
write_rest(struct hosts *hosts, size_t first, size_t end,
    struct config_network network, bool in)
{
	unsigned bit = network.bits;
	bool out = false;
	size_t middle;

	/* Those for the very network come first; "!" wins among them. */
	for (; first < end && hosts->rules[first].network.bits == network.bits;
	     first++) {
		out |= hosts->rules[first].out;
		in = !out;
	}
	if (first == end) {
		if (in)
			write_network(hosts, &network);
		return;
	}
	for (middle = first; middle < end; middle++)
		if (hosts->rules[middle].network.address.s6_addr[bit / 8] &
		    0x80 >> bit % 8)
			break;
	network.bits++;
	write_rest(hosts, first, middle, network, in);
	network.address.s6_addr[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
	write_rest(hosts, middle, end, network, in);
}

/* Whether ADDRESS is in NETWORK. */
static bool
holds(const struct config_network *network, const struct in6_addr *address)
{
	const unsigned char *a = network->address.s6_addr;
	const unsigned char *b = address->s6_addr;

	for (unsigned i = 0; i < network->bits; i++)
		if (((a[i / 8] ^ b[i / 8]) >> (7 - i % 8)) & 1)
			return false;
	return true;
}

/* In order, so that a network comes right behind those that it is in. */
static void
write_all(struct hosts *hosts)
{
	const struct config_network *last = NULL, *network;

	if (hosts->count > 0)
		qsort(
		    hosts->rules, hosts->count, sizeof(*hosts->rules), compare);
	if (hosts->takes_out) {
		write_rest(hosts, 0, hosts->count, (struct config_network){ 0 },
		    false);
		return;
	}
	for (size_t i = 0; i < hosts->count; i++) {
		network = &hosts->rules[i].network;
		/* ::/0 is of IPv6 only, for signpostd. */
		if (last != NULL && holds(last, &network->address) &&
		    (last->bits >= MAPPED_BITS ||
			!IN6_IS_ADDR_V4MAPPED(&network->address)))
			continue;
		write_network(hosts, network);
		last = network;
	}
}

/* Whether NETWORK holds 127.0.0.1, which OpenDKIM takes a message without a
 * client to be from. */
static bool
has_local(const struct config_network *network)
{
	static const struct in6_addr local = {
		.s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 }
	};

	return holds(network, &local);
}

/* What is trusted though no row says so, and the other way round. */
static void
say_surprises(struct hosts *hosts, const struct opendkim_value *internal)
{
	bool local = false;

	for (size_t i = 0; i < hosts->count; i++) {
		const struct host_rule *rule = &hosts->rules[i];
		const struct config_network *network = &rule->network;
		char text[64];

		local |= !rule->out && has_local(network);
		if (rule->out ||
		    (network->bits != 0 && network->bits != MAPPED_BITS))
			continue;
		network_text(network, text);
		import_note(hosts->conf->import, internal->place,
		    "%s: all clients are trusted: everybody's mail is signed "
		    "and nobody's is verified",
		    text);
	}
	if (!local)
		import_lost(hosts->conf->import, internal->place,
		    "127.0.0.1 is not in it, but mail that is submitted on the "
		    "machine without a client is signed all the same; behind "
		    "Postfix there is no such mail");
}

/* Adds what a MacroList says of listeners to the list that is open. */
static void
write_macros(struct hosts *hosts, const struct opendkim_value *value)
{
	struct opendkim_set set;
	struct bytes rest, part;

	opendkim_set_read(hosts->conf, value, &set);
	for (size_t i = 0; i < set.count; i++) {
		const struct opendkim_row *row = &set.rows[i];

		rest = bytes_str(row->value == NULL ? "" : row->value);
		/* Authenticated clients are trusted anyway. */
		if (row->value == NULL &&
		    (strcmp(row->key, "auth_type") == 0 ||
			strcmp(row->key, "auth_authen") == 0))
			continue;
		if (strcmp(row->key, "daemon_name") != 0 || rest.len == 0) {
			import_lost(hosts->conf->import, row->place,
			    "the macro \"%s\" is not looked at: give the MTA's "
			    "listener a name, and that to trusted_daemons",
			    row->key);
			continue;
		}
		while (bytes_next(&rest, '|', &part)) {
			buf_append_char(hosts->out, ' ');
			config_text_string(hosts->out,
			    import_keep(hosts->conf->import, bytes_trim(part)));
			buf_append_char(hosts->out, ',');
		}
	}
	opendkim_set_fini(&set);
}

/* Ours has a default, which OpenDKIM's lists have not. */
static void
write_daemons(struct hosts *hosts)
{
	const struct opendkim_value *mta =
	    opendkim_conf_get(hosts->conf, "MTA");
	const struct opendkim_value *macros =
	    opendkim_conf_get(hosts->conf, "MacroList");
	struct buf *out = hosts->out;
	struct opendkim_set set = { 0 };

	buf_append_str(out, "trusted_daemons = [");
	if (mta->text != NULL)
		opendkim_set_read(hosts->conf, mta, &set);
	for (size_t i = 0; i < set.count; i++) {
		buf_append_char(out, ' ');
		config_text_string(out, set.rows[i].key);
		buf_append_char(out, ',');
	}
	opendkim_set_fini(&set);
	if (macros->text != NULL)
		write_macros(hosts, macros);
	if (out->len > 0 && out->data[out->len - 1] == ',')
		buf_truncate(out, out->len - 1);
	buf_append_str(out, " ];\n");
}

void
opendkim_hosts_trusted(const struct opendkim_conf *conf, struct buf *out)
{
	const struct opendkim_value *internal =
	    opendkim_conf_get(conf, "InternalHosts");
	struct hosts hosts = { .conf = conf, .out = out };
	const struct host_row none = { .text = "" };

	if (internal->text != NULL) {
		read_hosts(&hosts, internal);
		say_surprises(&hosts, internal);
	} else {
		add_rule(&hosts, &none, "127.0.0.1");
		add_rule(&hosts, &none, "::1");
	}
	buf_append_str(out, "trusted_networks = [ ");
	write_all(&hosts);
	buf_append_str(out, " ];\n");
	write_daemons(&hosts);
	free(hosts.rules);
}

void
opendkim_hosts_exempt(const struct opendkim_conf *conf, struct buf *out)
{
	const struct opendkim_value *peers =
	    opendkim_conf_get(conf, "PeerList");
	struct hosts hosts = { .conf = conf, .out = out };

	if (peers->text == NULL)
		return;
	read_hosts(&hosts, peers);
	buf_append_str(out, "exempt_clients = [ ");
	write_all(&hosts);
	buf_append_str(out, " ];\n");
	free(hosts.rules);
}
