//! Named bytes of an agent, with grants to others for the length of a task.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::error::{Error, Outcome, require};
use crate::layout::{Head, List};

/// First seed of an address; then authority and name.
pub const SEED: &[u8] = b"data";
/// Bytes of a name at most.
pub const MAX_NAME: usize = 32;
/// Bytes that an account may hold.
pub const MAX_BYTES: u32 = 9_216;
/// Bytes of one write.
pub const MAX_WRITE: usize = 900;
/// Grants that an account has room for.
pub const MAX_GRANTS: usize = 8;
/// Flag of a grant: holders of the content behind the data honour it.
pub const READ: u8 = 1;
/// Flag of a grant: the program lets the grantee write.
pub const WRITE: u8 = 2;

/// The head of an account; its bytes follow.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct AgentData {
    /// Kind, version and bump.
    pub head: Head,
    /// Bytes of `name` in use.
    pub name_len: u8,
    /// Grants in use.
    pub grant_count: u8,
    /// Bytes behind this head.
    pub len: u32,
    /// The agent's key.
    pub authority: Address,
    /// `[a-z0-9._-]`, zero padded.
    pub name: [u8; MAX_NAME],
    /// Unix seconds.
    pub updated_at: i64,
    /// The grants, the oldest first.
    pub grants: [Grant; MAX_GRANTS],
}

/// Access for the length of a task.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Grant {
    /// The task.
    pub task: Address,
    /// The agent with access; zero means the task's worker.
    pub grantee: Address,
    /// [`READ`], [`WRITE`] or both.
    pub flags: u8,
    pub(crate) pad: [u8; 7],
}

located!(AgentData, "AgentData", |it| [SEED, it.authority.as_ref(), it.name_bytes()]);

impl List for AgentData {
    type Item = u8;

    #[inline(always)]
    fn items(&self) -> usize {
        self.len as usize
    }
}

impl AgentData {
    /// The name without its padding.
    #[inline(always)]
    pub fn name_bytes(&self) -> &[u8] {
        &self.name[..(self.name_len as usize).min(MAX_NAME)]
    }

    /// Sets the name, which was checked with [`check_name`].
    pub fn set_name(&mut self, name: &[u8]) {
        self.name[..name.len()].copy_from_slice(name);
        self.name_len = name.len() as u8;
    }

    /// The grants in use.
    pub fn granted(&self) -> &[Grant] {
        &self.grants[..(self.grant_count as usize).min(MAX_GRANTS)]
    }

    fn place(&self, task: &Address, grantee: &Address) -> Option<usize> {
        self.granted().iter().position(|grant| grant.task == *task && grant.grantee == *grantee)
    }

    /// Adds the grant for the task and grantee, or replaces it.
    pub fn grant(&mut self, task: &Address, grantee: &Address, flags: u8) -> Outcome {
        let place = match self.place(task, grantee) {
            Some(place) => place,
            None => {
                require((self.grant_count as usize) < MAX_GRANTS, Error::GRANTS_FULL)?;
                self.grant_count += 1;
                self.grant_count as usize - 1
            }
        };
        self.grants[place] = Grant { task: *task, grantee: *grantee, flags, pad: [0; 7] };
        Ok(())
    }

    /// Removes the grant for the task and grantee; later ones move up.
    pub fn revoke(&mut self, task: &Address, grantee: &Address) -> Outcome {
        let place = self.place(task, grantee).ok_or(Error::NO_GRANT)?;
        let last = self.grant_count as usize - 1;
        self.grants.copy_within(place + 1..=last, place);
        self.grants[last] = Grant::zeroed();
        self.grant_count -= 1;
        Ok(())
    }

    /// Whether `writer` may write by a grant for this task, whose worker is `worker`.
    pub fn may_write(&self, task: &Address, worker: &Address, writer: &Address) -> bool {
        self.granted().iter().any(|grant| {
            let anyone = grant.grantee == Address::default();
            let grantee = if anyone { worker } else { &grant.grantee };
            grant.task == *task && grant.flags & WRITE != 0 && grantee == writer
        })
    }
}

/// [`Error::BAD_NAME`] unless the name is 1 to 32 bytes of `[a-z0-9._-]`.
pub fn check_name(name: &[u8]) -> Outcome {
    let fits = !name.is_empty() && name.len() <= MAX_NAME;
    let known = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
    require(fits && name.iter().all(known), Error::BAD_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Address {
        Address::new_from_array([n; 32])
    }

    #[test]
    fn a_name_has_few_letters() {
        for good in [&b"a"[..], b"a.b_c-9", &[b'z'; 32]] {
            assert_eq!(check_name(good), Ok(()));
        }
        for bad in [&b""[..], &[b'z'; 33], b"A", b"a b", b"a/b", b"\xc3\xa9", b"a\0"] {
            assert_eq!(check_name(bad), Err(Error::BAD_NAME));
        }
    }

    #[test]
    fn a_grant_is_replaced_removed_and_limited() {
        let mut data = AgentData::zeroed();
        for n in 1..=8 {
            data.grant(&key(n), &key(9), READ).unwrap();
        }
        assert_eq!(data.grant(&key(9), &key(9), READ), Err(Error::GRANTS_FULL));
        data.grant(&key(3), &key(9), WRITE).unwrap();
        assert_eq!((data.grant_count, data.grants[2].flags), (8, WRITE));
        data.revoke(&key(3), &key(9)).unwrap();
        let left: std::vec::Vec<u8> = data.granted().iter().map(|grant| grant.task.as_ref()[0]).collect();
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!(bytemuck::bytes_of(&data.grants[7]), [0; 72]);
        assert_eq!(data.revoke(&key(3), &key(9)), Err(Error::NO_GRANT));
    }

    #[test]
    fn only_the_grantee_of_that_task_writes() {
        let mut data = AgentData::zeroed();
        let (task, worker, friend, nobody) = (key(1), key(2), key(3), Address::default());
        data.grant(&task, &friend, READ).unwrap();
        assert!(!data.may_write(&task, &worker, &friend));
        data.grant(&task, &friend, READ | WRITE).unwrap();
        assert!(data.may_write(&task, &worker, &friend));
        assert!(!data.may_write(&key(4), &worker, &friend));
        assert!(!data.may_write(&task, &worker, &worker));
        data.grant(&task, &nobody, WRITE).unwrap();
        assert!(data.may_write(&task, &worker, &worker));
        assert!(!data.may_write(&task, &nobody, &worker));
    }
}
