#!/usr/bin/env bash
# Checks that the sources compile where target_os is "solana" and target_arch is not "bpf", as they
# are for `cargo build-sbf`, whose compiler is no package anywhere. The stand-in is x86-64 with that
# target_os: no code is made, but every line that is gated on it is checked.
set -euo pipefail

rustc=$1 cargo=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export RUSTC=$rustc RUSTC_BOOTSTRAP=1
"$rustc" -Zunstable-options --print target-spec-json --target x86_64-unknown-none |
	sed 's/"arch":/"os": "solana",\n  "dynamic-linking": true,\n  "arch":/' >"$scratch/solana.json"
for features in '' probe signers escrow; do
	"$cargo" check --quiet --locked --release --manifest-path "$here/Cargo.toml" --features "$features" \
		-Zbuild-std=core -Zjson-target-spec --target "$scratch/solana.json" --target-dir "$here/target/solana"
done
echo 'the sources compile for target_os "solana"'
