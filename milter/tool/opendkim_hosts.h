/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim_hosts - InternalHosts, MTA, MacroList and PeerList: whose mail is
 * signed, and whose is not
 *
 * Of OpenDKIM's rows the most precise counts, and one with "!" before it takes
 * hosts out; Signpost's lists have networks that are in. So where something is
 * taken out the networks around it are written.
 */
#ifndef OPENDKIM_HOSTS_H
#define OPENDKIM_HOSTS_H

#include "opendkim_conf.h"

/* Appends trusted_networks and trusted_daemons. */
void opendkim_hosts_trusted(const struct opendkim_conf *conf, struct buf *out);
/* Appends exempt_clients where there are such. */
void opendkim_hosts_exempt(const struct opendkim_conf *conf, struct buf *out);

#endif
