#!/bin/sh
# The linker that rustc calls, from build.sh: sbpf-linker with the options that are not rustc's to
# give. They are here and not in RUSTFLAGS because those, with the paths in them, would go into
# every symbol's name.
#   null.ll                 first of all, so that it gets the address zero
#   allows-misaligned     a number at an odd address is read at once, which sBPF allows
#   -bpf-stack-size         a frame of 4,096 bytes at most, or the build fails: sBPF v3 has no gap between frames
#   --disable-math-builtins does not export __multi3 and its like, which LLVM 22 cannot compile for BPF
#   --sbpf-optimize=false   no rewriting of LLVM's code after LLVM
#   --deploy=false          no copy in target/deploy
set -eu
exec "$OJU_SBPF_LINKER" "$(dirname "$0")/null.ll" "$@" --arch v3 \
	--cpu-features=+allows-misaligned-mem-access --llvm-args=-bpf-stack-size=4096 \
	--disable-math-builtins --sbpf-optimize=false --deploy=false
