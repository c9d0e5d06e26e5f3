//! The MegaBrain program: several workers do one task apart from each other, evaluators score the
//! results, and the budget goes to results that mean the same and that the scores support.
//!
//! The modules without a folder here are those of the court's program, `../oju`: accounts, layouts,
//! addresses, sysvars and arithmetic.
#![no_std]

#[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
extern crate std;

#[path = "../../oju/src/account.rs"]
pub mod account;
#[path = "../../oju/src/arith.rs"]
pub mod arith;
mod court;
#[path = "../../oju/src/entry.rs"]
pub mod entry;
pub mod error;
pub mod event;
pub mod instruction;
#[path = "../../oju/src/layout.rs"]
pub mod layout;
#[cfg(target_arch = "bpf")]
#[path = "../../oju/src/memory.rs"]
mod memory;
#[path = "../../oju/src/pda.rs"]
pub mod pda;
pub mod rule;
pub mod state;
#[path = "../../oju/src/sysvar.rs"]
pub mod sysvar;
#[path = "../../oju/verdict/src/lib.rs"]
#[allow(unused_attributes, dead_code, reason = "it is a crate of its own, too")]
mod verdict;
#[path = "../../oju/src/wire.rs"]
pub mod wire;

entry::routes! {
    "init" => instruction::treasury::init,
    "withdraw_treasury" => instruction::treasury::withdraw,
    "create_class" => instruction::class::create,
    "register" => instruction::member::register,
    "leave" => instruction::member::leave,
    "withdraw" => instruction::member::withdraw,
    "vouch" => instruction::vouch::vouch,
    "agree" => instruction::vouch::agree,
    "release" => instruction::vouch::release,
    "link" => instruction::near::link,
    "create_task" => instruction::task::create,
    "extend_task" => instruction::task::extend,
    "draw" => instruction::draw::draw,
    "advance" => instruction::advance::advance,
    "commit_result" => instruction::submit::commit_result,
    "submit_result" => instruction::submit::submit_result,
    "commit_evaluation" => instruction::submit::commit_evaluation,
    "submit_evaluation" => instruction::submit::submit_evaluation,
    "post_outcome" => instruction::outcome::post,
    "dispute_result" => instruction::dispute::open,
    "resolve_dispute" => instruction::dispute::resolve,
    "settle_task" => instruction::settle::settle,
    "open_golden" => instruction::golden::open,
    "appeal_golden" => instruction::appeal::appeal,
    "end_golden" => instruction::golden::end,
    "close_task" => instruction::task::close,
    "get_task_state" => instruction::view::state,
    "get_task_participants" => instruction::view::participants,
    "get_result" => instruction::view::result,
    "get_reputation" => instruction::view::reputation,
}
