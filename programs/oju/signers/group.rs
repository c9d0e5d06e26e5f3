//! Who signs, and how many of them decide.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use crate::account::{self, SW, W, R};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::sha256;
use crate::layout::{Head, Record};
use crate::pda::{self, Birth};
use crate::state::located;
use crate::wire::Reader;

/// First seed of a group's address; the second is [`Group::hash`].
const SEED: &[u8] = b"group";
/// The first bytes of what [`Group::hash`] hashes.
const PREFIX: &[u8] = b"oju:signers:v1";
/// Members of the largest group.
pub const MAX: usize = 16;

/// Group. No instruction changes or closes it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Group {
    /// Kind, version and bump.
    pub head: Head,
    /// So many members decide.
    pub threshold: u8,
    /// So many there are.
    pub count: u8,
    pub(crate) pad: [u8; 4],
    /// In ascending order; zero behind the last one.
    pub members: [Address; MAX],
}

located!(Group, "Group", |it| [SEED, &it.hash()]);

impl Group {
    /// What makes one group different from another.
    fn hash(&self) -> [u8; 32] {
        sha256(&[PREFIX, &[self.threshold, self.count], bytemuck::bytes_of(&self.members)])
    }

    /// The place of a member.
    pub fn find(&self, key: &Address) -> Outcome<usize> {
        let members = &self.members[..self.count as usize];
        members.iter().position(|member| member == key).ok_or(Error::NOT_AUTHORITY)
    }

    /// The threshold is a majority, so no two verdicts can both reach it. Each key counts once.
    fn check(&self) -> Outcome {
        let (threshold, count) = (self.threshold as usize, self.count as usize);
        require((1..=MAX).contains(&count) && threshold <= count, Error::BAD_CONFIG)?;
        require(2 * threshold > count, Error::BAD_CONFIG)?;
        let mut last = &Address::default();
        for member in &self.members[..count] {
            require(last.as_array() < member.as_array(), Error::BAD_CONFIG)?;
            last = member;
        }
        Ok(())
    }
}

/// Reads threshold u8 and the members: their number u32, and as many keys.
fn terms(data: &[u8]) -> Outcome<Group> {
    let mut arguments = Reader::new(data);
    let mut group = Group::zeroed();
    group.threshold = arguments.u8()?;
    let count = arguments.u32()?;
    require(count as usize <= MAX, Error::BAD_CONFIG)?;
    group.count = count as u8;
    for member in &mut group.members[..count as usize] {
        *member = arguments.key()?;
    }
    arguments.end()?;
    Ok(group)
}

/// Makes a group. Anybody may, and pays the rent for good.
///
/// Arguments: [`terms`]. Accounts: payer sw, group w, system.
#[inline(never)]
pub fn create(cx: &mut Cx) -> Outcome {
    let mut new = terms(cx.data)?;
    let [payer, mut at, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    new.check()?;
    let hash = new.hash();
    let seeds = [SEED, &hash];
    let bump = pda::vacant(&at, &seeds, cx.program)?;

    let birth = Birth { payer: &payer, account: &at, program: cx.program, space: Group::SIZE };
    birth.create::<Group, 2>(&seeds, bump)?;
    let mut group = account::lend::<Group>(&mut at)?;
    new.head = group.head;
    *group = new;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group of the keys 1, 2, 3 and so on.
    fn of(threshold: u8, count: u8) -> Group {
        let mut group = Group::zeroed();
        (group.threshold, group.count) = (threshold, count);
        for (i, member) in group.members.iter_mut().take(count as usize).enumerate() {
            *member = Address::new_from_array([i as u8 + 1; 32]);
        }
        group
    }

    #[test]
    fn a_threshold_is_a_majority_of_at_most_sixteen() {
        for count in 0..=MAX as u8 {
            for threshold in 0..=MAX as u8 + 1 {
                let lawful = count > 0 && threshold <= count && 2 * threshold > count;
                assert_eq!(of(threshold, count).check().is_ok(), lawful, "{threshold} of {count}");
            }
        }
        let mut many = of(9, 16);
        many.count = 17;
        assert_eq!(many.check(), Err(Error::BAD_CONFIG));
    }

    #[test]
    fn a_key_counts_once() {
        for (from, to) in [(0, 1), (1, 0), (1, 2)] {
            let mut group = of(2, 3);
            group.members[to] = group.members[from];
            assert_eq!(group.check(), Err(Error::BAD_CONFIG), "{to} is {from}");
        }
        let mut group = of(2, 3);
        group.members[0] = Address::default();
        assert_eq!(group.check(), Err(Error::BAD_CONFIG), "the zero key");
        group = of(2, 3);
        assert_eq!(group.find(&group.members[2]), Ok(2));
        assert_eq!(group.find(&Address::default()), Err(Error::NOT_AUTHORITY), "the rest of the list");
    }

    #[test]
    fn the_address_says_who_and_how_many() {
        let mut other = of(3, 4);
        other.members[3] = Address::new_from_array([9; 32]);
        for (group, why) in [(of(4, 4), "threshold"), (of(3, 5), "a member more"), (other, "a member")] {
            assert_ne!(group.hash(), of(3, 4).hash(), "{why}");
        }
    }

    #[test]
    fn arguments_have_one_encoding() {
        let members = [[1; 32], [2; 32]].concat();
        let data = [&[2, 2, 0, 0, 0][..], &members].concat();
        let group = terms(&data).unwrap();
        assert_eq!((group.threshold, group.count, group.members[1]), (2, 2, Address::new_from_array([2; 32])));
        assert_eq!(terms(&[&data[..], &[0]].concat()).err(), Some(Error::BAD_INSTRUCTION));
        for length in 0..data.len() {
            assert_eq!(terms(&data[..length]).err(), Some(Error::BAD_INSTRUCTION), "{length}");
        }
        for count in [17_u32, u32::MAX] {
            let data = [&[9][..], &count.to_le_bytes(), &[1; 17 * 32]].concat();
            assert_eq!(terms(&data).err(), Some(Error::BAD_CONFIG), "{count} members");
        }
    }
}
