//! Which mints a worker may be paid in; ADR 0177.

/// Bytes of a mint without extensions, and where it says that it is one.
const SIZE: usize = 82;
const READY_AT: usize = 45;
/// Where an account of Token-2022 with extensions says what it is; behind it are the extensions.
const KIND_AT: usize = 165;
const MINT: u8 = 1;
/// The kinds of extensions that concern no transfer: metadata and groups, with their pointers.
const HARMLESS: core::ops::RangeInclusive<u16> = 18..=23;
/// Token-2022 has fewer kinds.
const MOST: usize = 32;

/// Whether a mint's data, which a token program owns, has no extension by which somebody else could
/// take or stop what is in a token account. A freezer can: it is in the terms.
pub fn plain(data: &[u8]) -> bool {
    if data.get(READY_AT) != Some(&1) {
        return false;
    }
    if data.len() == SIZE {
        return true;
    }
    if data.get(KIND_AT) != Some(&MINT) {
        return false;
    }
    let mut rest = data.get(KIND_AT + 1..).unwrap_or_default();
    for _ in 0..MOST {
        let [a, b, c, d, after @ ..] = rest else {
            return rest.len() < 2 || rest.starts_with(&[0, 0]);
        };
        let kind = u16::from_le_bytes([*a, *b]);
        if kind == 0 {
            return true; // the rest is not in use
        }
        let length = u16::from_le_bytes([*c, *d]) as usize;
        let Some(next) = after.get(length..) else {
            return false;
        };
        if !HARMLESS.contains(&kind) {
            return false;
        }
        rest = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn mint(kinds: &[u16]) -> Vec<u8> {
        let mut data = std::vec![0; SIZE];
        data[READY_AT] = 1;
        if kinds.is_empty() {
            return data;
        }
        data.resize(KIND_AT, 0);
        data.push(MINT);
        for kind in kinds {
            data.extend(kind.to_le_bytes());
            data.extend([3, 0, 9, 9, 9]);
        }
        data
    }

    #[test]
    fn only_metadata_and_groups_are_harmless() {
        assert!(plain(&mint(&[])));
        for kind in 1..200 {
            assert_eq!(plain(&mint(&[18, kind])), (18..=23).contains(&kind), "{kind}");
        }
        assert!(!plain(&mint(&[19, 14, 19])));
    }

    #[test]
    fn what_is_no_mint_is_refused() {
        let ready = mint(&[18]);
        let mut token_account = ready.clone();
        token_account[KIND_AT] = 2;
        let mut unborn = mint(&[]);
        unborn[READY_AT] = 0;
        let mut long = ready.clone();
        long[KIND_AT + 3..KIND_AT + 5].copy_from_slice(&[255, 255]);
        let cut = &ready[..KIND_AT + 4];
        for data in [&token_account[..], &unborn, &long, cut, &ready[..100], &[]] {
            assert!(!plain(data));
        }
        assert!(!plain(&mint(&[18; MOST + 1])));
        let mut padded = ready;
        padded.extend([0; 7]);
        assert!(plain(&padded));
    }
}
