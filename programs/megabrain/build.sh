#!/usr/bin/env bash
# Builds the program of MegaBrain with the toolchain of the court's program. See README.md.
#
#   ./build.sh          writes megabrain.so, its hash, and megabrain.so.toolchain
#   ./build.sh --check  rebuilds the sources elsewhere and compares with what is committed
#   ./build.sh test     runs the unit tests, and the guard on what is committed
#
# Exit codes: those of ../oju/build.sh.
set -euo pipefail

# shellcheck source=../oju/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/../oju/build.sh"
brain=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly brain

# compile_brain PROGRAMS OUT: builds PROGRAMS/megabrain, which shares modules of PROGRAMS/oju.
compile_brain() {
	local dir=$1 out=$2 flags index
	"$cargo" fetch --quiet --locked --manifest-path "$dir/megabrain/Cargo.toml"
	flags="-Ctarget-cpu=v2 -Crelocation-model=static --remap-path-prefix=$dir=programs"
	flags+=" --remap-path-prefix=$sysroot/lib/rustlib/src/rust/library=rust"
	for index in "$cargo_home"/registry/src/*; do
		flags+=" --remap-path-prefix=$index=crates"
	done
	(cd "$dir/megabrain" && RUSTC=$rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags \
		CARGO_TARGET_BPFEL_UNKNOWN_NONE_LINKER=$dir/oju/link.sh \
		"$cargo" rustc --locked --release --lib --crate-type cdylib -Zbuild-std=core --target "$TARGET" \
		--target-dir "$dir/megabrain/target") || fail 1 'the build failed.'
	cp "$dir/megabrain/target/$TARGET/release/libmegabrain.so" "$out"
}

build_brain() {
	mkdir -p "$brain/target"
	compile_brain "$(dirname "$brain")" "$brain/target/megabrain.so"
	guard "$brain/target/megabrain.so"
	cp "$brain/target/megabrain.so" "$brain/megabrain.so"
	(cd "$brain" && sha256sum megabrain.so >megabrain.so.sha256)
	printf '%s\n' "$toolchain" >"$brain/megabrain.so.toolchain"
	echo "megabrain.so: $(stat -c %s "$brain/megabrain.so") bytes, $(cut -d' ' -f1 "$brain/megabrain.so.sha256")"
}

check_brain() {
	(cd "$brain" && sha256sum --quiet --check megabrain.so.sha256) || fail 1 'megabrain.so has another hash.'
	guard "$brain/megabrain.so"
	[[ $toolchain == "$(cat "$brain/megabrain.so.toolchain")" ]] ||
		fail 4 'cannot compare: megabrain.so was built by another toolchain.'
	local scratch
	scratch=$(mktemp -d)
	mkdir "$scratch/oju" "$scratch/megabrain"
	copy_sources "$scratch/oju"
	cp -r "$brain"/{Cargo.toml,Cargo.lock,src} "$scratch/megabrain"
	compile_brain "$scratch" "$scratch/megabrain.so"
	cmp "$brain/megabrain.so" "$scratch/megabrain.so" ||
		fail 1 "megabrain.so is not what the sources build; the rebuilt one is $scratch/megabrain.so."
	rm -rf "$scratch"
	echo "megabrain.so is what the sources build: $(cut -d' ' -f1 "$brain/megabrain.so.sha256")"
}

test_brain() {
	RUSTC=$rustc "$cargo" test --locked --manifest-path "$brain/Cargo.toml"
	guard "$brain/megabrain.so"
}

(($# <= 1)) || fail 2 'at most one argument; see the head of this file.'
clean_environment
find_compiler
case ${1:-build} in
build) find_linker && build_brain ;;
--check) find_linker && check_brain ;;
test) test_brain ;;
*) fail 2 "unknown argument $1; see the head of this file." ;;
esac
