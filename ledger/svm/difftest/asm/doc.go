// Package asm turns a few lines of text into sBPF programs for tests, v0 and v3, so that the
// repository needs no binaries for them. It knows instructions, labels, read-only data and system
// calls; Assemble explains the syntax.
package asm
