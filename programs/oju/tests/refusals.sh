#!/usr/bin/env bash
# Proves that the build fails where it must: each case breaks a copy of the sources in one way and
# names the words that the failure must say.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$here/build.sh"
clean_environment
find_compiler
find_linker
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0

# attempt: builds the copy and has the guard check it; prints everything.
attempt() { compile "$scratch" "$scratch/out.so" && guard "$scratch/out.so"; }

# refused NAME WORDS: the copy, broken by the caller, is refused with these words.
refused() {
	local output
	if output=$(attempt 2>&1); then
		echo "not ok: $1 was built" >&2
		exit 1
	fi
	if ! grep -qF -- "$2" <<<"$output"; then
		printf 'not ok: %s failed for another reason than "%s":\n%s\n' "$1" "$2" "$output" >&2
		exit 1
	fi
	echo "ok: $1 is refused"
	passed=$((passed + 1))
	copy_sources "$scratch"
}

# function_is BODY: adds an exported function to the copy, so that it is compiled.
function_is() { printf '#[unsafe(no_mangle)]\n/// A fault.\npub extern "C" fn fault%s\n' "$1" >>"$scratch/src/lib.rs"; }

copy_sources "$scratch"
(attempt) >/dev/null 2>&1 || { echo 'not ok: the sources themselves are refused' >&2; exit 1; }

function_is '(a: u64, b: u64) -> u64 { a.wrapping_add(b) & 0xffff_ffff }'
(attempt) >/dev/null 2>&1 || { echo 'not ok: a harmless function is refused' >&2; exit 1; }
copy_sources "$scratch"

function_is '(a: u32, b: u32, c: &mut u64) -> u32 { *c = a.wrapping_mul(b) as u64; a.wrapping_add(b) }'
OJU_CPU=v3 refused 'code for a CPU newer than v2' '32-bit arithmetic: built for a CPU newer than v2'

sed -i '/^@/d' "$scratch/null.ll"
function_is '(a: usize) -> u8 { core::hint::black_box(b"some read-only data")[a] }'
refused 'an object at the address zero' 'read-only data does not begin with'

function_is '(a: u64) -> u64 { let mut frame = [a; 513]; core::hint::black_box(&mut frame); frame[7] }'
refused 'a stack frame of more than 4,096 bytes' 'stack'

function_is '(a: u64, b: u64) -> u64 { a * b }'
refused 'a product of u64 under overflow checks' '__multi3'

function_is '(a: u128, b: &u128) -> u64 { (a / *b) as u64 }'
refused 'a quotient of u128' '__udivti3'

function_is '(a: i64, b: i64) -> i64 { if b == 0 { 0 } else { a.wrapping_div(b) } }'
refused 'a signed quotient' 'signed division'

function_is '(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 { a ^ b ^ c ^ d ^ e ^ f }'
refused 'a function of six arguments' 'stack arguments are not supported'

function_is '(a: &[u8; 32], b: &mut [u8; 32]) { unsafe { pinocchio::syscalls::sol_blake3(a.as_ptr(), 1, b.as_mut_ptr()); } }'
refused 'a syscall that the embedded chain does not serve' 'a syscall that the embedded chain does not serve'

echo "$passed passed, 0 failed"
