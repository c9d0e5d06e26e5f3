//! The program's accounts (protocol section 4): their layouts, and functions of their own fields.

pub mod admission;
pub mod agent;
pub mod batch;
pub mod case;
pub mod channel;
pub mod config;
pub mod data;
pub mod pledge;
pub mod pot;
pub mod proctor;
pub mod registry;
pub mod roster;
pub mod rules;
pub mod task;
pub mod verdict;

#[cfg(test)]
mod layout_test;

/// Implements [`crate::account::Located`] by the seeds of a record's address.
macro_rules! located {
    ($record:ident, $name:literal, |$it:ident| $seeds:expr) => {
        impl $crate::layout::Record for $record {
            const NAME: &'static str = $name;
        }

        impl $crate::account::Located for $record {
            #[inline(always)]
            fn locate(
                &self,
                account: &pinocchio::AccountView,
                program: &pinocchio::Address,
            ) -> $crate::error::Outcome {
                let $it = self;
                $crate::pda::check(account, &$seeds, $it.head.bump, program)
            }
        }
    };
}
pub(crate) use located;
