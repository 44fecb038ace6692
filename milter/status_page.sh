#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints status_page.c: the page made of status_page.html, .css and .js in the
# folder named, and the policy that lets a browser run that script and no other.
set -eu
folder=$1

# source_hash FILE: as a Content-Security-Policy names it.
source_hash() {
	octets=$(sha256sum <"$folder/$1" | awk '{
		for (i = 1; i <= 64; i += 2)
			printf "\\%03o", 16 * digit(i) + digit(i + 1)
	}
	function digit(i) {
		return index("0123456789abcdef", substr($0, i, 1)) - 1
	}')
	echo "'sha256-$(printf "$octets" | base64)'"
}

page() {
	while IFS= read -r line; do
		case $line in
		"<style></style>")
			printf '<style>'
			cat "$folder/status_page.css"
			echo '</style>'
			;;
		"<script></script>")
			printf '<script>'
			cat "$folder/status_page.js"
			echo '</script>'
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$folder/status_page.html"
}

policy="default-src 'none'; connect-src 'self'; img-src data:"
policy="$policy; script-src $(source_hash status_page.js)"
policy="$policy; style-src $(source_hash status_page.css)"
policy="$policy; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

cat <<END
/* Made by status_page.sh: change the files that it reads. */
#include "status_page.h"

const char *
status_page_text(void)
{
	static const char text[] = {
$(page | od -An -v -td1 | sed 's/\(-*[0-9][0-9]*\)/\1,/g')
0 };

	return text;
}

const char *
status_page_policy(void)
{
	return "$policy";
}
END
