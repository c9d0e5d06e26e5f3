//! The instructions (protocol section 5), one file per concept.
//!
//! Every handler has the same order: read the arguments; take and open the accounts; check
//! authority, status, time, arguments and money; only then change anything and log it. System
//! program calls come before lamports are moved by hand. No record is held during one.

pub mod admission;
pub mod agent;
pub mod appeal;
pub mod authority;
pub mod begin;
pub mod challenge;
pub mod claim;
pub mod close;
pub mod commit;
pub mod counter;
pub mod data;
pub mod dispute;
pub mod draw;
pub mod engine;
pub mod exit;
pub mod expire;
pub mod golden;
pub mod grant;
pub mod join;
pub mod objection;
pub mod offer;
pub mod pay;
pub mod payout;
pub mod pledge;
pub mod proctor;
pub mod relay;
pub mod reveal;
pub mod reward;
pub mod rules;
pub mod season;
pub mod settle;
pub mod slash;
pub mod tokens;
pub mod vault;
pub mod verdict;
pub mod work;
