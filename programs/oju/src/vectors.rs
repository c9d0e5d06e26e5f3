//! The golden vectors, which the Go implementation wrote (`vectors/README.md`).

use pinocchio::Address;
use serde_json::Value;
use std::vec::Vec;

/// A file of vectors.
pub fn load(name: &str) -> Value {
    let path = std::format!("{}/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A number of 64 bits, which JSON has as a string.
pub fn long(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{value} is no number"))
}

/// A list of such numbers.
pub fn longs(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(long).collect()
}

/// A smaller number.
pub fn small(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Bytes in hex.
pub fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// Bytes in hex, aligned as account data is.
pub fn aligned(value: &Value) -> Vec<u64> {
    let bytes = bytes(value);
    assert_eq!(bytes.len() % 8, 0);
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

/// A hash in hex.
pub fn hash(value: &Value) -> [u8; 32] {
    bytes(value).try_into().unwrap()
}

/// An address in base58.
pub fn address(value: &Value) -> Address {
    value.as_str().unwrap().parse().unwrap()
}
