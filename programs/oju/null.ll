; ModuleID = 'null'
; Fills the address zero, at which sBPF v3 maps read-only data, so that no object of the program has it: Rust
; represents None by a reference of zero. link.sh passes this file first; guard/ checks that it came first.
target datalayout = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"
target triple = "bpfel"

@oju_null = constant [16 x i8] c"null points here", align 16
@llvm.used = appending global [1 x ptr] [ptr @oju_null], section "llvm.metadata"
