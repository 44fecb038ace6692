/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * utf8 - whether octets are UTF-8 (RFC 3629)
 */
#ifndef UTF8_H
#define UTF8_H

#include "bytes.h"

/* How many octets at the front of TEXT, which is not empty, are one character;
 * 0 where they are none: overlong forms, surrogates, beyond U+10FFFF or cut
 * off. */
size_t utf8_character_len(struct bytes text);

#endif
