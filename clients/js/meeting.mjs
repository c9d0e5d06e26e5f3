// Meetings: a conversation of several agents through one of them, with signed minutes. The convener
// puts what members say into an order, and is not trusted with it (docs/talking.md).

import * as M from './message.mjs';
import { AnexError, bytes, canonical, isObject, loads, own } from './message.mjs';
import { SEVERAL, agreementHash, base64, publicKey, sha256, sign as signTerms, signedBy, unbase64, verifies } from './agreement.mjs';
import { open, prove } from './talk.mjs';

export const MEETING = 'anex.meeting.v1', PROTOCOL = 'ANEX-Meeting', EVERYBODY = '*';
const maxFrame = 96 << 10, maxMessage = 32 << 10, maxMembers = 32, maxSaid = 256, maxBytes = 1 << 20;
const slack = 120_000, carry = 30_000; // ms that clocks may differ, and for a remark to be carried
const saidTag = 'anex:meeting:v1', entryTag = 'anex:minutes:v1';
const protocols = new Set([...M.PROTOCOLS, PROTOCOL]), acts = new Set(M.ACTS);
protocols.delete(M.FIPA_SUBSCRIBE);
acts.delete('SUBSCRIBE');

const utf8 = new TextEncoder();
const digest = (v) => sha256(canonical({ ...v, signature: undefined }));
const sign = async (key, tag, hash) => base64(await key.sign(utf8.encode(tag + hash)));

async function signed(who, tag, hash, signature) {
  let raw;
  try { raw = unbase64(signature); } catch { return false; }
  return base64(raw) === signature && verifies(who, utf8.encode(tag + hash), raw);
}

const is = { object: isObject, string: (v) => typeof v === 'string', integer: Number.isSafeInteger };
const has = (v, types) => isObject(v) && Object.keys(v).length === Object.keys(types).length && Object.entries(types).every(([k, t]) => Object.hasOwn(v, k) && is[t](v[k]));
const remark = { message: 'object', seen: 'string', signature: 'string' };
const entry = { at: 'integer', index: 'integer', prev: 'string', said: 'object', signature: 'string' };

// An object in its one form, with these members.
function read(text, types) {
  if (typeof text !== 'string' || bytes(text) > maxFrame) throw new AnexError('a frame that is no text, or is too large');
  const v = loads(text);
  if (!has(v, types) || canonical(v) !== text) throw new AnexError('it is not in its canonical form, or has other members');
  return v;
}

const once = (list) => new Set(list).size === list.length;
function names(list) {
  if (!Array.isArray(list) || !list.every(is.string) || !once(list)) throw new AnexError('a list of agents, each once, is needed');
  list.forEach(publicKey);
  return list;
}

/** Terms of a meeting, which all of their parties have to sign. */
export function terms(meeting, proposer, about, parties, { promise = [], deal, at } = {}) {
  return {
    format: SEVERAL, conversation: meeting, asker: proposer, holder: '', at, identity: proposer, owner: '', relation: '', request_type: about,
    access: [], promise, deal, parties: [...parties].sort(),
  };
}

const texts = ['format', 'conversation', 'asker', 'holder', 'identity', 'owner', 'relation', 'request_type'], lists = ['access', 'promise', 'parties'];
function checkTerms(a) {
  const all = [...texts, ...lists, 'at', 'deal', 'ontologies'];
  const whole = isObject(a) && Object.keys(a).every((k) => all.includes(k)) && texts.every((k) => is.string(own(a, k))) &&
    lists.every((k) => Array.isArray(own(a, k)) && a[k].every(is.string)) && (!Object.hasOwn(a, 'at') || is.string(a.at) && a.at !== '') &&
    a.format === SEVERAL && a.holder + a.owner + a.relation === '' && !a.access.length && !Object.hasOwn(a, 'ontologies') && a.identity === a.asker && a.parties.includes(a.asker) && a.parties.length >= 2 &&
    a.parties.length <= maxMembers && once(a.parties) && [...a.parties].sort().every((p, i) => p === a.parties[i]);
  if (!whole) throw new AnexError('these are no terms of a meeting');
  return a;
}

export class Minutes {
  /** A meeting as one member has it. The convener is proven by the caller. Times are Unix ms. Make
   * one call at a time. */
  constructor(convener) {
    Object.assign(this, { convener, opening: null, until: 0, at: 0, hashes: [], members: new Map(), open: new Map(), unheard: 0, closed: false });
  }

  get id() { return this.hashes[0] ?? ''; }
  get head() { return this.hashes.at(-1) ?? ''; }

  speaks(who) { return who === this.convener || !this.opening.speakers || this.opening.speakers.includes(who); }

  /** Who may sign terms here, and did not leave. */
  speakers() { return [this.convener, ...this.opening.members].filter((w) => this.speaks(w) && !this.members.get(w).out); }

  /** A remark of the owner of the key. AnexError means that it must not be said now. */
  async say(key, performative, protocol, content, inReplyTo = '') {
    const n = (this.members.get(key.did)?.said ?? 0) + this.unheard + 1;
    const m = { performative, sender: key.did, receiver: EVERYBODY, content, protocol, conversation: this.id, replyWith: String(n), inReplyTo, replyBy: 0 };
    const s = { message: loads(M.encode(m)), seen: this.head };
    s.signature = await sign(key, saidTag, await digest(s));
    await this.#look(s, this.unheard);
    const text = canonical(s);
    read(text, remark);
    this.unheard++;
    return text;
  }

  /** The entry of a remark of a proven sender, which is added. For a convener. */
  async order(key, sender, said, at) {
    const s = read(said, remark);
    if (own(s.message, 'sender') !== sender) throw new AnexError('a remark of another');
    const e = { at: Math.max(at, this.at), index: this.hashes.length, prev: this.head, said: s };
    e.signature = await sign(key, entryTag, await digest(e));
    const text = canonical(e);
    return { entry: text, heard: await this.add(text, e.at, key.did) };
  }

  /** Takes the next entry. AnexError is the fault of the convener, and changes nothing. */
  async add(text, now, self = '') {
    const e = read(text, entry), hash = await digest(e);
    if (this.closed || !has(e.said, remark)) throw new AnexError('the meeting is over, or the entry is none');
    if (e.index !== this.hashes.length || e.prev !== this.head) throw new AnexError('the convener left something out, or told others something else');
    if (!(await signed(this.convener, entryTag, hash, e.signature))) throw new AnexError('the signature of the convener does not fit');
    if (e.at < this.at || e.at > now + slack || (this.hashes.length && e.at > this.until + slack)) throw new AnexError('an entry of another time');
    const { heard, commit } = await this.#look(e.said, 0);
    commit();
    Object.assign(heard, { index: e.index, at: e.at });
    this.at = e.at;
    this.hashes.push(hash);
    if (heard.sender === self && this.unheard) this.unheard--;
    return heard;
  }

  // The rules.

  async #look(s, ahead) {
    const text = canonical(s.message);
    if (bytes(text) > maxMessage) throw new AnexError('a message that is too long for a meeting');
    const m = M.parse(text);
    if (!(await signed(m.sender, saidTag, await digest(s), s.signature))) throw new AnexError(`the signature of ${m.sender.slice(0, 80)} does not fit`);
    if (m.receiver !== EVERYBODY || m.conversation !== this.id || m.replyBy || !m.known || !acts.has(m.performative) || !protocols.has(m.protocol)) {
      throw new AnexError(`${m.performative.slice(0, 40)} of ${m.protocol.slice(0, 40)} in a meeting`);
    }
    const heard = { what: '', index: 0, at: 0, sender: m.sender, message: m, terms: null, agreed: null, member: '' };
    if (!this.hashes.length) return { heard, commit: this.#begin(s, m, heard) };
    const who = this.members.get(m.sender), size = bytes(text), seen = this.hashes.indexOf(s.seen);
    if (!who || who.out) throw new AnexError(`${m.sender.slice(0, 80)} is no member, or not any more`);
    if (seen < who.seen) throw new AnexError(`${m.sender.slice(0, 80)} has seen other entries: the convener told it something else`);
    if (m.replyWith !== String(who.said + ahead + 1)) throw new AnexError(`a remark of ${m.sender.slice(0, 80)} is left out, or comes again`);
    const convenes = m.sender === this.convener;
    if (who.said + ahead >= (convenes ? 2 : 1) * maxSaid || (who.bytes + size > maxBytes && !convenes)) throw new AnexError('the member said too much');
    const more = await this.#follow(who, m, heard, ahead);
    return { heard, commit: () => { Object.assign(who, { said: who.said + 1, bytes: who.bytes + size, seen }); more?.(); } };
  }

  #begin(s, m, heard) {
    const o = own(m.content, 'opening');
    const first = m.sender === this.convener && m.protocol === PROTOCOL && m.performative === 'INFORM' && s.seen === '' && m.replyWith === '1';
    if (!first || Object.keys(m.content).length !== 1 || !isObject(o) || !Object.keys(o).every((k) => ['topic', 'members', 'speakers', 'until'].includes(k))) {
      throw new AnexError('a meeting begins with an opening by its convener');
    }
    const members = names(own(o, 'members')), speakers = names(own(o, 'speakers') ?? []);
    if ((Object.hasOwn(o, 'speakers') && !speakers.length) || !speakers.every((w) => members.includes(w)) || members.includes(this.convener) || !members.length || members.length >= maxMembers) {
      throw new AnexError('an opening has 1 to 31 members, each once, without the convener');
    }
    if (!is.string(own(o, 'topic')) || !o.topic || bytes(o.topic) > 2000) throw new AnexError('an opening has a topic');
    if (!is.string(own(o, 'until')) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(o.until)) throw new AnexError('until is a time such as 2026-12-01T10:00:00Z');
    const until = M.readTime(o.until);
    heard.what = 'opening';
    return () => {
      const member = (joined) => ({ joined, out: false, said: joined ? 1 : 0, bytes: 0, seen: 0 });
      Object.assign(this, { opening: o, until, members: new Map([[this.convener, member(true)], ...members.map((w) => [w, member(false)])]) });
    };
  }

  async #follow(who, m, heard, ahead) {
    const c = m.content, act = m.performative, words = own(c, 'message');
    const introduction = m.protocol === M.HANDSHAKING && act === 'REQUEST' && is.string(words) && words.includes(M.MARKER);
    if (introduction === (who.joined || ahead > 0)) throw new AnexError('a member introduces itself first, and once');
    if (introduction) {
      heard.what = 'joined';
      return () => { who.joined = true; };
    }
    if (m.protocol === M.TERMINATION && act === 'INFORM') {
      heard.what = m.sender === this.convener ? 'closed' : 'left';
      return () => { if (heard.what === 'closed') this.closed = true; else who.out = true; };
    }
    if (act === 'CANCEL') {
      const gone = this.members.get(own(c, 'member'));
      if (m.sender !== this.convener || !gone || gone.out || c.member === this.convener) throw new AnexError('the convener removes members');
      Object.assign(heard, { what: 'removed', member: c.member });
      return () => { gone.out = true; };
    }
    if (!this.speaks(m.sender) || m.protocol === PROTOCOL) throw new AnexError('a listener speaks, or a second opening');
    if (m.protocol === M.CONTRACT_NET && act === 'PROPOSE') return this.#propose(m, c, heard);
    if (m.protocol === M.CONTRACT_NET && ['ACCEPT-PROPOSAL', 'REJECT-PROPOSAL'].includes(act)) return this.#answer(m, c, heard);
    heard.what = 'spoke';
    return undefined;
  }

  async #propose(m, c, heard) {
    const a = checkTerms(own(c, 'terms')), hash = await agreementHash(a);
    if (Object.keys(c).length !== 1 || a.conversation !== this.id || a.asker !== m.sender) throw new AnexError('terms that are not of this meeting and its proposer');
    if (a.parties.some((p) => !this.members.has(p) || !this.speaks(p)) || this.open.has(hash)) throw new AnexError('a party that does not speak here, or terms that were proposed before');
    Object.assign(heard, { what: 'proposal', terms: a });
    return () => { this.open.set(hash, { agreement: a, answered: new Set(), rejected: false }); };
  }

  async #answer(m, c, heard) {
    const t = this.open.get(own(c, 'terms'));
    if (!t || !t.agreement.parties.includes(m.sender) || t.answered.has(m.sender)) throw new AnexError('an answer to terms that it cannot answer, or has answered');
    const a = { ...t.agreement };
    heard.terms = a;
    if (m.performative === 'REJECT-PROPOSAL') {
      heard.what = 'reject';
      return () => { t.answered.add(m.sender); t.rejected = true; };
    }
    const signature = own(c, 'signature');
    if (!is.string(signature) || !(await signedBy(a, m.sender, signature))) throw new AnexError(`the signature of ${m.sender.slice(0, 80)} under the terms does not fit`);
    a.signatures = { ...a.signatures, [m.sender]: signature };
    heard.what = 'accept';
    if (!t.rejected && Object.keys(a.signatures).length === a.parties.length) heard.agreed = a;
    return () => { t.answered.add(m.sender); t.agreement = a; };
  }
}

/** A meeting over a WebSocket, for a member. Iterate over it to hear; it ends when the meeting is
 * over. What the convener did wrong throws AnexError. entries are the minutes, to keep. */
export class Meeting {
  constructor(frames, key, convener, owner) {
    if (frames.ws.protocol !== MEETING) throw new AnexError('the server has no meeting');
    Object.assign(this, { frames, key, owner, minutes: new Minutes(convener), entries: [], over: false, since: Date.now(), moves: Promise.resolve() });
  }

  // One move at a time.
  #move(make) {
    const run = this.moves.then(make);
    this.moves = run.catch(() => {});
    return run;
  }

  say(performative, protocol, content, inReplyTo) {
    return this.#move(async () => {
      const text = await this.minutes.say(this.key, performative, protocol, content, inReplyTo);
      if (this.minutes.unheard === 1) this.since = Date.now();
      this.frames.send(text);
    });
  }

  close() {
    this.over = true;
    this.frames.ws.close();
  }

  /** The next entry, or null at the end. */
  async hear() {
    if (this.over) return null;
    const m = this.minutes, begun = m.hashes.length > 0;
    const ends = begun ? m.until + slack - Date.now() : carry, waits = m.unheard || !begun ? this.since + carry - Date.now() : ends;
    const raw = await this.frames.next(Math.max(Math.min(ends, waits), 0));
    let h;
    try {
      if (raw === undefined) throw new AnexError('the convener did not begin, did not carry a remark of ours, or did not end');
      if (raw === null) throw new AnexError('the connection ended');
      h = await this.#move(() => m.add(raw, Date.now(), this.key.did));
      if (h.what === 'opening' && !m.members.has(this.key.did)) throw new AnexError('we are not invited');
    } catch (e) {
      this.close();
      throw e;
    }
    this.entries.push(raw);
    this.since = Date.now();
    if (h.what === 'opening') await this.say('REQUEST', M.HANDSHAKING, { message: `Hi, I'm ${this.owner}'s AI assistant ${M.MARKER}.` });
    if (h.what === 'closed' || (h.what === 'left' && h.sender === this.key.did) || h.member === this.key.did) this.close();
    return h;
  }

  async* [Symbol.asyncIterator]() { for (let h; (h = await this.hear());) yield h; }

  tell(data) { return this.say('INFORM', M.DATA_EXCHANGE, data); }
  /** Proposes terms to all who may speak, or to parties. All of them have to sign. */
  async propose({ about = this.minutes.opening.topic, parties = this.minutes.speakers(), promise, deal } = {}) {
    const at = new Date().toISOString().replace(/\.\d+Z/, 'Z');
    const a = loads(canonical(terms(this.minutes.id, this.key.did, about, parties, { promise, deal, at })));
    await this.say('PROPOSE', M.CONTRACT_NET, { terms: a });
    return a;
  }
  /** Signs terms that were heard: look at all of them first. */
  async accept(agreement) {
    const a = { ...agreement };
    await this.say('ACCEPT-PROPOSAL', M.CONTRACT_NET, { terms: await agreementHash(a), signature: await signTerms(a, this.key) });
  }
  async reject(agreement, text = 'No.') { await this.say('REJECT-PROPOSAL', M.CONTRACT_NET, { terms: await agreementHash(agreement), response: text }); }
  leave() { return this.say('INFORM', M.TERMINATION, { message: 'Session terminated.' }); }
}

/** Takes part in the meeting of a convener from a browser, whose authorities have to know it. */
export async function join(url, key, { peer = '', owner = '' } = {}) {
  const frames = await open(url, MEETING);
  try {
    return new Meeting(frames, key, await prove(frames, key, peer, ''), owner);
  } catch (e) {
    frames.ws.close();
    throw e;
  }
}
