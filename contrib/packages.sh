# SPDX-License-Identifier: BSD-2-Clause
# Read by contrib/try and contrib/check, which set contrib and top: installs
# groups of contrib/packages, and builds trees outside the sources.

# What to put before a command that needs root; empty for root.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		:
	elif command -v sudo >/dev/null; then
		echo sudo
	else
		echo "This needs root and there is no sudo: run it as root." >&2
		return 1
	fi
}

# The packages of the groups named that are not installed.
missing_packages() {
	for group; do
		sed -n "s/^$group	//p" "$contrib/packages"
	done | tr ' ' '\n' | sort -u | while read -r package; do
		case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" \
		    2>/dev/null) in
		ii*) ;;
		*) echo "$package" ;;
		esac
	done
}

# Says what is to be installed, and installs it.
install_packages() {
	missing=$(missing_packages "$@" | tr '\n' ' ')
	[ -n "$missing" ] || return 0
	echo "Installing by apt: $missing"
	sudo=$(as_root) || return 1
	apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y
	    -o DPkg::Lock::Timeout=300 --no-install-recommends"
	apt_log=$(mktemp)
	logged "$apt_log" sh -c "$(echo $apt) update &&
	    $(echo $apt) install $missing" && rm -f "$apt_log"
}

# logged LOG COMMAND...: its output goes to LOG; on failure, the end is shown.
logged() {
	log=$1
	shift
	if "$@" >"$log" 2>&1 </dev/null; then
		return 0
	fi
	tail -40 "$log" >&2
	echo "Failed: $* (all of it: $log)" >&2
	return 1
}

# build_tree DIR "CONFIGURE ARGUMENTS" "MAKE ARGUMENTS": builds, or builds
# what has changed.
build_tree() {
	mkdir -p "$1"
	if [ ! -x "$top/configure" ] ||
	    [ "$top/configure.ac" -nt "$top/configure" ]; then
		echo "Making configure"
		logged "$1/bootstrap.log" "$top/bootstrap" || return 1
	fi
	echo "Building in ${1#"$top/"}"
	if [ ! -f "$1/config.status" ]; then
		(cd "$1" && eval "logged configure.log \"\$top/configure\" $2") ||
		    return 1
	fi
	logged "$1/make.log" make -C "$1" -j"$(nproc)" $3
}
