/* SPDX-License-Identifier: BSD-2-Clause */
#include "config_check.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>

#include "address.h"
#include "config_names.h"
#include "config_reply.h"

/* The whole of TEXT as a number of at most MAX; false where it is none. */
static bool
number(const char *text, unsigned max, unsigned *value_r)
{
	unsigned value = 0;

	if (*text == '\0' || strlen(text) > 9)
		return false;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (unsigned)(*text - '0');
	}
	*value_r = value;
	return value <= max;
}

static bool
is_port(const char *text)
{
	unsigned port;

	return number(text, 65535, &port) && port > 0;
}

/* An address without brackets, of either family. */
static bool
is_address(const char *text, size_t len)
{
	char copy[INET6_ADDRSTRLEN];
	struct in6_addr any;

	if (len >= sizeof copy)
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return inet_pton(AF_INET, copy, &any) == 1 ||
	    inet_pton(AF_INET6, copy, &any) == 1;
}

static const char *
check_socket_path(const char *path)
{
	if (path[0] != '/')
		return "the socket's path must begin with a /";
	if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
		return "the socket's path is too long: 107 octets at most";
	return NULL;
}

const char *
check_listen(const char *value)
{
	static const char form[] =
	    "must be \"inet:PORT@ADDRESS\", \"inet6:PORT@ADDRESS\" or "
	    "\"unix:/PATH\"";
	char port[8];
	const char *rest, *at;

	if (strncmp(value, "unix:", 5) == 0 || strncmp(value, "local:", 6) == 0)
		return check_socket_path(strchr(value, ':') + 1);
	if (strncmp(value, "inet:", 5) != 0 && strncmp(value, "inet6:", 6) != 0)
		return form;
	rest = strchr(value, ':') + 1;
	at = strchr(rest, '@');
	if (at == NULL)
		return "must name the address to listen on: "
		       "\"inet:PORT@127.0.0.1\"";
	if (at[1] == '\0' || (size_t)(at - rest) >= sizeof port)
		return form;
	memcpy(port, rest, (size_t)(at - rest));
	port[at - rest] = '\0';
	return is_port(port) ? NULL : "the port must be from 1 to 65535";
}

const char *
check_unix(const char *value)
{
	if (value[0] == '\0')
		return NULL;
	if (strncmp(value, "unix:", 5) != 0)
		return "must be \"unix:/PATH\", or \"\" for none";
	return check_socket_path(value + 5);
}

const char *
check_http(const char *value)
{
	static const char form[] =
	    "must be \"ADDRESS:PORT\" such as \"127.0.0.1:8892\" or "
	    "\"[::1]:8892\", or \"\" for none";
	const char *colon = strrchr(value, ':');
	const char *address = value, *end = colon;

	if (value[0] == '\0')
		return NULL;
	if (colon == NULL || !is_port(colon + 1))
		return form;
	if (*address == '[') {
		address++;
		end--;
		if (end < address || *end != ']')
			return form;
	} else if (memchr(address, ':', (size_t)(end - address)) != NULL) {
		return form;
	}
	return is_address(address, (size_t)(end - address)) ? NULL : form;
}

const char *
check_server(const char *value)
{
	const char *at = strchr(value, '@');
	size_t len = at == NULL ? strlen(value) : (size_t)(at - value);

	if (!is_address(value, len) || (at != NULL && !is_port(at + 1)))
		return "must be \"ADDRESS\" or \"ADDRESS@PORT\", the address "
		       "in numbers";
	return NULL;
}

const char *
check_path(const char *value)
{
	return value[0] == '/' ? NULL : "must be a path that begins with a /";
}

const char *
check_optional_path(const char *value)
{
	return value[0] == '\0' ? NULL : check_path(value);
}

const char *
check_log_to(const char *value)
{
	if (value[0] == '\0' || strcmp(value, "syslog") == 0 ||
	    strcmp(value, "stderr") == 0 || value[0] == '/' ||
	    strncmp(value, "file:/", 6) == 0)
		return NULL;
	return "must be \"syslog\", \"stderr\" or \"file:/PATH\"";
}

const char *
check_not_empty(const char *value)
{
	return value[0] == '\0' ? "must not be empty" : NULL;
}

/* RFC 8601 section 2.2: an authserv-id is a value of RFC 2045. Ours is a
 * domain in practice, and kept to what needs no quotes. */
const char *
check_authserv_id(const char *value)
{
	size_t len = strlen(value), i;

	if (len > DOMAIN_MAX_BYTES)
		return "is longer than 253 octets";
	for (i = 0; i < len; i++)
		if ((unsigned char)value[i] <= ' ' || value[i] == '\x7f' ||
		    strchr("()<>@,;:\\\"/[]?=", value[i]) != NULL)
			return "must be a name such as \"mx.example.org\"";
	return NULL;
}

/* RFC 5322 section 3.6.8: ftext. A semicolon can't stand in h= (RFC 6376
 * section 3.5: hdr-name). */
const char *
check_header(const char *value)
{
	size_t i;

	value = config_names_bare(value);
	if (value[0] == '\0')
		return "a header field's name must not be empty";
	for (i = 0; value[i] != '\0'; i++) {
		if (value[i] == ':')
			return "one name to a string: [ \"From\", \"To\" ]";
		if (value[i] <= ' ' || value[i] > '~' || value[i] == ';')
			return "not the name of a header field";
	}
	return NULL;
}

const char *
check_signed_header(const char *value)
{
	if (value[0] == '-' && bytes_is_nocase(bytes_str("From"), value + 1))
		return "From is always signed (RFC 6376 section 5.4)";
	return check_header(value);
}

const char *
check_domain(const char *value)
{
	char ascii[DOMAIN_SIZE];

	return domain_to_ascii(bytes_str(value), ascii) ? NULL : "not a domain";
}

/* RFC 6376 section 3.1: labels joined by dots, as a domain's. */
const char *
check_selector(const char *value)
{
	return check_domain(value) == NULL ? NULL : "not a selector";
}

/* RFC 6376 section 3.5, i=: [local part] "@" domain. */
const char *
check_identity(const char *value)
{
	const char *at = strrchr(value, '@');

	if (value[0] == '\0')
		return NULL;
	if (at == NULL || check_domain(at + 1) != NULL)
		return "must be \"USER@DOMAIN\", \"@DOMAIN\", or \"\" for "
		       "none";
	return NULL;
}

/* It becomes a field of its own: nothing that would need quotes. */
const char *
check_reporter(const char *value)
{
	const char *at = strchr(value, '@');

	if (value[0] == '\0')
		return NULL;
	if (at == NULL || at == value || check_domain(at + 1) != NULL ||
	    strspn(value,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789.+-_=") != (size_t)(at - value))
		return "must be \"USER@DOMAIN\", or \"\" for postmaster on "
		       "this host";
	return NULL;
}

const char *
check_key_store(const char *value)
{
	if (strcmp(value, "directory") == 0)
		return NULL;
	return "this build has no such key store: its key stores are "
	       "\"directory\"";
}

const char *
check_reply(const char *value)
{
	struct config_reply reply;

	return value[0] == '\0' ? NULL : config_reply_read(value, &reply);
}

/* Whether all bits of ADDRESS behind the first BITS are 0. */
static bool
is_clear_behind(const struct in6_addr *address, unsigned bits)
{
	unsigned i;

	for (i = bits; i < 128; i++)
		if ((address->s6_addr[i / 8] >> (7 - i % 8)) & 1)
			return false;
	return true;
}

const char *
check_network(const char *value, struct config_network *network_r)
{
	const char *slash = strchr(value, '/');
	size_t len = slash == NULL ? strlen(value) : (size_t)(slash - value);
	char text[INET6_ADDRSTRLEN];
	struct in_addr four;
	unsigned bits, most = 128;

	if (len >= sizeof text)
		return "not a network";
	memcpy(text, value, len);
	text[len] = '\0';
	memset(network_r, 0, sizeof *network_r);
	if (inet_pton(AF_INET, text, &four) == 1) {
		most = 32;
		network_r->address.s6_addr[10] = 0xff;
		network_r->address.s6_addr[11] = 0xff;
		memcpy(network_r->address.s6_addr + 12, &four, 4);
	} else if (inet_pton(AF_INET6, text, &network_r->address) != 1) {
		return "not a network: write \"192.0.2.0/24\", "
		       "\"2001:db8::/32\" or an address";
	}
	bits = most;
	if (slash != NULL && !number(slash + 1, most, &bits))
		return most == 32 ? "what follows the / must be from 0 to 32"
				  : "what follows the / must be from 0 to 128";
	network_r->bits = bits + (128 - most);
	if (!is_clear_behind(&network_r->address, network_r->bits))
		return "there are bits set behind the prefix: a network's "
		       "address ends in zeros";
	return NULL;
}
