/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of config.h that finds an address in networks. */
#include <string.h>

#include "config.h"

/* ADDRESS as IPv6, an IPv4 one mapped (RFC 4291 section 2.5.5.2). */
static bool
to_ipv6(const struct sockaddr *address, struct in6_addr *out_r)
{
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	if (address == NULL)
		return false;
	if (address->sa_family == AF_INET6) {
		memcpy(&six, address, sizeof six);
		*out_r = six.sin6_addr;
		return true;
	}
	if (address->sa_family != AF_INET)
		return false;
	memcpy(&four, address, sizeof four);
	memset(out_r, 0, sizeof *out_r);
	out_r->s6_addr[10] = 0xff;
	out_r->s6_addr[11] = 0xff;
	memcpy(out_r->s6_addr + 12, &four.sin_addr, 4);
	return true;
}

static bool
begins_with(const struct in6_addr *address, const struct in6_addr *network,
    unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(address->s6_addr, network->s6_addr, whole) != 0)
		return false;
	return rest == 0 ||
	    ((address->s6_addr[whole] ^ network->s6_addr[whole]) >>
		(8 - rest)) == 0;
}

/* "::/0" is about IPv6: it does not take in all of IPv4. */
static bool
is_in(const struct in6_addr *address, const struct config_network *network)
{
	if (IN6_IS_ADDR_V4MAPPED(address) && network->bits < 96)
		return false;
	return begins_with(address, &network->address, network->bits);
}

bool
config_network_within(
    const struct config_network *inner, const struct config_network *outer)
{
	return inner->bits >= outer->bits && is_in(&inner->address, outer);
}

bool
config_in_networks(
    const struct config_networks *networks, const struct sockaddr *address)
{
	struct in6_addr ipv6;
	size_t i;

	if (!to_ipv6(address, &ipv6))
		return false;
	for (i = 0; i < networks->count; i++)
		if (is_in(&ipv6, &networks->items[i]))
			return true;
	return false;
}
