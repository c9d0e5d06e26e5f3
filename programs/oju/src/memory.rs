//! The C memory functions that LLVM calls for copies and comparisons that are not inlined.
//!
//! Upstream Rust has loops, which cost by the byte. The runtime takes 10 compute units up to
//! 2,500 bytes. Solana's compiler brings its own, so only upstream's target defines these.
//!
//! `memcpy` is `sol_memmove_`: LLVM may copy a value onto itself, and `sol_memcpy_` refuses that.

use pinocchio::syscalls::{sol_memcmp_, sol_memmove_, sol_memset_};

/// C's `memcpy`.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { sol_memmove_(to, from, length as u64) };
    to
}

/// C's `memmove`.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { sol_memmove_(to, from, length as u64) };
    to
}

/// C's `memset`.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memset(to: *mut u8, byte: i32, length: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { sol_memset_(to, byte as u8, length as u64) };
    to
}

/// C's `memcmp`.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    let mut order = 0;
    // SAFETY: the caller's promise; the runtime writes `order`.
    unsafe { sol_memcmp_(left, right, length as u64, &mut order) };
    order
}

/// BSD's `bcmp`, which LLVM calls where only equality matters.
///
/// # Safety
/// As `memcmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { memcmp(left, right, length) }
}
