//! `register_agent` and `update_agent`: the registry of agents, and their own declarations.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, S, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{AgentSet, Event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::state::agent::{self, Agent};
use crate::state::config::Config;
use crate::state::registry::{self, Entry, PAGE_ENTRIES, Page};
use crate::sysvar::{Rent, clock};
use crate::wire::Reader;

/// Creates an agent and enters it in the registry's present page, which is created or grown.
///
/// An operator counts only if it signs.
///
/// Arguments: operator, card_hash, page. Accounts: authority sw,
/// config w, agent w, page w, system, operator s (only if one is declared).
pub fn register(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (operator, card_hash, number) = (arguments.key()?, *arguments.bytes()?, arguments.u32()?);
    arguments.end()?;
    let [authority, mut config, mut agent, mut page, system] = account::take(cx.accounts, [SW, W, W, W, R])?;
    if operator != Address::default() {
        account::cosigned(cx.accounts, 5, &operator)?;
    }
    account::system(&system)?;
    let mut config = account::open::<Config>(&mut config, cx.program)?;
    let seeds = [agent::SEED, authority.address().as_ref()];
    let bump = pda::vacant(&agent, &seeds, cx.program)?;
    let desk = Desk { payer: &authority, program: cx.program, number };
    let fresh = desk.check(&mut page)?;
    require(number as u64 == config.agent_count / PAGE_ENTRIES, Error::WRONG_PAGE)?;
    let now = clock()?.time;

    config.agent_count += 1;
    let birth = Birth { payer: &authority, account: &agent, program: cx.program, space: Agent::SIZE };
    birth.create::<Agent, 2>(&seeds, bump)?;
    let entry = Entry { authority: *authority.address(), agent: *agent.address() };
    desk.enter(&mut page, fresh, entry)?;
    let mut agent = account::lend::<Agent>(&mut agent)?;
    (agent.page, agent.registered_at, agent.authority) = (number, now, entry.authority);
    (agent.operator, agent.card_hash) = (operator, card_hash);
    AgentSet { authority: entry.authority, agent: entry.agent, operator, card_hash, page: number }.log()
}

/// Where agents are entered.
struct Desk<'a> {
    payer: &'a AccountView,
    program: &'a Address,
    /// Of the page.
    number: u32,
}

impl Desk<'_> {
    /// Checks the page's account and returns the bump if it must be created.
    fn check(&self, page: &mut AccountView) -> Outcome<Option<u8>> {
        if page.is_data_empty() {
            let seeds = [registry::SEED, &self.number.to_le_bytes()];
            return pda::vacant(page, &seeds, self.program).map(Some);
        }
        let mut listed = account::open_list::<Page>(page, self.program)?;
        require(listed.parts()?.0.page == self.number, Error::WRONG_ADDRESS)?;
        Ok(None)
    }

    fn enter(&self, page: &mut AccountView, fresh: Option<u8>, entry: Entry) -> Outcome {
        match fresh {
            Some(bump) => {
                let space = Page::SIZE + size_of::<Entry>();
                let birth = Birth { payer: self.payer, account: page, program: self.program, space };
                birth.create::<Page, 2>(&[registry::SEED, &self.number.to_le_bytes()], bump)?;
            }
            None => {
                let more = size_of::<Entry>();
                pda::transfer(self.payer, page, Rent::get()?.of_bytes(more)?)?;
                account::resize(page, page.data_len() + more)?;
            }
        }
        let mut data = page.try_borrow_mut()?;
        let (head, tail) = data.split_at_mut(Page::SIZE);
        let head: &mut Page = bytemuck::from_bytes_mut(head);
        (head.page, head.count) = (self.number, head.count + 1);
        if let Some(last) = tail.last_chunk_mut::<{ size_of::<Entry>() }>() {
            *last = bytemuck::cast(entry);
        }
        Ok(())
    }
}

/// Changes operator and card. A new operator counts only if it signs. The agent
/// clears its operator alone, and keeps it without another signature.
///
/// Arguments: operator, card_hash. Accounts: authority s, agent w, operator s (only a new one).
pub fn update(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (operator, card_hash) = (arguments.key()?, *arguments.bytes()?);
    arguments.end()?;
    let [authority, mut agent] = account::take(cx.accounts, [S, W])?;
    let mut agent = account::open::<Agent>(&mut agent, cx.program)?;
    if operator != Address::default() && operator != agent.operator {
        account::cosigned(cx.accounts, 2, &operator)?;
    }
    require(agent.authority == *authority.address(), Error::NOT_AUTHORITY)?;

    (agent.operator, agent.card_hash) = (operator, card_hash);
    let (agent, page, authority) = (*agent.account.address(), agent.page, agent.authority);
    AgentSet { authority, agent, operator, card_hash, page }.log()
}
