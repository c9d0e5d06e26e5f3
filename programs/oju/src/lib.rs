//! The oju program: tasks, escrow, judges and disputes on Solana.
//!
//! The crate builds for three targets: `bpfel-unknown-none` with upstream Rust
//! (`build.sh`), Solana's own compiler (`cargo build-sbf`), and the host for
//! `cargo test`. Therefore code that calls a syscall is gated on
//! `any(target_os = "solana", target_arch = "bpf")`, never on `target_os` alone.
#![no_std]

#[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
extern crate std;

pub mod account;
pub mod arith;
pub mod ed25519;
pub mod entry;
pub mod error;
pub mod event;
pub mod instruction;
pub mod layout;
#[cfg(target_arch = "bpf")]
mod memory;
pub mod pda;
pub mod rule;
pub mod state;
pub mod sysvar;
#[cfg(test)]
mod vectors;
pub mod wire;

#[cfg(feature = "probe")]
#[path = "../probe/mod.rs"]
pub mod probe;

#[cfg(feature = "probe")]
pub use probe::route;

#[cfg(feature = "signers")]
#[path = "../signers/mod.rs"]
pub mod signers;

#[cfg(feature = "signers")]
pub use signers::route;

#[cfg(feature = "escrow")]
#[path = "../escrow/mod.rs"]
pub mod escrow;

#[cfg(feature = "escrow")]
pub use escrow::route;

// In the order of protocol section 5.
#[cfg(not(feature = "other"))]
entry::routes! {
    "init_config" => instruction::begin::init,
    "propose_rules" => instruction::rules::propose,
    "withdraw_rules" => instruction::rules::withdraw,
    "propose_authority" => instruction::authority::propose,
    "accept_authority" => instruction::authority::accept,
    "give_up" => instruction::authority::give_up,
    "pause" => instruction::authority::pause,
    "open_court" => instruction::authority::open_court,
    "admit_judge" => instruction::admission::admit,
    "revoke_admission" => instruction::admission::revoke,
    "admit_proctor" => instruction::proctor::admit,
    "revoke_proctor" => instruction::proctor::revoke,
    "register_agent" => instruction::agent::register,
    "update_agent" => instruction::agent::update,
    "deposit" => instruction::vault::deposit,
    "withdraw" => instruction::vault::withdraw,
    "withdraw_tokens" => instruction::tokens::withdraw,
    "pledge_tokens" => instruction::pledge::pledge,
    "pay_pledge" => instruction::pledge::pay,
    "write_data" => instruction::data::write,
    "grant" => instruction::grant::grant,
    "revoke" => instruction::grant::revoke,
    "close_data" => instruction::data::close,
    "create_task" => instruction::offer::create,
    "cancel_task" => instruction::offer::cancel,
    "claim_task" => instruction::claim::claim,
    "release_task" => instruction::claim::release,
    "start_task" => instruction::work::start,
    "submit_result" => instruction::work::submit,
    "accept" => instruction::work::accept,
    "object" => instruction::objection::object,
    "rework" => instruction::objection::rework,
    "counter_object" => instruction::counter::counter_object,
    "expire" => instruction::expire::expire,
    "join_roster" => instruction::join::join,
    "top_up" => instruction::join::top_up,
    "begin_exit" => instruction::exit::begin,
    "withdraw_stake" => instruction::exit::withdraw,
    "change_withdraw" => instruction::exit::change_withdraw,
    "begin_season" => instruction::season::begin,
    "draw" => instruction::draw::draw,
    "commit" => instruction::commit::commit,
    "relay_commit" => instruction::relay::relay,
    "reveal" => instruction::reveal::reveal,
    "settle" => instruction::settle::settle,
    "appeal" => instruction::appeal::appeal,
    "finish_case" => instruction::settle::finish,
    "expire_case" => instruction::settle::expire,
    "slash_equivocation" => instruction::slash::slash,
    "claim_reward" => instruction::reward::claim,
    "close_task" => instruction::close::task,
    "close_case" => instruction::close::case,
    "pull_payment" => instruction::pay::pull,
    "publish_verdict" => instruction::verdict::publish,
    "settle_by_engine" => instruction::engine::settle,
    "open_case" => instruction::counter::open_case,
    "open_dispute" => instruction::dispute::open,
    "join_dispute" => instruction::dispute::join,
    "settle_dispute" => instruction::dispute::settle,
    "commit_batch" => instruction::proctor::commit,
    "open_leaf" => instruction::golden::open,
    "apply_leaf" => instruction::golden::apply,
    "close_batch" => instruction::proctor::close,
    "uphold_challenge" => instruction::challenge::uphold,
    "appeal_challenge" => instruction::challenge::appeal,
}
