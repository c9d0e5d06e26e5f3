//! `create_class`.

use bytemuck::Zeroable;
use pinocchio::Address;

use super::named;
use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::state::class::{Class, MAX_NEAR, Parameters, SEED};
use crate::wire::Reader;

/// Makes a task class. Anybody may; nothing changes its numbers, and which classes are near to it.
///
/// Arguments: id, parameters, near (a vector of keys). Accounts: creator sw, class w, system.
pub fn create(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let id = *arguments.bytes::<32>()?;
    let mut parameters = Parameters::zeroed();
    bytemuck::bytes_of_mut(&mut parameters)
        .copy_from_slice(arguments.bytes::<{ size_of::<Parameters>() }>()?);
    let near = arguments.vector()?;
    arguments.end()?;
    let [creator, mut at, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let seeds = [SEED, creator.address().as_ref(), &id];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    named(&id)?;
    parameters.check()?;
    let near = nearby(near, at.address(), &parameters)?;

    let birth = Birth { payer: &creator, account: &at, program: cx.program, space: Class::SIZE };
    birth.create::<Class, 3>(&seeds, bump)?;
    let mut class = account::lend::<Class>(&mut at)?;
    (class.creator, class.id, class.parameters) = (*creator.address(), id, parameters);
    class.near = near;
    Ok(())
}

/// The near classes: at most [`MAX_NEAR`], none twice, and not the class itself. Records are of
/// golden tasks.
#[inline(never)]
fn nearby(bytes: &[u8], own: &Address, parameters: &Parameters) -> Outcome<[Address; MAX_NEAR]> {
    let mut near = [Address::default(); MAX_NEAR];
    let lawful = bytes.len() % 32 == 0 && bytes.len() <= size_of_val(&near);
    require(lawful && (bytes.is_empty() || parameters.golden > 0), Error::BAD_PARAMETER)?;
    for (i, key) in bytes.chunks_exact(32).enumerate() {
        let key: [u8; 32] = key.try_into().map_err(|_| Error::BAD_PARAMETER)?;
        let key = Address::new_from_array(key);
        let known = key == *own || key == Address::default() || near[..i].contains(&key);
        require(!known, Error::BAD_PARAMETER)?;
        near[i] = key;
    }
    Ok(near)
}
