/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status_page - the page for people at / of the status server
 *
 * status_page.sh makes it at build time of status_page.html, .css and .js. It
 * stands alone: one answer has all of it, and it asks nobody but the daemon
 * for figures (/status, /keys, /history, each second).
 */
#ifndef STATUS_PAGE_H
#define STATUS_PAGE_H

const char *status_page_text(void);
/* Its Content-Security-Policy: the script and the style in it, by their
 * hashes, the daemon's own figures, and nothing else. */
const char *status_page_policy(void);

#endif
