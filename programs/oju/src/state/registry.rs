//! The list of all agents, in pages.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::layout::{Head, List};

/// First seed of a page's address; the second is its number, u32.
pub const SEED: &[u8] = b"registry";
/// Entries of a full page.
pub const PAGE_ENTRIES: u64 = 128;

/// The head of a page.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Page {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 2],
    /// Its number, from 0.
    pub page: u32,
    /// Its entries.
    pub count: u32,
    pub(crate) pad_end: [u8; 4],
}

/// An agent in the list.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Entry {
    /// The agent's key.
    pub authority: Address,
    /// The agent's account.
    pub agent: Address,
}

located!(Page, "RegistryPage", |it| [SEED, &it.page.to_le_bytes()]);

impl List for Page {
    type Item = Entry;

    #[inline(always)]
    fn items(&self) -> usize {
        self.count as usize
    }
}
