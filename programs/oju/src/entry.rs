//! From the runtime's input to a handler, and from its outcome to the runtime's code.

use core::mem::MaybeUninit;

use pinocchio::{AccountView, Address, entrypoint};

use crate::error::{Error, Outcome};

/// Accounts that an instruction may have. A transaction locks 64 at most.
pub const MAX_ACCOUNTS: usize = 64;

/// The input of a handler. It is one reference, because a BPF function has five argument
/// registers and no stack arguments, and the usual three parameters and a result take six.
pub struct Cx<'a> {
    /// This program's address.
    pub program: &'a Address,
    /// The accounts in the order of the instruction, duplicates included.
    pub accounts: &'a mut [AccountView],
    /// The arguments behind the discriminator.
    pub data: &'a [u8],
}

/// A handler of one instruction.
pub type Handler = fn(&mut Cx) -> Outcome;

/// Maps the first eight bytes of an instruction, as a little-endian number, to a handler.
pub type Route = fn(u64) -> Option<Handler>;

/// Runs one instruction and returns the runtime's code: 0, or the code of an [`Error`].
///
/// # Safety
/// `input` must be the buffer that the runtime passes to a program's entrypoint.
#[inline(always)]
pub unsafe fn run(input: *mut u8, route: Route) -> u64 {
    let mut views = [const { MaybeUninit::<AccountView>::uninit() }; MAX_ACCOUNTS];
    // SAFETY: `input` is the runtime's, and `deserialize` initialises the first `count` views.
    let (program, accounts, data) = unsafe {
        let (program, count, data) = entrypoint::deserialize::<MAX_ACCOUNTS>(input, &mut views);
        (program, core::slice::from_raw_parts_mut(views.as_mut_ptr().cast(), count), data)
    };
    match dispatch(&mut Cx { program, accounts, data }, route) {
        Ok(()) => 0,
        Err(error) => error.code() as u64,
    }
}

/// Takes the discriminator off the data and calls the handler it names.
#[inline(always)]
pub fn dispatch(cx: &mut Cx, route: Route) -> Outcome {
    let (head, tail) = cx.data.split_first_chunk().ok_or(Error::BAD_INSTRUCTION)?;
    let handler = route(u64::from_le_bytes(*head)).ok_or(Error::BAD_INSTRUCTION)?;
    cx.data = tail;
    handler(cx)
}

/// Called by the runtime with the serialised instruction.
///
/// # Safety
/// Only the runtime may call it.
#[cfg(any(target_os = "solana", target_arch = "bpf"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn entrypoint(input: *mut u8) -> u64 {
    // SAFETY: the runtime is the caller.
    unsafe { run(input, crate::route) }
}

/// Logs file, line and column, and aborts the transaction.
#[cfg(any(target_os = "solana", target_arch = "bpf"))]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    use pinocchio::syscalls;
    let Some(place) = info.location() else {
        // SAFETY: it has no arguments.
        unsafe { syscalls::abort() }
    };
    let (file, line, column) = (place.file(), place.line() as u64, place.column() as u64);
    // SAFETY: the address and the length are those of a string.
    unsafe { syscalls::sol_panic_(file.as_ptr(), file.len() as u64, line, column) }
}

/// Defines a [`Route`] from names to handlers. An instruction begins with
/// `sha256("global:" ‖ name)[0..8]`. LLVM makes a search tree of these one-word comparisons.
macro_rules! routes {
    ($($name:literal => $handler:path),* $(,)?) => {
        /// The handler of each instruction, by its first eight bytes as a little-endian number.
        pub fn route(discriminator: u64) -> Option<$crate::entry::Handler> {
            match discriminator {
                $(word if word == const { $crate::entry::word($name) } => Some($handler),)*
                _ => None,
            }
        }

        /// The names of all instructions.
        pub const INSTRUCTIONS: &[&str] = &[$($name),*];
    };
}
pub(crate) use routes;

/// An instruction's discriminator as a little-endian number.
pub const fn word(name: &str) -> u64 {
    u64::from_le_bytes(crate::layout::discriminator("global:", name))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(not(feature = "other"))]
    use crate::vectors::{bytes, load};

    fn is_seven(cx: &mut Cx) -> Outcome {
        if cx.data == [7] { Ok(()) } else { Err(Error::NO_GRANT) }
    }

    mod few {
        super::routes! {
            "is_seven" => super::is_seven,
        }
    }

    fn call(name: &str, tail: &[u8]) -> Outcome {
        let data = [&word(name).to_le_bytes(), tail].concat();
        let accounts = &mut [];
        dispatch(&mut Cx { program: &Address::default(), accounts, data: &data }, few::route)
    }

    #[test]
    fn the_first_eight_bytes_choose_the_handler() {
        assert_eq!(call("is_seven", &[7]), Ok(()));
        assert_eq!(call("is_seven", &[8]), Err(Error::NO_GRANT));
        assert_eq!(call("is_eight", &[7]), Err(Error::BAD_INSTRUCTION));
        let (program, accounts, data) = (&Address::default(), &mut [], &[1; 7]);
        assert_eq!(dispatch(&mut Cx { program, accounts, data }, few::route), Err(Error::BAD_INSTRUCTION));
        assert_eq!(few::INSTRUCTIONS, ["is_seven"]);
    }

    #[cfg(not(feature = "other"))]
    #[test]
    fn instructions_are_those_of_the_vectors() {
        let vectors = load("names.json");
        let named = vectors["instructions"].as_array().unwrap();
        assert_eq!(named.len(), crate::INSTRUCTIONS.len());
        for (vector, name) in named.iter().zip(crate::INSTRUCTIONS) {
            assert_eq!(vector["name"], *name);
            assert_eq!(bytes(&vector["discriminator"]), word(name).to_le_bytes());
            assert!(crate::route(word(name)).is_some());
        }
    }

    /// A handler that reads other arguments than the vector fails before it looks at accounts.
    #[cfg(not(feature = "other"))]
    #[test]
    fn every_instruction_reads_its_arguments() {
        let vectors = load("instructions.json");
        for vector in vectors.as_array().unwrap() {
            let data = bytes(&vector["data"]);
            let run = |data: &[u8]| {
                dispatch(&mut Cx { program: &Address::default(), accounts: &mut [], data }, crate::route)
            };
            assert_eq!(run(&data), Err(Error::NOT_ENOUGH_ACCOUNTS), "{}", vector["name"]);
            assert_eq!(run(&[&data[..], &[0]].concat()), Err(Error::BAD_INSTRUCTION), "{}", vector["name"]);
            for length in 0..data.len() {
                assert_eq!(run(&data[..length]), Err(Error::BAD_INSTRUCTION), "{} {length}", vector["name"]);
            }
        }
    }
}
