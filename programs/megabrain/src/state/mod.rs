//! The program's accounts.

pub mod class;
pub mod task;
pub mod treasury;

/// Implements [`crate::account::Located`] by the seeds of a record's address.
macro_rules! located {
    ($record:ident, |$it:ident| $seeds:expr) => {
        impl $crate::layout::Record for $record {
            const NAME: &'static str = stringify!($record);
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
