// Package asm turns a few lines of text into sBPF programs for tests, v0 and v3 alike, so that no
// binary has to be kept. It knows instructions, labels, read-only data and system calls; see
// Assemble for the syntax.
package asm
