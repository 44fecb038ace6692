/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_text - octets that a message chose as a JSON string
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>

#include "bytes.h"

/* TEXT as a JSON string, with U+FFFD for each octet that is not UTF-8. NULL:
 * out of memory. */
json_t *json_text(struct bytes text);

#endif
