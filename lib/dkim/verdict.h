/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict - what becomes of a signature, in the words of RFC 8601
 *
 * One table holds every reason with the result that it gives, its token for
 * logs and metrics and its text for people. The public functions of signpost.h
 * that turn enums to words are this module's, too.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "signature.h"

/* The result that REASON gives; SIGNPOST_REASON_NONE gives SIGNPOST_PASS. */
enum signpost_result verdict_result(enum signpost_reason reason);
/* Sets result and reason together. */
void verdict_set(struct signpost_verdict *verdict, enum signpost_reason reason);
/* What TEXT, which has to outlive VERDICT, tells of the signature. */
void verdict_describe(
    struct signpost_verdict *verdict, const struct signature_text *text);

#endif
