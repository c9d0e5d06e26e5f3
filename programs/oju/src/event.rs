//! The output of an instruction: events (protocol section 7), return data and hashes.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;
#[cfg(any(target_os = "solana", target_arch = "bpf"))]
use pinocchio::syscalls;

use crate::error::Outcome;
use crate::layout::discriminator;
use crate::rule::golden::Applied;
use crate::state::case::{Hearing, MAX_SEATS, result};
use crate::wire::Writer;

/// Bytes of the longest event: LeafApplied with two full panels.
const MAX_EVENT: usize = 8 + 73 + 4 + 17 * 2 * MAX_SEATS;

const _: () = assert!(MAX_EVENT >= 8 + 58 + 4 + 16 * 2 * MAX_SEATS, "CaseFinished fits, too");

/// Bytes of the longest event without a list, Revealed. A buffer is zeroed word by word wherever an
/// event is logged, so each word of it costs 8 bytes there.
const MAX_FIXED: usize = 8 + size_of::<Revealed>();

/// An event with fields of fixed sizes. The bytes of the struct are logged.
pub trait Event: Pod {
    /// The event's name in protocol section 7.
    const NAME: &'static str;

    /// The discriminator at the start of its log line.
    const KIND: [u8; 8] = discriminator("event:", Self::NAME);

    /// Logs it as one slice.
    #[inline(always)]
    fn log(&self) -> Outcome {
        log_with::<Self, MAX_FIXED>(self, |_| Ok(()))
    }
}

/// Logs an event with a list behind its fixed fields.
#[inline(always)]
fn log_with<E: Event, const N: usize>(event: &E, list: impl FnOnce(&mut Writer<N>) -> Outcome) -> Outcome {
    const { assert!(8 + size_of::<E>() <= N, "the buffer holds the fixed fields") };
    let mut line = Writer::<N>::new();
    line.put(&E::KIND)?.put(bytemuck::bytes_of(event))?;
    list(&mut line)?;
    emit(&[line.written()]);
    Ok(())
}

/// Defines events: `Name { field: type, … }` in the order of the wire.
macro_rules! events {
    ($($(#[doc = $doc:literal])+ $event:ident { $($field:ident: $kind:ty),+ $(,)? })+) => {
        $(
            $(#[doc = $doc])+
            #[repr(C, packed)]
            #[derive(Clone, Copy, Pod, Zeroable)]
            #[allow(missing_docs, reason = "the fields are those of protocol section 7")]
            pub struct $event { $(pub $field: $kind),+ }

            impl Event for $event {
                const NAME: &'static str = stringify!($event);
            }
        )+
    };
}

events! {
    /// The authority, the key that may accept it, or the pause was set, or the court was opened.
    ConfigSet { authority: Address, pending_authority: Address, paused: u8, listed: u8 }
    /// A judge may join a listed court; `admitted` 0: it was revoked.
    AdmissionSet { judge: Address, admitted: u8 }
    /// A key may commit batches; `admitted` 0: it was revoked.
    ProctorSet { proctor: Address, admitted: u8 }
    /// A version of the rules was made.
    RulesSet { number: u32, from: i64 }
    /// An agent registered or changed.
    AgentSet { authority: Address, agent: Address, operator: Address, card_hash: [u8; 32], page: u32 }
    /// A deposit or a withdrawal.
    VaultMoved { authority: Address, delta: i64, vault: u64 }
    /// Data was written; `len` 0: the account was closed.
    DataSet { authority: Address, data: Address, len: u32 }
    /// A grant was made or replaced; `flags` 0: revoked.
    GrantSet { data: Address, task: Address, grantee: Address, flags: u8 }
    /// A task made a step. `actor` is zero where anyone may.
    TaskMoved {
        task: Address, actor: Address, from: u8, to: u8, outcome: u8, resolution: u8, hash: [u8; 32],
        amount: u64, deadline: i64, at: i64,
    }
    /// Lamports of a task went to a vault, or to the Pot (`to` is zero); `kind` is one of [`paid`].
    Paid { task: Address, to: Address, kind: u8, amount: u64 }
    /// Stake came or went; `kind` is one of [`stake`].
    StakeMoved { judge: Address, index: u16, delta: i64, stake: u64, kind: u8 }
    /// A judge begins to leave.
    JudgeExiting { judge: Address, exit_at: i64 }
    /// A judge has another withdraw key.
    WithdrawKeySet { judge: Address, withdraw: Address }
    /// A season began, with the weight of all judges; `few` 1: too few judges hold the credential,
    /// and those of the season before count as well, or too few are proven, and novices count in
    /// full.
    SeasonBegun { weight: u64, at: i64, few: u8 }
    /// A round waits for its draw.
    CaseOpened { task: Address, round: u8, seed_slot: u64, draw_by: i64, at: i64 }
    /// A panel sits; the roster indices and the weights of its seats follow.
    Drawn { task: Address, round: u8, slot: u64, slot_hash: [u8; 32], weight: u64, commit_ends: i64 }
    /// A seat committed.
    Committed { task: Address, round: u8, seat: u8, judge: Address, commitment: [u8; 32] }
    /// A seat was revealed.
    Revealed {
        task: Address, round: u8, seat: u8, judge: Address, choice: u8, opinion_hash: [u8; 32],
        receipts_root: [u8; 32], salt: [u8; 32],
    }
    /// A round ended; its effect on each seat follows.
    RoundSettled {
        task: Address, round: u8, verdict: u8, accept: u64, reject: u64, abstain: u64, seated: u64, bond: u64,
        golden: u64, at: i64,
    }
    /// The first panel has a verdict, and its loser may appeal until then.
    Appealable { task: Address, verdict: u8, appeal_by: i64 }
    /// The loser appealed.
    Appealed { task: Address, party: Address, seats: u8, bond: u64, at: i64 }
    /// A case is over that the loser could appeal; what it brought each seat follows.
    CaseFinished { task: Address, verdict: u8, level: u8, bond: u64, golden: u64, at: i64 }
    /// Equivocation was shown.
    Slashed { task: Address, round: u8, seat: u8, judge: Address, amount: u64 }
    /// Rewards went to the judge's withdraw key, or where that key said.
    RewardClaimed { judge: Address, amount: u64 }
    /// An account was closed.
    Closed { account: Address, to: Address, amount: u64 }
    /// Lamports went from vault to vault for data; `paid` is the sum of all such between the two.
    DataPaid { payer: Address, payee: Address, amount: u64, paid: u64 }
    /// A proctor committed to a batch.
    BatchCommitted { batch: u64, proctor: Address, root: [u8; 32], leaves: u32, deposit: u64, open_by: i64, at: i64 }
    /// A leaf was opened; `void` 1: it has no golden case.
    LeafOpened {
        batch: u64, index: u32, task: Address, answer: u8, generator: [u8; 32], seed: [u8; 32], void: u8, at: i64,
    }
    /// A leaf was applied; its effect on each seat follows.
    LeafApplied { task: Address, batch: u64, answer: u8, taken: u64, paid: u64, fee: u64, at: i64 }
    /// A batch is over; `outcome` is one of [`closed`], `amount` went to the proctor.
    BatchClosed { batch: u64, proctor: Address, outcome: u8, amount: u64 }
    /// A case has found that a leaf is false; `amount` went to the vault of the worker that said
    /// so.
    ChallengeUpheld { batch: u64, golden: Address, task: Address, to: Address, amount: u64 }
}

/// Kinds of [`Paid`].
pub mod paid {
    /// The reward, to the worker.
    pub const REWARD: u8 = 1;
    /// The escrow, to the creator.
    pub const REFUND: u8 = 2;
    /// A bond, to the party that posted it.
    pub const BOND_BACK: u8 = 3;
    /// The rest of an auction, to the creator.
    pub const EXCESS: u8 = 4;
    /// The share of the Pot in the payment of a worker, to the Pot.
    pub const TRADE: u8 = 5;
    /// The bond of a claim, to the worker.
    pub const CLAIM_BACK: u8 = 6;
    /// The bond of a claim whose deadline was missed, to the creator or the Pot.
    pub const CLAIM_LOST: u8 = 7;
    /// The fee of another engine, to the agent that the task names.
    pub const ENGINE_FEE: u8 = 8;
    /// What the silence of another engine costs the side that profits, to the Pot.
    pub const SILENCE: u8 = 9;
}

/// Ends of a batch.
pub mod closed {
    /// Its leaves were applied, as far as their cases existed.
    pub const APPLIED: u8 = 1;
    /// It was not open in time, or out of balance: the deposit is the Pot's.
    pub const FORFEITED: u8 = 2;
    /// The same, but the court was paused meanwhile: the deposit is the proctor's.
    pub const PAUSED: u8 = 3;
    /// A leaf is false: the deposit is the Pot's and the challenger's.
    pub const FALSE: u8 = 4;
    /// A first panel found a leaf false, and an appeal decided nothing: the challenger has its part
    /// of the deposit, and the proctor has the rest.
    pub const DOUBTED: u8 = 5;
}

/// Kinds of [`StakeMoved`].
pub mod stake {
    /// A judge joined.
    pub const JOINED: u8 = 1;
    /// Somebody added to a judge's stake.
    pub const TOPPED_UP: u8 = 2;
    /// A judge left.
    pub const WITHDRAWN: u8 = 3;
}

impl Drawn {
    /// Logs it with the case's panel.
    #[inline(never)]
    pub fn log_panel(&self, case: &Hearing) -> Outcome {
        log_with::<Self, MAX_EVENT>(self, |line| {
            line.put(&(case.seats as u32).to_le_bytes())?;
            case.seated()
                .iter()
                .try_for_each(|seat| line.put(&seat.index.to_le_bytes())?.put_u64(seat.weight).map(|_| ()))
        })
    }
}

impl RoundSettled {
    /// Logs it with the effect on each seat, except equivocation slashes, which are logged when
    /// proved. If a case `expired`, the seats of the round before may earn, but are not slashed.
    #[inline(never)]
    pub fn log_seats(&self, case: &Hearing, expired: bool) -> Outcome {
        log_with::<Self, MAX_EVENT>(self, |line| {
            line.put(&(case.seats as u32).to_le_bytes())?;
            case.seated().iter().try_for_each(|seat| {
                let told = expired || seat.result == result::EQUIVOCATED;
                let slashed = if told { 0 } else { seat.slashed };
                line.put(&[seat.result])?.put_u64(slashed)?.put_u64(seat.earned).map(|_| ())
            })
        })
    }
}

impl LeafApplied {
    /// Logs it with the effect on each seat: those of the first panel before those of the appeal.
    #[inline(never)]
    pub fn log_seats(&self, case: &Hearing, done: &Applied) -> Outcome {
        log_with::<Self, MAX_EVENT>(self, |line| {
            let seats = case.level(true).len() + case.level(false).len();
            line.put(&(seats as u32).to_le_bytes())?;
            done.seats.iter().take(seats).try_for_each(|seat| {
                line.put(&[seat.result])?.put_u64(seat.slashed)?.put_u64(seat.earned).map(|_| ())
            })
        })
    }
}

impl CaseFinished {
    /// Logs it with the end for each seat of the first panel, and of the appeal if there was one:
    /// everything that it lost, but for equivocation and silence, and earned.
    #[inline(never)]
    pub fn log_all(&self, case: &Hearing) -> Outcome {
        log_with::<Self, MAX_EVENT>(self, |line| {
            let seats = || case.level(true).iter().chain(case.level(false));
            line.put(&(seats().count() as u32).to_le_bytes())?;
            seats().try_for_each(|seat| line.put_u64(seat.slashed)?.put_u64(seat.earned).map(|_| ()))
        })
    }
}

/// Logs the fields as one `Program data:` line in base64. Costs 100 compute
/// units, 100 for each field and one for each byte. On a host it does nothing.
#[inline(always)]
fn emit(fields: &[&[u8]]) {
    #[cfg(any(target_os = "solana", target_arch = "bpf"))]
    // SAFETY: the runtime reads `fields.len()` pairs of address and length: a slice of slices.
    unsafe {
        syscalls::sol_log_data(fields.as_ptr().cast(), fields.len() as u64);
    }
    #[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
    core::hint::black_box(fields);
}

/// Sets the transaction's return data, at most 1,024 bytes, for the probe. No effect on a host.
#[cfg(feature = "probe")]
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
#[path = "event_test.rs"]
mod tests;
