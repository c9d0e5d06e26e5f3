//! `write_data` and `close_data`: named bytes of an agent. Anybody can read them.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Closed, DataSet, Event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::state::agent::Agent;
use crate::state::data::{self, AgentData, MAX_BYTES, MAX_WRITE};
use crate::state::task::Task;
use crate::sysvar::{Rent, clock};
use crate::wire::Reader;

/// The position and the bytes of a write.
struct Write<'a> {
    name: &'a [u8],
    offset: u32,
    len: u32,
    bytes: &'a [u8],
}

impl<'a> Write<'a> {
    /// The name is checked at once: a bad one has no address.
    fn read(data: &'a [u8]) -> Outcome<Self> {
        let mut arguments = Reader::new(data);
        let (name, offset, len, bytes) =
            (arguments.vector()?, arguments.u32()?, arguments.u32()?, arguments.vector()?);
        arguments.end()?;
        data::check_name(name)?;
        Ok(Write { name, offset, len, bytes })
    }

    fn check(&self) -> Outcome {
        let end = self.offset as u64 + self.bytes.len() as u64;
        let fits = self.len <= MAX_BYTES && self.bytes.len() <= MAX_WRITE && end <= self.len as u64;
        require(fits, Error::DATA_TOO_LARGE)
    }
}

/// Creates the account or resizes it to `len`, then writes. The agent may do it, or
/// the holder of a write grant, which names the task and must give the present length.
///
/// Arguments: name string, offset u32, len u32, bytes. Accounts: writer
/// sw, agent, data w, task (or the program's own address), system.
pub fn write(cx: &mut Cx) -> Outcome {
    let write = Write::read(cx.data)?;
    let [writer, agent, mut data, task, system] = account::take(cx.accounts, [SW, R, W, R, R])?;
    account::system(&system)?;
    let authority = account::read::<Agent>(&agent, cx.program)?.authority;
    let seeds = [data::SEED, authority.as_ref(), write.name];
    let own = authority == *writer.address();
    let fresh = match data.is_data_empty() {
        true => Some(pda::vacant(&data, &seeds, cx.program)?),
        false => {
            may_write(&mut data, &write, &authority, (own, &writer, &task), cx.program)?;
            None
        }
    };
    require(own || fresh.is_none(), Error::NOT_AUTHORITY)?;
    write.check()?;
    let now = clock()?.time;

    match fresh {
        Some(bump) => {
            let space = AgentData::SIZE + write.len as usize;
            let birth = Birth { payer: &writer, account: &data, program: cx.program, space };
            birth.create::<AgentData, 3>(&seeds, bump)?;
        }
        None => resize(&writer, &mut data, AgentData::SIZE + write.len as usize)?,
    }
    put(&mut data, &write, &authority, now)?;
    DataSet { authority, data: *data.address(), len: write.len }.log()
}

/// Checks the existing account and the writer's right to it.
#[inline(never)]
fn may_write(
    data: &mut AccountView,
    write: &Write,
    authority: &Address,
    (own, writer, task): (bool, &AccountView, &AccountView),
    program: &Address,
) -> Outcome {
    let mut listed = account::open_list::<AgentData>(data, program)?;
    let (record, _) = listed.parts()?;
    let same = record.authority == *authority && record.name_bytes() == write.name;
    require(same, Error::WRONG_ADDRESS)?;
    if own {
        return Ok(());
    }
    let terms = account::read::<Task>(task, program)?;
    let granted = record.may_write(task.address(), &terms.worker, writer.address());
    require(granted && !terms.over(), Error::NO_GRANT)?;
    require(record.len == write.len, Error::NOT_AUTHORITY)
}

/// Resizes the account. The writer pays missing rent, and gets surplus rent.
fn resize(writer: &AccountView, data: &mut AccountView, space: usize) -> Outcome {
    if space == data.data_len() {
        return Ok(());
    }
    let (rent, shrinks) = (Rent::get()?.minimum(space)?, space < data.data_len());
    let held = data.lamports();
    if held < rent {
        pda::transfer(writer, data, rent - held)?;
    }
    account::resize(data, space)?;
    if shrinks && held > rent {
        let mut writer = *writer;
        account::pay(data, &mut writer, held - rent)?;
    }
    Ok(())
}

fn put(data: &mut AccountView, write: &Write, authority: &Address, now: i64) -> Outcome {
    let mut data = data.try_borrow_mut()?;
    let (head, content) = data.split_at_mut(AgentData::SIZE);
    let head: &mut AgentData = bytemuck::from_bytes_mut(head);
    (head.authority, head.len, head.updated_at) = (*authority, write.len, now);
    head.set_name(write.name);
    let (from, to) = (write.offset as usize, write.offset as usize + write.bytes.len());
    content.get_mut(from..to).ok_or(Error::DATA_TOO_LARGE)?.copy_from_slice(write.bytes);
    Ok(())
}

/// Removes the account; its lamports go to the agent's wallet. Accounts: authority sw, data w.
pub fn close(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut authority, mut data] = account::take(cx.accounts, [SW, W])?;
    let mut listed = account::open_list::<AgentData>(&mut data, cx.program)?;
    let owner = listed.parts()?.0.authority;
    require(owner == *authority.address(), Error::NOT_AUTHORITY)?;
    drop(listed);

    let (at, to) = (*data.address(), *authority.address());
    let amount = account::close(&mut data, &mut authority)?;
    DataSet { authority: to, data: at, len: 0 }.log()?;
    Closed { account: at, to, amount }.log()
}
