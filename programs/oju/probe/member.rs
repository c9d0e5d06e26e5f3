//! Somebody else's program as a member of a group of signers and as the claimant of a dispute, and
//! as one that pretends to be.

use pinocchio::cpi::{Seed, Signer, invoke_signed};
use pinocchio::instruction::{InstructionAccount, InstructionView};

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::Outcome;
use crate::pda;

/// Calls sign_verdict, and says that the member signs. That is true of this program's own address
/// "member", and of nobody else who did not sign.
///
/// Arguments: those of the call. Accounts: payer sw, member, group, ballot w, verdict w, system,
/// program.
pub(super) fn sign(cx: &mut Cx) -> Outcome {
    let all = account::take(cx.accounts, [SW, R, R, W, W, R, R])?;
    let [payer, member, group, ballot, verdict, system, program] = all;
    let bump = [pda::find(&[b"member"], cx.program)?.1];
    let seeds = [Seed::from(b"member"), Seed::from(&bump)];
    let accounts = [
        InstructionAccount::new(payer.address(), true, true),
        InstructionAccount::new(member.address(), false, true),
        InstructionAccount::new(group.address(), false, false),
        InstructionAccount::new(ballot.address(), true, false),
        InstructionAccount::new(verdict.address(), true, false),
        InstructionAccount::new(system.address(), false, false),
    ];
    let call = InstructionView { program_id: program.address(), data: cx.data, accounts: &accounts };
    let passed = [&payer, &member, &group, &ballot, &verdict, &system];
    Ok(invoke_signed(&call, &passed, &[Signer::from(&seeds)])?)
}

/// Calls open_dispute, and says that the claimant signs. That is true of this program's own address
/// "member", and of nobody else who did not sign.
///
/// Arguments: those of the call. Accounts: payer sw, claimant, config, rules, roster, task w,
/// verdict w, system, program.
pub(super) fn bring(cx: &mut Cx) -> Outcome {
    let all = account::take(cx.accounts, [SW, R, R, R, R, W, W, R, R])?;
    let [payer, claimant, config, rules, roster, task, verdict, system, program] = all;
    let bump = [pda::find(&[b"member"], cx.program)?.1];
    let seeds = [Seed::from(b"member"), Seed::from(&bump)];
    let accounts = [
        InstructionAccount::new(payer.address(), true, true),
        InstructionAccount::new(claimant.address(), false, true),
        InstructionAccount::new(config.address(), false, false),
        InstructionAccount::new(rules.address(), false, false),
        InstructionAccount::new(roster.address(), false, false),
        InstructionAccount::new(task.address(), true, false),
        InstructionAccount::new(verdict.address(), true, false),
        InstructionAccount::new(system.address(), false, false),
    ];
    let call = InstructionView { program_id: program.address(), data: cx.data, accounts: &accounts };
    let passed = [&payer, &claimant, &config, &rules, &roster, &task, &verdict, &system];
    Ok(invoke_signed(&call, &passed, &[Signer::from(&seeds)])?)
}
