/* SPDX-License-Identifier: BSD-2-Clause */
#include "mail_date.h"

#include <stdio.h>
#include <time.h>

static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri",
	"Sat" };
static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
	"Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

void
mail_date(int64_t seconds, char text_r[MAIL_DATE_SIZE])
{
	time_t time = (time_t)seconds;
	struct tm tm = { 0 };

	gmtime_r(&time, &tm);
	snprintf(text_r, MAIL_DATE_SIZE, "%s, %02d %s %d %02d:%02d:%02d +0000",
	    days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900,
	    tm.tm_hour, tm.tm_min, tm.tm_sec);
}
