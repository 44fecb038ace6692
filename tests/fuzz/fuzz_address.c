/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses and domains: what is taken from a From or a path lies within what
 * was read, and a domain in ASCII stays as it is when it is brought into ASCII
 * again.
 */
#include "address.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

static void
check_domain(struct bytes domain)
{
	char ascii[DOMAIN_SIZE], again[DOMAIN_SIZE];

	if (!domain_to_ascii(domain, ascii))
		return;
	must(strlen(ascii) > 0 && strlen(ascii) <= DOMAIN_MAX_BYTES);
	must(strspn(ascii, "abcdefghijklmnopqrstuvwxyz0123456789-_.") ==
	    strlen(ascii));
	must(ascii[0] != '.' && strstr(ascii, "..") == NULL);
	must(domain_to_ascii(bytes_str(ascii), again));
	must(strcmp(ascii, again) == 0);
	must(domain_equal(domain, bytes_str(ascii)));
	must(domain_is_under(ascii, ascii));
}

static void
check_address(const struct address *address)
{
	must(address->local.len > 0 && address->domain.len > 0);
	must(memchr(address->domain.data, '@', address->domain.len) == NULL);
	check_domain(address->domain);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = bytes_of((const char *)data, size);
	struct address address;
	struct buf scratch;
	size_t count;

	buf_init(&scratch, SIZE_MAX);
	if (address_from_field(input, &scratch, &address, &count)) {
		must(count > 0);
		must(address.local.data >= scratch.data);
		must(address.domain.data + address.domain.len <=
		    scratch.data + scratch.len);
		check_address(&address);
	} else {
		must(count == 0);
	}
	buf_fini(&scratch);
	if (address_from_path(input, &address))
		check_address(&address);
	check_domain(input);
	return 0;
}
