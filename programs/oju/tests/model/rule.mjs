// The arithmetic of docs/protocol.md, section 6, once more, with big integers and nothing clever.

import { address, ascii, hex, i64, keyBytes, number, sha256, u32, u64, u8, unhex } from '../lib/bytes.mjs';

export const BPS = 10_000n;

export const ACCEPT = 1;
export const REJECT = 2;
export const ABSTAIN = 3;

/** The seconds of all pauses of the court until now. */
export const stood = (config, now) =>
  config.paused_seconds + (config.paused === 1 && now > config.paused_at ? Number(now - config.paused_at) : 0);

/** The time by which auctions go. */
export const market = (config, now) => now - BigInt(stood(config, now));

/** The price of the task at a time of the market: never more than what is held for it. */
export function price(task, now) {
  if (task.reward !== 0n) return task.reward;
  const open = auction(task, now);
  return open < task.escrow ? open : task.escrow;
}

function auction(task, now) {
  if (task.auction === 0) return task.reward_max;
  return task.reward_min + (task.reward_max - task.reward_min) * BigInt(run(task, now)) / BigInt(task.auction_seconds);
}

/** How long the auction has run at a time of the market. */
export function run(task, now) {
  const elapsed = now < task.auction_from ? 0n : now - task.auction_from;
  return elapsed < BigInt(task.auction_seconds) ? Number(elapsed) : task.auction_seconds;
}

const least = (a, b) => (a < b ? a : b);
const most = (a, b) => (a > b ? a : b);

/** The fee of a seat, and a party's bond, in a task. */
export const fee = (rules, task) => most(most(rules.fee_min, task.fee_min), task.reward * BigInt(rules.fee_bps) / BPS);
export const bond = (rules, task, bps) => most(fee(rules, task) * BigInt(task.seats + 28), task.reward * BigInt(bps) / BPS);

/** What a seat of that weight earns by a vote for a side, and loses by mistakes. */
export function pays(found, weight) {
  const wrong = BigInt(found.golden_gain) * BigInt(found.golden_loss);
  const risk = weight * BigInt(found.risk_bps) / BPS;
  const pay = least(found.fee / 2n, risk / wrong);
  const [withheld, absence] = [pay * wrong, pay * BigInt(found.absence)];
  const outvoted = least(pay * BigInt(found.minority), risk);
  const reversed = least(pay * BigInt(found.reversal), risk);
  const later = most(outvoted, reversed);
  return { pay, withheld, absence, outvoted, reversed, later, exposure: most(most(withheld, later), absence) };
}

/** 0 without a quorum, else the verdict. */
export function verdict({ accept_weight: accept, reject_weight: reject, abstain_weight: abstain, seated_weight: seated }) {
  const sides = accept + reject;
  if (sides === 0n || 3n * (sides + abstain) < 2n * seated || 100n * sides < 51n * seated) return 0;
  return 100n * accept > 66n * sides ? ACCEPT : REJECT;
}

/** The hash over what the chain knows of a case that is over. */
export function facts(program, task, found) {
  const listed = (panel) => panel.flatMap(({ judge, commitment, weight, choice }) =>
    [keyBytes(judge), unhex(commitment), u64(weight), u8(choice)]);
  const seats = listed(found.panel);
  if (found.appeal_seats > 0) {
    seats.push(u8(found.first_round), u8(found.first_verdict), u8(found.first_seats), sha256(...listed(found.first)));
  }
  return hex(sha256(ascii('oju:facts:v1'), keyBytes(program), keyBytes(found.task), unhex(task.task_hash),
    unhex(task.result_hash), unhex(task.objection_hash), unhex(task.counter_hash), u8(found.round), u64(found.drawn_slot),
    unhex(found.slot_hash), u8(found.verdict), i64(found.settled_at), u8(found.seats), ...seats));
}

/** The shares of a pot among weights, which sum to it. */
export function shares(pot, weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const upTo = (n) => weights.slice(0, n).reduce((sum, weight) => sum + weight, 0n) * pot / total;
  return weights.map((_, i) => upTo(i + 1) - upTo(i));
}

/** `sha256("oju:draw:v1" ‖ …)`; `block` has slot and hash. */
export function drawSeed(program, task, round, block) {
  return sha256(ascii('oju:draw:v1'), keyBytes(program), keyBytes(task), u8(round), u64(block.slot), keyBytes(block.hash));
}

/** The season that a draw with that seed slot sees: the name of its weights, and the flag of those that own them; null if it is forgotten. */
export function season(roster, seed_slot) {
  if (roster.season_slot < seed_slot) return { weight: 'weight', owner: 1 };
  return roster.before_slot < seed_slot ? { weight: 'weight_before', owner: 2 } : null;
}

const [NOW, BEFORE] = [{ weight: 'weight', owner: 1 }, { weight: 'weight_before', owner: 2 }];

/** The season that the first panel of a case was drawn from; undefined: the Roster has forgotten it. */
function seasonOfCase(roster, found) {
  if (roster.season % 256 === found.season) return NOW;
  return (roster.season + 255) % 256 === found.season ? BEFORE : undefined;
}

/** Whether the weight of a season is the judge's, and more than nothing. */
const weighs = (entry, { weight, owner }) => entry[weight] > 0n && (entry.owned & owner) !== 0;

/** Whether one of the two seasons has the judge's weight, so that its stake stays. */
export function counted(entry) {
  return weighs(entry, NOW) || weighs(entry, BEFORE);
}

/** Whether a judge has nothing to do with the parties. */
function impartial(task, { authority, operator }) {
  const none = address(new Uint8Array(32));
  const parties = [task.creator, task.worker, task.creator_operator, task.worker_operator].filter((key) => key !== none);
  return !parties.includes(authority) && !parties.includes(operator);
}

const mayJudge = (task, min_stake, states, seen) => (entry) => states.includes(entry.state) && weighs(entry, seen)
  && entry.stake > 0n && entry.stake >= min_stake / 2n && impartial(task, entry);

/** Whether a draw would find judges enough in this season. */
export function drawable(roster, task, { min_stake, min_seats }) {
  return roster.entries.filter(mayJudge(task, min_stake, [1], NOW)).length >= min_seats;
}

/** Whether the judge of an entry had a seat in the last round of the first level. */
export const sat = ({ appeal_seats, first, panel }, index) => (appeal_seats > 0 ? first : panel).some((seat) => seat.index === index);

const sum = (weights) => weights.reduce((all, weight) => all + weight, 0n);

/** Whether votes of that weight can reverse a verdict that `votes` gave. */
export const suffices = (weight, votes) => 2n * weight >= votes;

/** The weight of the votes that gave the first panel's verdict. If it decided nothing, it is that
 *  of the seats without a side. */
export function votesFor(found, won = found.verdict) {
  if (won === 3) {
    const of = found.appeal_seats > 0 ? 'first_' : '';
    const [seated, accept, reject] = ['seated', 'accept', 'reject'].map((name) => found[`${of}${name}_weight`]);
    return seated - accept - reject;
  }
  const side = `${won === ACCEPT ? 'accept' : 'reject'}_weight`;
  return found[found.appeal_seats > 0 ? `first_${side}` : side];
}

/** The seats of an appeal against a verdict: 0 if too few judges are left, or if they are too light. */
export function appealSeats(roster, task, found, won) {
  const seen = seasonOfCase(roster, found) ?? NOW;
  const others = roster.entries.filter((entry, index) => mayJudge(task, found.min_stake, [1, 2], seen)(entry) && !sat(found, index));
  const weights = others.map((entry) => least(least(entry[seen.weight], 2n * entry.stake), found.max_seat_weight));
  const heaviest = weights.sort((a, b) => (a < b ? 1 : -1)).slice(0, 28);
  const open = found.appeal_seconds > 0 && heaviest.length >= 7 && suffices(sum(heaviest), votesFor(found, won));
  return open ? heaviest.length : 0;
}

/** The roster indices of the panel with their weights, or null when too few may sit. */
export function panel(seed, roster, task, found) {
  const { seed_slot, min_stake, max_seat_weight, appeal_seats } = found;
  const [panel_seats, min_seats] = appeal_seats > 0 ? [appeal_seats, 7] : [found.panel_seats, found.min_seats];
  let [seated, busy] = [0n, 0n];
  const last = season(roster, seed_slot);
  const first = appeal_seats > 0 ? seasonOfCase(roster, found) : undefined;
  const seen = first && (first.owner === last.owner || last.owner === 1) ? first : last;
  const left = roster.entries.map((entry, index) => ({ entry, index, weight: entry[seen.weight] })).filter(({ weight }) => weight > 0n);
  const seats = [];
  let counter = 0;
  for (let drawn = 0; drawn < 128 && left.length > 0 && seats.length < panel_seats; drawn++) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0n);
    const limit = (1n << 64n) - ((1n << 64n) % total);
    let x;
    do x = number(sha256(seed, u32(counter++)).slice(0, 8)); while (x >= limit);
    let rest = x % total;
    const place = left.findIndex(({ weight }) => {
      if (rest < weight) return true;
      rest -= weight;
      return false;
    });
    const [{ entry, index, weight }] = left.splice(place, 1);
    const owns = Math.floor(entry.owned / seen.owner) % 2 === 1;
    const bound = least(weight, max_seat_weight);
    const heavy = least(bound, appeal_seats > 0 ? 2n * entry.stake : entry.stake);
    const fresh = appeal_seats === 0 || !sat(found, index);
    if (!owns || !fresh || !impartial(task, entry) || heavy === 0n || entry.stake === 0n || entry.stake < min_stake / 2n) continue;
    if (appeal_seats > 0 || most(0n, entry.stake - entry.locked) >= pays(found, heavy).exposure) {
      seats.push({ judge: entry.authority, index, weight: heavy });
      seated += heavy;
    } else busy += heavy;
  }
  if (appeal_seats > 0 && !suffices(seated, votesFor(found, found.first_verdict))) return null;
  return seats.length === 0 || seats.length < min_seats || seated <= busy ? null : seats;
}

/** The commitment of an opening (section 3). */
export function commitment(program, { task, round, judge, choice, opinion_hash, receipts_root, salt }) {
  return hex(sha256(
    ascii('oju:commit:v1'), keyBytes(program), keyBytes(task), u8(round), keyBytes(judge), u8(choice),
    unhex(opinion_hash), unhex(receipts_root), unhex(salt),
  ));
}

/** The statement of a commitment (section 3). */
export function statement(network, program, { task, round, judge, commitment: hash }) {
  return Buffer.concat([
    ascii('oju:vote:v1'), unhex(network), keyBytes(program), keyBytes(task), u8(round), keyBytes(judge), unhex(hash),
  ]);
}

/** The relay request of a commitment with its sealed opening (section 3). */
export function relayRequest(network, program, { task, round, judge, commitment: hash, sealed }) {
  return Buffer.concat([
    ascii('oju:relay:v1'), unhex(network), keyBytes(program), keyBytes(task), u8(round), keyBytes(judge), unhex(hash), sha256(sealed),
  ]);
}

/** The join proof of an authority (section 3). */
export function joinProof(network, program, authority) {
  return Buffer.concat([ascii('oju:join:v1'), unhex(network), keyBytes(program), keyBytes(authority)]);
}

/** The statement of a voucher (section 3). */
export function voucher(network, program, { payer, payee, cumulative, expires }) {
  return Buffer.concat([
    ascii('oju:pay:v1'), unhex(network), keyBytes(program), keyBytes(payer), keyBytes(payee), u64(cumulative), i64(expires),
  ]);
}

/** The bytes of a leaf (section 13). */
export function leafBytes({ address: at, task_hash, result_hash, objection_hash, counter_hash, answer, generator, seed }) {
  const hashes = [task_hash, result_hash, objection_hash, counter_hash].map(unhex);
  return Buffer.concat([ascii('oju:leaf:v1'), keyBytes(at), ...hashes, u8(answer), unhex(generator), unhex(seed)]);
}

export const sealOf = (leaf) => hex(sha256(leafBytes(leaf)));
export const placeOf = (leaf) => hex(sha256(ascii('oju:place:v1'), unhex(sealOf(leaf)), unhex(leaf.seed)));
export const branch = (left, right) => hex(sha256(ascii('oju:branch:v1'), unhex(left), unhex(right)));

/** The root to which a leaf at a place leads, or null. */
export function placed(leaf, index, leaves, path) {
  if (index >= leaves || path.length !== 32 * Math.ceil(Math.log2(leaves))) return null;
  let node = placeOf(leaf);
  for (let up = 0; 32 * up < path.length; up++) {
    const sibling = hex(path.slice(32 * up, 32 * up + 32));
    node = Math.floor(index / 2 ** up) % 2 ? branch(sibling, node) : branch(node, sibling);
  }
  return hex(sha256(ascii('oju:batch:v1'), u32(leaves), unhex(node)));
}

/** The hash of the task that challenges a leaf, and of the result that says that it is false. */
export const question = (leaf) => JSON.stringify({
  input_data: [hex(leafBytes(leaf))],
  instruction: ['input_data holds an open leaf of a golden case: 236 bytes in hex (protocol, section 13). Run the generator '
    + 'that it names with its seed, and compare the four hashes and the answer. Is the leaf false?'],
  output_schema: { leaf_is_false: 'boolean' },
});
export const asked = (leaf) => hex(sha256(ascii(question(leaf))));
export const denial = '{"leaf_is_false":true}';
export const denied = hex(sha256(ascii(denial)));

/** The most that a golden case can take from its seats. */
export const exposure = (found) => [...found.first ?? [], ...found.panel].reduce((sum, { weight }) => sum + pays(found, weight).withheld, 0n);

/** The least deposit of a batch. */
export const leastDeposit = (rules, leaves) =>
  pays({ ...rules, fee: rules.fee_min }, rules.max_seat_weight).withheld * 28n * BigInt(leaves);
