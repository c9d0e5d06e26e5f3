//! The hashed bytes, and the bytes that node keys and payers sign (protocol sections 1, 3 and 6).

use pinocchio::Address;

use crate::event::sha256;
use crate::rule::voucher::Voucher;

const COMMIT: &[u8] = b"oju:commit:v1";
const DRAW: &[u8] = b"oju:draw:v1";
const JOIN: &[u8] = b"oju:join:v1";
const PAY: &[u8] = b"oju:pay:v1";
const RELAY: &[u8] = b"oju:relay:v1";
const VOTE: &[u8] = b"oju:vote:v1";

/// The values that a commitment hides.
pub struct Opening<'a> {
    /// Accept, reject or abstain.
    pub choice: u8,
    /// Of the opinion.
    pub opinion_hash: &'a [u8; 32],
    /// Of the receipts.
    pub receipts_root: &'a [u8; 32],
    /// Random to everybody but the judge.
    pub salt: &'a [u8; 32],
}

/// Where a judge speaks: the seat that a commitment or statement is for.
pub struct Place<'a> {
    /// The task's account.
    pub task: &'a Address,
    /// The round.
    pub round: u8,
    /// The judge's authority.
    pub judge: &'a Address,
}

/// The commitment of an opening at a place.
pub fn commitment(program: &Address, place: &Place, opening: &Opening) -> [u8; 32] {
    sha256(&[
        COMMIT,
        program.as_ref(),
        place.task.as_ref(),
        &[place.round],
        place.judge.as_ref(),
        &[opening.choice],
        opening.opinion_hash,
        opening.receipts_root,
        opening.salt,
    ])
}

/// The commitment in a message, if the message is the statement for this place.
pub fn stated<'a>(
    message: &'a [u8],
    network: &[u8; 32],
    program: &Address,
    place: &Place,
) -> Option<&'a [u8; 32]> {
    let rest = message.strip_prefix(VOTE)?.strip_prefix(network)?.strip_prefix(program.as_array())?;
    let rest = rest.strip_prefix(place.task.as_array())?.strip_prefix(&[place.round])?;
    rest.strip_prefix(place.judge.as_array())?.try_into().ok()
}

/// Whether the message is a relay request for this place, commitment and sealed opening. It
/// begins unlike a statement: a judge that shows its statement does not ask for a relay.
pub fn asks_to_commit(
    message: &[u8],
    network: &[u8; 32],
    program: &Address,
    place: &Place,
    commitment: &[u8; 32],
    sealed: &[u8],
) -> bool {
    let rest = message.strip_prefix(RELAY).and_then(|rest| rest.strip_prefix(network));
    let rest = rest.and_then(|rest| rest.strip_prefix(program.as_array()));
    let rest = rest.and_then(|rest| rest.strip_prefix(place.task.as_array()));
    let rest = rest.and_then(|rest| rest.strip_prefix(&[place.round]));
    let rest = rest.and_then(|rest| rest.strip_prefix(place.judge.as_array()));
    let rest = rest.and_then(|rest| rest.strip_prefix(commitment));
    rest.is_some_and(|rest| rest == sha256(&[sealed]))
}

/// Whether the message is the join proof for this authority.
pub fn is_join_proof(message: &[u8], network: &[u8; 32], program: &Address, authority: &Address) -> bool {
    let rest = message.strip_prefix(JOIN).and_then(|rest| rest.strip_prefix(network));
    let rest = rest.and_then(|rest| rest.strip_prefix(program.as_array()));
    rest == Some(authority.as_array())
}

/// Between whom, and where, a voucher is good.
pub struct Deal<'a> {
    /// Of the cluster.
    pub network: &'a [u8; 32],
    /// This program.
    pub program: &'a Address,
    /// Authority of the agent that pays; its key signs.
    pub payer: &'a Address,
    /// Authority of the agent that is paid.
    pub payee: &'a Address,
}

/// The voucher in a message, if the message is one of this deal.
pub fn promised(message: &[u8], deal: &Deal) -> Option<Voucher> {
    let rest =
        message.strip_prefix(PAY)?.strip_prefix(deal.network)?.strip_prefix(deal.program.as_array())?;
    let rest = rest.strip_prefix(deal.payer.as_array())?.strip_prefix(deal.payee.as_array())?;
    let (cumulative, rest) = rest.split_first_chunk()?;
    let expires = i64::from_le_bytes(rest.try_into().ok()?);
    Some(Voucher { cumulative: u64::from_le_bytes(*cumulative), expires })
}

/// A draw, and the block that seeds it.
pub struct Lot<'a> {
    /// The task's account.
    pub task: &'a Address,
    /// The round.
    pub round: u8,
    /// The block's slot.
    pub slot: u64,
    /// The block's hash.
    pub hash: &'a [u8; 32],
}

/// The seed of a draw.
pub fn draw_seed(program: &Address, lot: &Lot) -> [u8; 32] {
    sha256(&[DRAW, program.as_ref(), lot.task.as_ref(), &[lot.round], &lot.slot.to_le_bytes(), lot.hash])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::{bytes, load, long, small};
    use std::vec::Vec;

    fn key(bytes: &[u8]) -> Address {
        Address::try_from(bytes).unwrap()
    }

    fn each(what: &str, check: impl Fn(&serde_json::Value, Vec<u8>)) {
        let vectors = load("preimages.json");
        let list = vectors["list"].as_array().unwrap();
        let found: Vec<_> = list.iter().filter(|vector| vector["what"] == what).collect();
        assert!(!found.is_empty(), "no vector of {what}");
        found.iter().for_each(|vector| check(vector, bytes(&vector["preimage"])));
    }

    #[test]
    fn commitments_are_those_of_the_vectors() {
        each("commitment", |vector, pre| {
            let at = |from: usize| &pre[13 + from..13 + from + 32];
            let round = small(&vector["round"]) as u8;
            let (program, task, judge) = (key(at(0)), key(at(32)), key(at(65)));
            let part = |from| at(from).try_into().unwrap();
            let opening = Opening {
                choice: small(&vector["choice"]) as u8,
                opinion_hash: part(98),
                receipts_root: part(130),
                salt: part(162),
            };
            let place = Place { task: &task, round, judge: &judge };
            assert_eq!(commitment(&program, &place, &opening).to_vec(), bytes(&vector["result"]));
        });
    }

    #[test]
    fn statements_are_those_of_the_vectors() {
        each("statement", |vector, pre| {
            assert_eq!(pre.len(), 172);
            let at = |from: usize| &pre[11 + from..11 + from + 32];
            let network = at(0).try_into().unwrap();
            let (program, task, judge) = (key(at(32)), key(at(64)), key(at(97)));
            let place = Place { task: &task, round: small(&vector["round"]) as u8, judge: &judge };
            let said = |message: &[u8]| stated(message, network, &program, &place).map(|hash| hash.to_vec());
            assert_eq!(said(&pre), Some(at(129).to_vec()));
            assert_eq!((said(&pre[..171]), said(&[&pre[..], &[0]].concat())), (None, None));
            for i in 0..140 {
                let mut other = pre.clone();
                other[i] ^= 1;
                assert_eq!(said(&other), None, "byte {i}");
            }
        });
    }

    #[test]
    fn relay_requests_are_those_of_the_vectors() {
        each("relay request", |vector, pre| {
            assert_eq!(pre.len(), 205);
            let at = |from: usize| &pre[12 + from..12 + from + 32];
            let (network, commitment) = (at(0).try_into().unwrap(), at(129).try_into().unwrap());
            let (program, task, judge) = (key(at(32)), key(at(64)), key(at(97)));
            let place = Place { task: &task, round: small(&vector["round"]) as u8, judge: &judge };
            let sealed = vector.get("sealed").map_or(Vec::new(), bytes);
            let asks = |message: &[u8], sealed: &[u8]| {
                asks_to_commit(message, network, &program, &place, commitment, sealed)
            };
            assert!(asks(&pre, &sealed));
            assert!(!asks(&pre[..204], &sealed) && !asks(&[&pre[..], &[0]].concat(), &sealed));
            assert!(!asks(&pre, &[&sealed[..], &[0]].concat()));
            for i in 0..205 {
                let mut other = pre.clone();
                other[i] ^= 1;
                assert!(!asks(&other, &sealed), "byte {i}");
            }
        });
    }

    #[test]
    fn join_proofs_are_those_of_the_vectors() {
        each("join proof", |_, pre| {
            assert_eq!(pre.len(), 107);
            let network = pre[11..43].try_into().unwrap();
            let (program, authority) = (key(&pre[43..75]), key(&pre[75..]));
            let proves = |message: &[u8]| is_join_proof(message, network, &program, &authority);
            assert!(proves(&pre) && !proves(&pre[..106]) && !proves(&[&pre[..], &[0]].concat()));
            for i in 0..107 {
                let mut other = pre.clone();
                other[i] ^= 1;
                assert!(!proves(&other), "byte {i}");
            }
        });
    }

    #[test]
    fn vouchers_are_those_of_the_vectors() {
        each("voucher", |vector, pre| {
            assert_eq!(pre.len(), 154);
            let network = pre[10..42].try_into().unwrap();
            let (program, payer, payee) = (key(&pre[42..74]), key(&pre[74..106]), key(&pre[106..138]));
            let deal = Deal { network, program: &program, payer: &payer, payee: &payee };
            let expires = vector["expires"].as_str().unwrap().parse().unwrap();
            let expected = Voucher { cumulative: long(&vector["cumulative"]), expires };
            assert_eq!(promised(&pre, &deal), Some(expected));
            assert_eq!(
                (promised(&pre[..153], &deal), promised(&[&pre[..], &[0]].concat(), &deal)),
                (None, None)
            );
            for i in 0..138 {
                let mut other = pre.clone();
                other[i] ^= 1;
                assert_eq!(promised(&other, &deal), None, "byte {i}");
            }
            for i in 138..154 {
                let mut other = pre.clone();
                other[i] ^= 1;
                assert!(promised(&other, &deal).is_some_and(|it| it != expected), "byte {i}");
            }
            let back = Deal { payer: &payee, payee: &payer, ..deal };
            assert_eq!(promised(&pre, &back), None);
        });
    }

    #[test]
    fn draw_seeds_are_those_of_the_vectors() {
        each("draw seed", |vector, pre| {
            let (program, task) = (key(&pre[11..43]), key(&pre[43..75]));
            let slot = u64::from_le_bytes(pre[76..84].try_into().unwrap());
            let round = small(&vector["round"]) as u8;
            let lot = Lot { task: &task, round, slot, hash: pre[84..].try_into().unwrap() };
            assert_eq!(draw_seed(&program, &lot).to_vec(), bytes(&vector["result"]));
        });
    }
}
