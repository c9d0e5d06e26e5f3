#!/usr/bin/env bash
# Runs every fuzz target for a time or a number of inputs, those of two packages at once:
#
#   test/fuzz/run.sh 10s
#   test/fuzz/run.sh 300x ./p2p/wire ./schema
#
# Each package's test binary is built once; `go test -fuzz` would link it for every target. It has
# no debugger's tables, because a panic needs none. Each target has one worker, and packages run
# side by side, so that a core works while another one waits for a link or a start. What Go says of
# a failure is printed, and the input is kept in testdata/fuzz of the package, as always.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

# one runs the targets of a package, and prints all of its output at its end.
one() {
	local package=$1 time=$2 folder said code=0 target
	folder=$(mktemp -d "$scratch/XXXXXX") || return
	said=$folder/said
	"$go" test -c -fuzz=. -ldflags='-s -w' -o "$folder/test" "$package" >"$said" 2>&1 || code=1
	for target in $(grep -hEo '^func Fuzz[A-Za-z0-9_]*' "$package"/*_test.go | sed 's/func //' | LC_ALL=C sort); do
		((code)) && break
		echo "$target in $package" >>"$said"
		(cd "$package" && "$folder/test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$time" -test.parallel 1 \
			-test.fuzzcachedir "$cache/fuzz/ojud/$package") </dev/null >>"$said" 2>&1 || code=1
	done
	if command -v flock >/dev/null; then
		flock "$scratch" cat "$said" # so that no other package speaks between
	else
		cat "$said"
	fi
	rm -rf "$folder"
	((code)) && return 255 # xargs begins nothing more
	return 0
}

if [[ ${1:-} == one ]]; then
	one "$3" "$2"
	exit
fi

time=${1:?a time or a number of inputs, such as 10s or 300x}
shift
export go=${GO:-go} scratch cache
cache=$("$go" env GOCACHE) || exit
scratch=$(mktemp -d) || exit
trap 'rm -rf "$scratch"' EXIT
{
	if (($#)); then
		printf '%s\n' "$@"
	else
		grep -rEl --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' . | xargs -n1 dirname | LC_ALL=C sort -u
	fi
} | xargs -P 2 -n 1 test/fuzz/run.sh one "$time" || exit 1 # and not 124, which means out of time
