//! What an instruction tells the outside: events, return data and hashes.

#[cfg(any(target_os = "solana", target_arch = "bpf"))]
use pinocchio::syscalls;

/// Logs the fields as one `Program data:` line, each in base64. Costs 100 compute units, 100 more a field and
/// one a byte. On a host it does nothing.
#[inline(always)]
pub fn emit(fields: &[&[u8]]) {
    #[cfg(any(target_os = "solana", target_arch = "bpf"))]
    // SAFETY: the runtime reads `fields.len()` pairs of address and length, which is what a slice of slices is.
    unsafe {
        syscalls::sol_log_data(fields.as_ptr().cast(), fields.len() as u64);
    }
    #[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
    core::hint::black_box(fields);
}

/// Logs a text. It costs at least 100 compute units: for failures that a code does not explain.
#[inline(always)]
pub fn log(text: &str) {
    #[cfg(any(target_os = "solana", target_arch = "bpf"))]
    // SAFETY: the address and the length are those of a string.
    unsafe {
        syscalls::sol_log_(text.as_ptr(), text.len() as u64);
    }
    #[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
    core::hint::black_box(text);
}

/// Sets the transaction's return data, at most 1,024 bytes. On a host it does nothing.
#[inline(always)]
pub fn give(data: &[u8]) {
    #[cfg(any(target_os = "solana", target_arch = "bpf"))]
    // SAFETY: the address and the length are those of a slice.
    unsafe {
        syscalls::sol_set_return_data(data.as_ptr(), data.len() as u64);
    }
    #[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
    core::hint::black_box(data);
}

/// SHA-256 of the parts, one after the other.
#[inline(always)]
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    solana_sha256_hasher::hashv(parts).to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4, example "abc".
    const ABC: [u8; 32] = [
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0,
        0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    ];

    #[test]
    fn parts_are_hashed_as_one() {
        assert_eq!(sha256(&[b"abc"]), ABC);
        assert_eq!(sha256(&[b"a", b"", b"bc"]), ABC);
    }
}
