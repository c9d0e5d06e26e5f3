//! Another program, which shares the modules of the court's: an engine that decides by m of n
//! signatures (docs/signers.md).
//!
//! A group is a list of keys and a threshold. Anybody makes one, nobody changes it, and its address
//! is a hash of both. When as many of its keys as the threshold says have signed the same verdict
//! about a subject, the program writes the verdict at an address that the group is part of.
//! Therefore another group has no word about a subject whose terms name this one.

mod ballot;
mod group;

crate::entry::routes! {
    "create_group" => group::create,
    "sign_verdict" => ballot::sign,
}
