//! Logs, sysvars, signatures and addresses.

use crate::account;
use crate::ed25519 as signatures;
use crate::entry::Cx;
use crate::error::{Error, Outcome};
use crate::event;
use crate::pda;
use crate::sysvar;
use crate::wire::{Reader, Writer};

/// Logs the arguments as text.
pub(super) fn log(cx: &mut Cx) -> Outcome {
    let text = core::str::from_utf8(cx.data).map_err(|_| Error::MALFORMED_ARGUMENTS)?;
    event::log(text);
    Ok(())
}

/// Logs a tag and the arguments as an event of two fields.
pub(super) fn emit(cx: &mut Cx) -> Outcome {
    event::emit(&[b"oju:prob", cx.data]);
    Ok(())
}

/// Slot and time, as return data.
pub(super) fn clock(_: &mut Cx) -> Outcome {
    let clock = sysvar::clock()?;
    let mut answer = Writer::<16>::new();
    answer.put_u64(clock.slot)?.put_u64(clock.time)?;
    event::give(answer.written());
    Ok(())
}

/// The minimum balance of an account of as many bytes as the argument says, as return data.
pub(super) fn rent(cx: &mut Cx) -> Outcome {
    let space = Reader::new(cx.data).u32()? as usize;
    event::give(&sysvar::Rent::get()?.minimum(space)?.to_le_bytes());
    Ok(())
}

/// The first block at or after the slot of the argument, as return data.
pub(super) fn slot_hash(cx: &mut Cx) -> Outcome {
    let block = sysvar::slot_hash(Reader::new(cx.data).u64()?)?;
    let mut answer = Writer::<40>::new();
    answer.put_u64(block.slot)?.put(&block.hash)?;
    event::give(answer.written());
    Ok(())
}

/// Key and message of signature `i` of instruction `index`, as return data. Account: instructions sysvar.
pub(super) fn ed25519(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (index, i) = (arguments.u8()? as usize, arguments.u8()? as usize);
    arguments.end()?;
    let [sysvar] = account::first(cx.accounts)?;
    let instructions = signatures::instructions(sysvar)?;
    let instruction = signatures::verified(&instructions, index)?;
    let signed = signatures::signed(instruction.get_instruction_data(), i)?;
    let mut answer = Writer::<512>::new();
    answer.put(signed.key)?.put(signed.message)?;
    event::give(answer.written());
    Ok(())
}

/// Address and bump of the argument as seed, as return data.
pub(super) fn find_pda(cx: &mut Cx) -> Outcome {
    let (address, bump) = pda::find(&[b"counter", cx.data], cx.program)?;
    let mut answer = Writer::<33>::new();
    answer.put(address.as_array())?.put(&[bump])?;
    event::give(answer.written());
    Ok(())
}

/// Checks the first account against bump and seed.
pub(super) fn check_pda(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (bump, id) = (arguments.u8()?, arguments.bytes::<8>()?);
    let [account] = account::first(cx.accounts)?;
    pda::check(account, &[b"counter", id], bump, cx.program)
}

/// Sends lamports of a wallet to another account by the System program. Accounts: from, to, System program.
pub(super) fn transfer(cx: &mut Cx) -> Outcome {
    let lamports = Reader::new(cx.data).u64()?;
    let [from, to] = account::first(cx.accounts)?;
    pda::transfer(from, to, lamports)
}
