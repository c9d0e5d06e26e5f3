// Courts with actors on them, brought to the point where a test begins.

import * as act from './act.mjs';
import { ABSTAIN, ACCEPT, REJECT, counted } from '../model/rule.mjs';
import { Court } from './court.mjs';
import { NOBODY } from './bytes.mjs';
import { SOL, nameOf } from './world.mjs';

export { ABSTAIN, ACCEPT, REJECT };

/** The bonds of a dispute about one SOL, the pay of a vote, and the loss of one that is withheld. */
export const [CREATORS, WORKERS, PAY, WITHHELD] = [SOL / 5n, SOL / 10n, SOL / 2_000n, SOL / 50n];
/** What a seat reserves: a vote that is withheld, and one that an appeal reverses. */
export const RESERVED = 40n * PAY;
/** A reward of one SOL less the trade fee. */
export const EARNED = SOL - SOL / 200n;

export class Scene extends Court {
  /** Registers an agent with lamports in its vault. */
  async agent(name, { vault = 100n * SOL, operator } = {}) {
    await this.fund(name, vault + 10n * SOL);
    await this.ok(act.register(name, Number(this.config().agent_count / 128n), { operator }));
    if (vault > 0n) await this.ok(act.deposit(name, vault));
    return this.agentOf(name);
  }

  async agentOf(name) { return this.get((await act.agentAt(name)).address); }
  async vault(name) { return (await this.agentOf(name)).vault; }
  async balance(name) { return this.lamports(await act.key(name)); }

  /** Makes a judge. */
  async judge(name, { stake = SOL, operator, cold = name, node = name } = {}) {
    await this.fund(name, stake + SOL);
    if (this.config().listed) await this.ok(act.admit(this.authority, name));
    return this.ok(act.join(name, stake, { operator, cold, node }));
  }

  /** Makes judges j0, j1, … and returns their names; `stake` is an amount, or a function of the number. */
  async judges(count, stake = SOL) {
    const names = Array.from({ length: count }, (_, i) => `j${i}`);
    for (const [i, name] of names.entries()) {
      await this.judge(name, { stake: typeof stake === 'function' ? stake(i) : stake });
    }
    return names;
  }

  /** Waits until the season is over, and begins the next one. */
  async season() {
    const { season_at, season_slot } = this.roster();
    const { season_seconds } = this.version(this.config().rules);
    const due = season_at + BigInt(season_seconds);
    if (season_slot > 0n && this.time < due) this.pass(due - this.time);
    if (season_slot > 0n && this.slot <= season_slot + 512n) this.at(this.time, season_slot + 513n);
    return this.ok(act.season());
  }

  /** Begins seasons until none has the weight of a judge that leaves. */
  async released(name) {
    while (counted(await this.entry(name))) await this.season();
  }

  async entry(name) {
    const at = await act.key(name);
    return this.roster().entries.find(({ authority, state }) => authority === at && state !== 0);
  }

  /** A task of `creator` in Created. */
  async created(terms = {}, creator = 'alice') {
    const task = await act.handle(creator, (await this.agentOf(creator)).tasks_created);
    await this.ok(act.create(task, terms));
    return task;
  }

  async claimed(terms = {}, worker = 'bob', creator = 'alice') {
    const task = await this.created(terms, creator);
    return this.claim(task, worker);
  }

  async claim(task, worker) {
    await this.ok(act.claim(task, worker));
    task.worker = worker;
    return task;
  }

  async started(...of) {
    const task = await this.claimed(...of);
    await this.ok(act.start(task));
    return task;
  }

  async verified(...of) {
    const task = await this.started(...of);
    await this.ok(act.submit(task));
    return task;
  }

  async disputed(...of) {
    const task = await this.verified(...of);
    await this.ok(act.object(task));
    return task;
  }

  /** A task with a case that waits for its draw. */
  async contested(...of) {
    const task = await this.disputed(...of);
    await this.ok(act.counter(task));
    return task;
  }

  /** Calls an action and puts everything back as it was, so that the next finds the same state. */
  async trial(action) {
    const { accounts } = this.instruction(await action);
    const before = accounts.map(({ address }) => [address, this.raw(address)]);
    const result = await this.call(action);
    if (result.ok) for (const [address, account] of before) this.restore(address, account);
    return result;
  }

  restore(address, account) {
    this.set(account ?? { address, lamports: 0n, programAddress: NOBODY, data: new Uint8Array() });
  }

  taskOf(task) { return this.get(task.address); }
  caseOf(task) { return this.get(task.case.address); }

  /** Lets the block come that a case's draw waits for. */
  reach(task) {
    const { seed_slot } = this.caseOf(task);
    if (this.slot <= seed_slot) this.advance(seed_slot + 1n - this.slot);
    else this.blocks([...Array(8).keys()].map((i) => seed_slot + 4n - BigInt(i)));
  }

  async draw(task, units) {
    this.reach(task);
    return this.ok(act.draw(task, units));
  }

  /** The names of all judges. */
  judgeNames() { return this.roster().entries.map(({ authority }) => nameOf(authority)); }

  /** The names of the panel in seat order. */
  panel(task) { return this.caseOf(task).panel.map(({ judge }) => nameOf(judge)); }

  /** A case whose panel sits; `seats` are the names of the judges. */
  async seated(...of) {
    const task = await this.contested(...of);
    await this.draw(task);
    return task;
  }

  /** Judges commit: `votes` maps names to choices; undefined: silent. */
  async commits(task, votes) {
    const { round } = this.caseOf(task);
    for (const [name, choice] of Object.entries(votes)) if (choice) await this.ok(act.commit(task, round, name, choice));
  }

  /** Lets the commits end if they have not. */
  endCommits(task) {
    const { commit_ends } = this.caseOf(task);
    if (this.time < commit_ends) this.pass(commit_ends - this.time);
  }

  async reveals(task, votes) {
    const { round } = this.caseOf(task);
    for (const [name, choice] of Object.entries(votes)) if (choice) await this.ok(act.reveal(task, round, name, choice));
  }

  /** A whole round: commits, reveals, settling. */
  async round(task, votes) {
    await this.commits(task, votes);
    this.endCommits(task);
    await this.reveals(task, votes);
    return this.ok(act.settle(task));
  }

  /** Lets the round run out. */
  endRound(task) {
    const { reveal_ends } = this.caseOf(task);
    if (this.time < reveal_ends) this.pass(reveal_ends - this.time);
  }

  /** Alice, Bob and Carol, and `count` judges with a stake: seven are needed for a claim. */
  static async cast(name, count = 7, params = {}, stake = SOL) {
    const scene = await this.begin(name, params);
    for (const agent of ['alice', 'bob', 'carol']) await scene.agent(agent);
    if (count > 0) {
      await scene.judges(count, stake);
      await scene.ok(act.season());
      scene.advance(1n);
    }
    return scene;
  }
}

/** The same choice for all. */
export const all = (names, choice) => Object.fromEntries(names.map((name) => [name, choice]));
