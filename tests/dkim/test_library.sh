#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The public header, the exports of the shared library and the manual page name
# the same functions.
set -eu
header=$top_srcdir/lib/signpost.h
page=$top_srcdir/lib/signpost.3
library=$top_builddir/lib/.libs/libsignpost.so

[ -e "$library" ] || { echo "no shared library was built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
grep -o '^[a-z].*signpost_[a-z_]*(' "$header" |
    sed 's/.*[ *]\(signpost_[a-z_]*\)($/\1/' | sort -u >"$folder/declared"
nm -D --defined-only "$library" | sed 's/.* //' | sort -u >"$folder/exported"
sed -n 's/^\.F[no] \(signpost_[a-z_]*\).*/\1/p' "$page" | sort -u \
    >"$folder/documented"
# More than the list could lose by a change of the header's style.
[ "$(wc -l <"$folder/declared")" -ge 40 ]
diff "$folder/declared" "$folder/exported"
diff "$folder/declared" "$folder/documented"
