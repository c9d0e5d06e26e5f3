//! The eight events of the specification (C.1 to C.4), hashes and return data.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;
#[cfg(any(target_os = "solana", target_arch = "bpf"))]
use pinocchio::syscalls;

use crate::error::Outcome;
use crate::layout::discriminator;
use crate::wire::Writer;

/// Bytes of the longest event, with its discriminator.
const MAX_EVENT: usize = 8 + size_of::<ResultSubmitted>();

/// An event with fields of fixed sizes. The bytes of the struct are logged.
pub trait Event: Pod {
    /// The event's name.
    const NAME: &'static str;

    /// The discriminator at the start of its log line.
    const KIND: [u8; 8] = discriminator("event:", Self::NAME);

    /// Logs it as one slice.
    #[inline(never)]
    fn log(&self) -> Outcome {
        const { assert!(8 + size_of::<Self>() <= MAX_EVENT, "the buffer holds the event") };
        let mut line = Writer::<MAX_EVENT>::new();
        line.put(&Self::KIND)?.put(bytemuck::bytes_of(self))?;
        emit(&[line.written()]);
        Ok(())
    }
}

macro_rules! events {
    ($($(#[doc = $doc:literal])+ $event:ident { $($field:ident: $kind:ty),+ $(,)? })+) => {
        $(
            $(#[doc = $doc])+
            #[repr(C, packed)]
            #[derive(Clone, Copy, Pod, Zeroable)]
            #[allow(missing_docs, reason = "the fields are those of the specification")]
            pub struct $event { $(pub $field: $kind),+ }

            impl Event for $event {
                const NAME: &'static str = stringify!($event);
            }
        )+
    };
}

events! {
    /// C.1: a task was created.
    TaskCreated { task: Address, requester: Address, total_budget: u64, deadline: i64 }
    /// C.1: a worker was drawn.
    WorkerSelected { task: Address, worker: Address, stake_locked: u64 }
    /// C.1: an evaluator was drawn.
    EvaluatorSelected { task: Address, evaluator: Address, stake_locked: u64 }
    /// C.2: a result was revealed; the time is that of its commitment.
    ResultSubmitted { task: Address, worker: Address, result_hash: [u8; 32], timestamp: i64 }
    /// C.3: an evaluation of one result was revealed.
    EvaluationSubmitted { task: Address, evaluator: Address, worker: Address, score: u8, confidence: u8 }
    /// C.4: budget and stakes were divided. The hash is that of the first result of the paid
    /// cluster, or zero if the task is inconclusive.
    TaskSettled { task: Address, winning_cluster_hash: [u8; 32], total_paid: u64, total_slashed: u64 }
    /// C.4: somebody brought another outcome to the court.
    DisputeOpened { task: Address, disputant: Address, arbitration_deadline: i64 }
    /// C.4: the court decided. The arbitrator is the court's program.
    DisputeResolved { task: Address, upheld: u8, arbitrator: Address }
}

/// Logs the fields as one `Program data:` line in base64. On a host it does nothing.
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

/// Sets the transaction's return data, at most 1,024 bytes. No effect on a host.
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
