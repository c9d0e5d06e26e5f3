#!/usr/bin/env bash
# Builds the program, and proves that what is committed is what the sources say. See README.md.
#
#   ./build.sh            writes oju.so, signers/signers.so and escrow/escrow.so, their hashes, and oju.so.toolchain
#   ./build.sh --check    rebuilds the sources elsewhere and compares with the three that are committed
#   ./build.sh tools      builds the linker (once, about two minutes on two cores)
#   ./build.sh probe      writes target/probe.so, the program with the instructions of probe/
#   ./build.sh test       unit tests, the guard, and the committed oju.so and the probe on Agave's runtime
#   ./build.sh costs      prints what the instructions cost in compute units
#
# Exit codes: 0 done, 1 failed or different, 2 wrong use, 3 a tool is missing,
# 4 cannot compare because the committed ELF was built by another toolchain.
set -euo pipefail

readonly LINKER_VERSION=0.2.6
readonly TARGET=bpfel-unknown-none
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly rustc=${OJU_RUSTC:-/usr/bin/rustc} cargo=${OJU_CARGO:-/usr/bin/cargo}
readonly cargo_home=${CARGO_HOME:-$HOME/.cargo}

fail() {
	local code=$1
	shift
	printf 'build.sh: %s\n' "$@" >&2
	exit "$code"
}

# Compiler, its sources and its LLVM. rustup's compiler has no sources here, hence Debian's.
find_compiler() {
	local apt='apt-get install -y rustc-web cargo-web rust-web-src'
	[[ -x $rustc && -x $cargo ]] ||
		fail 3 "no compiler at $rustc or no cargo at $cargo. Run: $apt" 'Or set OJU_RUSTC and OJU_CARGO.'
	local verbose
	verbose=$("$rustc" -vV)
	llvm=$(sed -n 's/^LLVM version: \([0-9]*\).*/\1/p' <<<"$verbose")
	sysroot=$("$rustc" --print sysroot)
	[[ -f $sysroot/lib/rustlib/src/rust/library/core/src/lib.rs ]] ||
		fail 3 "the compiler's library sources are not in $sysroot/lib/rustlib/src. Run: $apt"
	compiler=$(grep -E '^(rustc|LLVM) ' <<<"$verbose")
	compiler+=$'\n'"library $(cd "$sysroot/lib/rustlib/src/rust/library" && sources core compiler-builtins | hash_of)"
}

# The name and content of every file below the given places, in one stream.
sources() {
	find "$@" -type f \( -name '*.rs' -o -name Cargo.toml \) -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
}

hash_of() { sha256sum | cut -d' ' -f1; }

linker_root() { echo "${OJU_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/ojud}/sbpf-linker-$LINKER_VERSION-llvm$llvm"; }

find_linker() {
	OJU_SBPF_LINKER=$(linker_root)/bin/sbpf-linker
	[[ -x $OJU_SBPF_LINKER ]] || fail 3 "no linker at $OJU_SBPF_LINKER. Run: $here/build.sh tools"
	export OJU_SBPF_LINKER
	toolchain=$compiler$'\n'$("$OJU_SBPF_LINKER" --version | paste -sd' ')
}

# Builds sbpf-linker for the LLVM of the compiler in use: bitcode of a newer LLVM would not be read.
install_linker() {
	local prefix=/usr/lib/llvm-$llvm
	[[ -x $prefix/bin/llvm-config && -e $prefix/lib/libLLVM.so ]] ||
		fail 3 "the linker needs LLVM $llvm, which the compiler uses. Run: apt-get install -y llvm-$llvm-dev"
	local scratch
	scratch=$(mktemp -d)
	RUSTC=$rustc LLVM_PREFIX=$prefix "$cargo" install "sbpf-linker@$LINKER_VERSION" --locked --force \
		--no-default-features --features "bpf-linker/llvm-$llvm" --root "$(linker_root)" --target-dir "$scratch"
	rm -rf "$scratch"
}

# Whatever the caller's environment says about compiling does not count.
clean_environment() {
	local name
	while read -r name; do
		case $name in
		RUSTFLAGS | RUSTC_*WRAPPER | CARGO_ENCODED_RUSTFLAGS | CARGO_INCREMENTAL) unset "$name" ;;
		CARGO_BUILD_* | CARGO_PROFILE_* | CARGO_TARGET_* | CARGO_UNSTABLE_*) unset "$name" ;;
		esac
	done < <(compgen -v)
}

# compile DIR OUT [CARGO ARGUMENTS]: builds the sources in DIR and writes the ELF to OUT.
# OJU_CPU is for tests/refusals.sh alone.
compile() {
	local dir=$1 out=$2 flags index
	shift 2
	"$cargo" fetch --quiet --locked --manifest-path "$dir/Cargo.toml"
	flags="-Ctarget-cpu=${OJU_CPU:-v2} -Crelocation-model=static"
	flags+=" --remap-path-prefix=$dir=oju --remap-path-prefix=$sysroot/lib/rustlib/src/rust/library=rust"
	for index in "$cargo_home"/registry/src/*; do
		flags+=" --remap-path-prefix=$index=crates"
	done
	(cd "$dir" && RUSTC=$rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags \
		CARGO_TARGET_BPFEL_UNKNOWN_NONE_LINKER=$dir/link.sh \
		"$cargo" rustc --locked --release --lib --crate-type cdylib -Zbuild-std=core --target "$TARGET" \
		--target-dir "$dir/target" "$@") || fail 1 'the build failed.'
	cp "$dir/target/$TARGET/release/liboju.so" "$out"
}

guard() {
	command -v go >/dev/null || fail 3 'no go, which runs the guard: install the version that go.mod names'
	(cd "$here/../.." && go run ./programs/oju/guard/sbfguard "$@") || fail 1 'the guard refused it.'
}

# The sources that make the ELF, copied, so that nothing else can be part of it.
copy_sources() { (cd "$here" && cp -r Cargo.toml Cargo.lock link.sh null.ll src probe signers escrow verdict "$1"); }

build() {
	mkdir -p "$here/target"
	build_one . oju
	build_one signers signers --features signers
	build_one escrow escrow --features escrow
	printf '%s\n' "$toolchain" >"$here/oju.so.toolchain"
}

# build_one DIR NAME [CARGO ARGUMENTS]
build_one() {
	local dir=$here/$1 elf=$2.so
	shift 2
	compile "$here" "$here/target/$elf" "$@"
	guard "$here/target/$elf"
	cp "$here/target/$elf" "$dir/$elf"
	(cd "$dir" && sha256sum "$elf" >"$elf.sha256")
	echo "$elf: $(stat -c %s "$dir/$elf") bytes, $(cut -d' ' -f1 "$dir/$elf.sha256")"
}

build_probe() {
	mkdir -p "$here/target"
	compile "$here" "$here/target/probe.so" --features probe
	guard "$here/target/probe.so"
}

check() {
	local elf
	for elf in oju.so signers/signers.so escrow/escrow.so; do
		(cd "$here/$(dirname "$elf")" && sha256sum --quiet --check "$(basename "$elf").sha256") ||
			fail 1 "$elf is not the file that $elf.sha256 names."
		guard "$here/$elf"
	done
	if [[ $toolchain != "$(cat "$here/oju.so.toolchain")" ]]; then
		diff "$here/oju.so.toolchain" - <<<"$toolchain" >&2 || true
		fail 4 'cannot compare: oju.so was built by another toolchain ("<"; this one is ">").' \
			'The committed file and its hash agree, and it passes the guard.'
	fi
	local scratch
	scratch=$(mktemp -d)
	copy_sources "$scratch"
	compile "$scratch" "$scratch/oju.so"
	compile "$scratch" "$scratch/signers/signers.so" --features signers
	compile "$scratch" "$scratch/escrow/escrow.so" --features escrow
	for elf in oju.so signers/signers.so escrow/escrow.so; do
		cmp "$here/$elf" "$scratch/$elf" ||
			fail 1 "$elf is not what the sources build; the rebuilt one is $scratch/$elf. Run: $here/build.sh"
		echo "$elf is what the sources build: $(cut -d' ' -f1 "$here/$elf.sha256")"
	done
	rm -rf "$scratch"
}

node_modules() {
	command -v npm >/dev/null || fail 3 'no npm. Run: apt-get install -y nodejs npm (node 20 or later)'
	# Not `npm ci`: it refuses a lock file without litesvm's builds for every other platform, of which a
	# registry may lack some. `install` obeys the lock file for what is in it.
	(cd "$here/tests" && npm install --no-save --silent --no-audit --no-fund)
}

run_tests() {
	RUSTC=$rustc "$cargo" test --locked --workspace --manifest-path "$here/Cargo.toml"
	RUSTC=$rustc "$cargo" test --locked --features signers --manifest-path "$here/Cargo.toml"
	(cd "$here/../.." && go test ./programs/oju/...)
	build_probe
	node_modules
	(cd "$here/tests" && OJU_ELF=$here/oju.so node --test oju.test.mjs)
	(cd "$here/tests" && OJU_ELF=$here/target/probe.so node --test probe.test.mjs)
	(cd "$here/tests" && OJU_ELF=$here/oju.so OJU_ESCROW=$here/escrow/escrow.so node --test escrow.test.mjs)
	(cd "$here/tests" && OJU_ELF=$here/oju.so OJU_PROBE=$here/target/probe.so OJU_SIGNERS=$here/signers/signers.so \
		node --test signers.test.mjs)
	(cd "$here/tests" && OJU_ELF=$here/oju.so OJU_PROBE=$here/target/probe.so node --test caller.test.mjs)
	"$here/tests/solana.sh" "$rustc" "$cargo"
	"$here/tests/refusals.sh"
}

print_costs() {
	node_modules
	(cd "$here/tests" && OJU_ELF=$here/oju.so node costs.mjs)
}

# Reached only when the file is run: tests/refusals.sh reads its functions instead.
main() {
	(($# <= 1)) || fail 2 'at most one argument; see the head of this file.'
	clean_environment
	find_compiler
	case ${1:-build} in
	tools) install_linker ;;
	build) find_linker && build ;;
	--check) find_linker && check ;;
	probe) find_linker && build_probe ;;
	test) find_linker && run_tests ;;
	costs) print_costs ;;
	*) fail 2 "unknown argument $1; see the head of this file." ;;
	esac
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || main "$@"
