// The actions of a court's actors: the instruction of each with its accounts. This file sends
// nothing.

import { commitment, joinProof, relayRequest, statement, voucher } from '../model/rule.mjs';
import { NOBODY, ascii, keyBytes, u32, u64, unhex } from './bytes.mjs';
import { ed25519 } from './call.mjs';
import { ENGINE, NETWORK, digest, engineVerdictAt } from './court.mjs';
import { PROGRAM, SOL, pda, peer, purse, wallet } from './world.mjs';

export const key = async (name) => (await wallet(name)).address;
export const agentAt = async (name) => pda([ascii('agent'), keyBytes(await key(name))]);
export const pageAt = (page) => pda([ascii('registry'), u32(page)]);
export const dataAt = async (name, label) => pda([ascii('data'), keyBytes(await key(name)), ascii(label)]);
export const taskAt = async (name, id) => pda([ascii('task'), keyBytes(await key(name)), u64(id)]);
export const channelAt = async (payer, payee) => pda([ascii('channel'), keyBytes(await key(payer)), keyBytes(await key(payee))]);
export const verdictAt = (task) => pda([ascii('verdict'), keyBytes(task)]);
export const pledgeAt = (task) => pda([ascii('pledge'), keyBytes(task)]);
export const caseAt = (task) => pda([ascii('case'), keyBytes(task)]);

/** Terms of a task that costs a SOL at once. */
export const TERMS = Object.freeze({
  task_hash: digest('task'), reward_min: SOL, reward_max: SOL, auction: 0, auction_seconds: 0, work_seconds: 3_600,
  claim_by: 0n, on_undecided: 3, seal: digest('seal'), engine: NOBODY, engine_group: NOBODY, engine_agent: NOBODY, engine_fee: 0n, engine_seconds: 0,
  on_silence: 0, seats: 0, fee_min: 0n,
});

/** Names the key that may accept the authority. */
export async function propose(authority, next) {
  return { name: 'propose_authority', args: { authority: await key(next) }, accounts: { authority } };
}

export const take = async (name) => ({ name: 'accept_authority', accounts: { authority: await wallet(name) } });

/** The key of an operator, by name, and its account, which signs unless it need not. */
async function operated(operator, signs = true) {
  return { key: operator ? await key(operator) : NOBODY, account: operator && signs ? await wallet(operator) : null };
}

export async function register(name, page, { operator, card_hash = digest(`card ${name}`) } = {}) {
  const by = await operated(operator);
  const accounts = { authority: await wallet(name), agent: await agentAt(name), page: await pageAt(page), operator: by.account };
  return { name: 'register_agent', args: { operator: by.key, card_hash, page }, accounts };
}

export async function updateAgent(name, { operator, signs = true, card_hash = digest(`new card ${name}`) } = {}) {
  const by = await operated(operator, signs);
  const accounts = { authority: await wallet(name), agent: await agentAt(name), operator: by.account };
  return { name: 'update_agent', args: { operator: by.key, card_hash }, accounts };
}

export async function deposit(name, amount, from = name) {
  return { name: 'deposit', args: { amount }, accounts: { from: await wallet(from), agent: await agentAt(name) } };
}

export async function withdraw(name, amount) {
  const accounts = { authority: await wallet(name), agent: await agentAt(name) };
  return { name: 'withdraw', args: { amount }, accounts };
}

/** `accounts` are those of the token program. */
export async function withdrawTokens(name, amount, accounts) {
  return { name: 'withdraw_tokens', args: { amount }, accounts: { authority: await wallet(name), agent: await agentAt(name), ...accounts } };
}

/** Puts tokens beside a task. */
export async function pledge(task, amount, accounts) {
  const [authority, agent] = [await wallet(task.creator), await agentAt(task.creator)];
  return { name: 'pledge_tokens', args: { amount }, accounts: { authority, agent, task, pledge: await pledgeAt(task.address), ...accounts } };
}

/** Pays a party its part of the tokens beside a task. */
export async function payPledge(task, party, accounts) {
  const [agent, pledge, to] = [await agentAt(party), await pledgeAt(task.address), await key(task.creator)];
  return { name: 'pay_pledge', accounts: { task, pledge, agent, wallet: to, ...accounts } };
}

/** `writer` writes the data of `name`; `task` names the task of its grant. */
export async function write(name, label, { offset = 0, text = '', len, writer = name, task = PROGRAM } = {}) {
  const bytes = ascii(text);
  const args = { name: ascii(label), offset, len: len ?? offset + bytes.length, bytes };
  const data = label.length > 0 && label.length <= 32 ? await dataAt(name, label) : await dataAt(name, 'x');
  const accounts = { writer: await wallet(writer), agent: await agentAt(name), data, task: task.address ?? task };
  return { name: 'write_data', args, accounts };
}

export async function grant(name, label, task, grantee, flags) {
  const args = { task: task.address ?? task, grantee, flags };
  return { name: 'grant', args, accounts: { authority: await wallet(name), data: await dataAt(name, label) } };
}

export async function revoke(name, label, task, grantee, signer = name) {
  const at = task.address ?? task;
  const [creator, id] = [task.creator ?? name, task.id ?? 0n];
  const accounts = {
    signer: await wallet(signer), data: await dataAt(name, label), task: at, creator_agent: await agentAt(creator),
    numbered: await taskAt(creator, id), // for the model, which derives no addresses
  };
  return { name: 'revoke', args: { task: at, grantee, id }, accounts };
}

export async function closeData(name, label) {
  return { name: 'close_data', accounts: { authority: await wallet(name), data: await dataAt(name, label) } };
}

/** A handle of a task: address, bump, who made it, its case. */
export async function handle(creator, id) {
  const at = await taskAt(creator, id);
  return { ...at, creator, id, worker: undefined, case: await caseAt(at.address) };
}

export async function create(task, terms = {}) {
  const { engine_agent = NOBODY } = terms;
  const paid = engine_agent === NOBODY ? null : await pda([ascii('agent'), keyBytes(engine_agent)]);
  const accounts = { authority: await wallet(task.creator), agent: await agentAt(task.creator), task, engine_agent: paid };
  return { name: 'create_task', args: { ...TERMS, ...terms }, accounts };
}

export async function cancel(task, by = task.creator) {
  const accounts = { authority: await wallet(by), agent: await agentAt(task.creator), task };
  return { name: 'cancel_task', accounts };
}

const agents = async (task) => ({
  creator_agent: await agentAt(task.creator), worker_agent: task.worker ? await agentAt(task.worker) : null,
});

export async function claim(task, worker, min_reward = 0n) {
  const accounts = { worker: await wallet(worker), worker_agent: await agentAt(worker), task };
  return { name: 'claim_task', args: { min_reward }, accounts };
}

export async function release(task, by = task.worker) {
  return { name: 'release_task', accounts: { worker: await wallet(by), worker_agent: await agentAt(task.worker), task } };
}

export async function start(task, by = task.worker) {
  return { name: 'start_task', accounts: { worker: await wallet(by), task } };
}

export async function submit(task, text = 'result', by = task.worker) {
  const result_hash = text === null ? '00'.repeat(32) : digest(text);
  const { creator_agent } = await agents(task);
  return { name: 'submit_result', args: { result_hash }, accounts: { worker: await wallet(by), creator_agent, task } };
}

export async function accept(task, by = task.creator) {
  return { name: 'accept', accounts: { creator: await wallet(by), ...await agents(task), task } };
}

export async function object(task, text = 'objection', by = task.creator) {
  const objection_hash = text === null ? '00'.repeat(32) : digest(text);
  const { creator_agent } = await agents(task);
  return { name: 'object', args: { objection_hash }, accounts: { creator: await wallet(by), creator_agent, task } };
}

export async function rework(task, by = task.worker) {
  const { creator_agent } = await agents(task);
  return { name: 'rework', accounts: { worker: await wallet(by), creator_agent, task } };
}

export async function counter(task, text = 'counter', by = task.worker) {
  const counter_hash = text === null ? '00'.repeat(32) : digest(text);
  const accounts = { worker: await wallet(by), worker_agent: await agentAt(task.worker), task, case: task.case };
  return { name: 'counter_object', args: { counter_hash }, accounts };
}

export async function expire(task) {
  return { name: 'expire', accounts: { ...await agents(task), task } };
}

/** The Ed25519 instruction by which a node key agrees to an authority. */
export async function joinProofOf(name, { node = name, authority = name, network = NETWORK, program = PROGRAM } = {}) {
  const message = joinProof(network, program, await key(authority));
  return ed25519([peer(node).say(message)]);
}

export async function admissionAt(judge) { return pda([ascii('admission'), keyBytes(await key(judge))]); }

/** Lets a judge join a listed court. `by` is a wallet. */
export async function admit(by, judge) {
  return { name: 'admit_judge', args: { judge: await key(judge) }, accounts: { authority: by, admission: await admissionAt(judge) } };
}

export async function expel(by, judge, payer = by) {
  return { name: 'revoke_admission', accounts: { signer: by, admission: await admissionAt(judge), wallet: payer } };
}

/** `cold` has the withdraw key, or null for none. */
export async function join(name, stake, { operator, cold = name, node = name, before } = {}) {
  const by = await operated(operator);
  const withdraw = cold === null ? NOBODY : await key(cold);
  const args = { peer: peer(node).address, operator: by.key, withdraw, stake };
  const proof = before === undefined ? await joinProofOf(name, { node }) : before;
  return { name: 'join_roster', args, accounts: { authority: await wallet(name), admission: await admissionAt(name), operator: by.account }, before: proof };
}

export async function topUp(judge, amount) {
  return { name: 'top_up', args: { amount }, accounts: { authority: await wallet(judge) } };
}

export async function beginExit(name, cold = name) {
  return { name: 'begin_exit', args: { judge: await key(name) }, accounts: { withdraw: await wallet(cold) } };
}

export async function withdrawStake(name, { cold = name, to = cold } = {}) {
  const accounts = { withdraw: await wallet(cold), wallet: await key(to) };
  return { name: 'withdraw_stake', args: { judge: await key(name) }, accounts };
}

export async function changeWithdraw(name, to, cold = name) {
  const args = { judge: await key(name), withdraw: to === null ? NOBODY : await key(to) };
  return { name: 'change_withdraw', args, accounts: { withdraw: await wallet(cold) } };
}

/** Pays the judge's withdraw key `cold`, or, if it signs, another wallet. */
export async function claimReward(judge, { cold = judge, to = cold, signs = to !== cold } = {}) {
  const accounts = { wallet: await key(to), withdraw: signs ? await wallet(cold) : null };
  return { name: 'claim_reward', args: { judge: await key(judge) }, accounts };
}

export const season = (units) => ({ name: 'begin_season', units });
export const draw = (task, units) => ({ name: 'draw', accounts: { case: task.case, task }, units });

/** What a judge commits to: choice 1, 2 or 3, with its own opinion and salt. */
export async function opening(task, round, judge, choice, variant = '') {
  return {
    round, judge: await key(judge), choice, opinion_hash: digest(`opinion ${judge} ${variant}`),
    receipts_root: digest('receipts'), salt: digest(`salt ${judge} ${round} ${task.address}`), task: task.address,
  };
}

export const commitmentOf = async (...of) => commitment(PROGRAM, await opening(...of));

export async function commit(task, round, judge, choice, { sealed = 93, hash, by = judge } = {}) {
  const found = hash ?? await commitmentOf(task, round, judge, choice);
  const args = { round, commitment: found, sealed: new Uint8Array(sealed).fill(7) };
  return { name: 'commit', args, accounts: { judge: await wallet(by), case: task.case } };
}

/** The request of a judge to have a commitment brought to the chain, signed by its node; what `changes` names is asked for instead. */
export async function asked(args, task, judge, { node = judge, network = NETWORK, program = PROGRAM, ...changes } = {}) {
  return peer(node).say(relayRequest(network, program, { task: task.address, ...args, ...changes }));
}

/** The statement of the same commitment. */
export async function stated(args, task, judge) {
  return peer(judge).say(statement(NETWORK, PROGRAM, { task: task.address, ...args }));
}

/** Anyone carries the commitment of a judge. `before` replaces the request; null leaves it out. */
export async function relay(task, round, judge, choice, { sealed = 93, hash, before } = {}) {
  const found = hash ?? await commitmentOf(task, round, judge, choice);
  const args = { round, judge: await key(judge), commitment: found, sealed: new Uint8Array(sealed).fill(7) };
  const request = before === undefined ? ed25519([await asked(args, task, judge)]) : before;
  return { name: 'relay_commit', args, accounts: { case: task.case }, before: request };
}

export async function reveal(task, round, judge, choice, changes = {}) {
  const { task: _, ...args } = { ...await opening(task, round, judge, choice), ...changes };
  return { name: 'reveal', args, accounts: { case: task.case } };
}

export async function settle(task) {
  return { name: 'settle', accounts: { case: task.case, task, ...await agents(task) } };
}

/** The loser of the first panel's verdict asks for other judges. */
export async function appeal(task, party) {
  return { name: 'appeal', accounts: { party: await wallet(party), agent: await agentAt(party), task, case: task.case } };
}

/** Makes a verdict final that nobody appealed; before its time `loser` signs. */
export async function finish(task, loser = null) {
  const signer = loser === null ? null : await wallet(loser);
  return { name: 'finish_case', accounts: { case: task.case, task, ...await agents(task), loser: signer } };
}

export async function expireCase(task) {
  return { name: 'expire_case', accounts: { case: task.case, task, ...await agents(task) } };
}

/** One statement, signed by the judge's node. */
export async function said(task, round, judge, text, { node = judge, network = NETWORK, program = PROGRAM, at } = {}) {
  const place = { task: at ?? task.address, round, judge: await key(judge), commitment: digest(text) };
  return peer(node).say(statement(network, program, place));
}

/** Two statements of one judge for one round. */
export async function evidence(task, round, judge, changes = {}) {
  return ed25519([await said(task, round, judge, 'one', changes), await said(task, round, judge, 'two', changes)]);
}

export async function slash(task, seat, before) {
  return { name: 'slash_equivocation', args: { seat }, accounts: { case: task.case }, before: await before };
}

export async function closeTask(task, to = task.creator) {
  return { name: 'close_task', accounts: { task, wallet: await key(to), pledge: await pledgeAt(task.address) } };
}

/** `appellant` is whoever paid for an appeal, if it is not the worker. */
export async function closeCase(task, to = task.worker, appellant = null) {
  const other = appellant === null ? null : await key(appellant);
  return { name: 'close_case', accounts: { case: task.case, wallet: await key(to), appellant: other } };
}

/** Writes down how the case of a task ended. */
export async function publish(task, payer = 'carol') {
  const accounts = { payer: await wallet(payer), case: task.case, task, verdict: await verdictAt(task.address) };
  return { name: 'publish_verdict', accounts };
}

/** Terms by which another program decides, and the agent of engineer gets a fee. */
export async function engineTerms(terms = {}) {
  return { engine: ENGINE, engine_agent: await key('engineer'), engine_fee: 4_000_001n, engine_seconds: 600, ...terms };
}

export async function settleByEngine(task, { paid = 'engineer', engine = ENGINE, group = NOBODY } = {}) {
  const accounts = {
    task, ...await agents(task), verdict: await engineVerdictAt(task, engine, group), engine_agent: paid ? await agentAt(paid) : null,
  };
  return { name: 'settle_by_engine', accounts };
}

export async function openCase(task, payer = 'carol') {
  return { name: 'open_case', accounts: { payer: await wallet(payer), task, case: task.case } };
}

/** A handle of a dispute of others: its address, bump, parties and terms. */
export async function brought(claimant, respondent, terms = 'terms') {
  const at = await pda([ascii('dispute'), keyBytes(await key(claimant)), keyBytes(await key(respondent)), unhex(digest(terms))]);
  return { ...at, claimant, respondent, terms, payer: claimant, case: await caseAt(at.address) };
}

export async function openDispute(dispute, { claim = 'claim', amount = SOL, seats = 0, ...changes } = {}) {
  const args = {
    respondent: await key(dispute.respondent), terms_hash: digest(dispute.terms), claim_hash: digest(claim), amount, seats, ...changes,
  };
  const [payer, claimant] = [await wallet(dispute.payer), await wallet(dispute.claimant)];
  const accounts = { payer, claimant, task: dispute, verdict: await verdictAt(dispute.address) };
  return { name: 'open_dispute', args, accounts };
}

export async function joinDispute(dispute, text = 'answer', by = dispute.respondent) {
  const answer_hash = text === null ? '00'.repeat(32) : digest(text);
  return { name: 'join_dispute', args: { answer_hash }, accounts: { respondent: await wallet(by), task: dispute } };
}

export async function settleDispute(dispute) {
  const accounts = { case: dispute.case, task: dispute, verdict: await verdictAt(dispute.address), payer: await key(dispute.payer) };
  return { name: 'settle_dispute', accounts };
}

/** A voucher signed by its payer, or by `by`: cumulative lamports, and the second from which on it is worth nothing. */
export async function promise(payer, payee, cumulative, expires, changes = {}) {
  const { by = purse(payer), network = NETWORK, program = PROGRAM, from = payer, to = payee } = changes;
  return by.say(voucher(network, program, { payer: await key(from), payee: await key(to), cumulative, expires }));
}

/** Pulls by a voucher; `before` replaces the instruction that verifies it. */
export async function pull(payer, payee, cumulative, expires, { signer = payee, before, ...changes } = {}) {
  const proof = before === undefined ? ed25519([await promise(payer, payee, cumulative, expires, changes)]) : before;
  const accounts = {
    signer: await wallet(signer), payer_agent: await agentAt(payer), payee_agent: await agentAt(payee),
    channel: await channelAt(payer, payee),
  };
  return { name: 'pull_payment', accounts, before: proof };
}

/** The signature of a node over a statement with a byte more. */
export async function longer({ message }, node) {
  return peer(node).say(Buffer.concat([message, Buffer.from([0])]));
}
