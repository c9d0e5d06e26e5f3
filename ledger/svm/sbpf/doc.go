// Package sbpf loads, verifies and interprets Solana BPF programs (ELF64, little endian) as Agave's
// solana-sbpf crate 0.21 does: the same instructions, memory map, compute meter and error texts. It
// knows no accounts or transactions; the embedder brings the system calls.
//
// It accepts sBPF v0 (lenient ELF parser, relocations, hashed calls) and v3 (strict ELF parser,
// static calls). It refuses v1 and v2 like versions that a cluster has not enabled.
//
// The caller must
//
//  1. build one Environment with every system call before it loads a program, and not change it
//     afterwards;
//  2. give each run its own Machine; any number of machines may share a Program;
//  3. treat an error wrapped in *SyscallError as the system call's, and every other one as a fault
//     of the program.
//
// ELF files are hostile: Load never panics, and allocates at most a small multiple of the file's
// length.
package sbpf
