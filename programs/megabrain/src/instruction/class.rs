//! `create_class`.

use bytemuck::Zeroable;

use super::named;
use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::Outcome;
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::state::class::{Class, Parameters, SEED};
use crate::wire::Reader;

/// Makes a task class. Anybody may; nothing changes its numbers.
///
/// Arguments: id, parameters. Accounts: creator sw, class w, system.
pub fn create(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let id = *arguments.bytes::<32>()?;
    let mut parameters = Parameters::zeroed();
    bytemuck::bytes_of_mut(&mut parameters)
        .copy_from_slice(arguments.bytes::<{ size_of::<Parameters>() }>()?);
    arguments.end()?;
    let [creator, mut at, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let seeds = [SEED, creator.address().as_ref(), &id];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    named(&id)?;
    parameters.check()?;

    let birth = Birth { payer: &creator, account: &at, program: cx.program, space: Class::SIZE };
    birth.create::<Class, 3>(&seeds, bump)?;
    let mut class = account::lend::<Class>(&mut at)?;
    (class.creator, class.id, class.parameters) = (*creator.address(), id, parameters);
    Ok(())
}
