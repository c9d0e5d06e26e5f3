// The machine of one party: one table for what is heard and what is said (docs/talking.md). Its
// moves are async only because WebCrypto is; make one move at a time.

import * as M from './message.mjs';
import { AnexError, UnknownWord, bytes, canonical, isObject, own } from './message.mjs';
import { FORMAT, NO_RETENTION, agreementHash, covers, cut, signedBy, steps } from './agreement.mjs';

/** Bounds of one conversation. Times are in ms. */
export const caps = { messages: 4096, bytes: 16 << 20, rounds: 8, open: 32, held: 16, reply: 600_000, total: 7_200_000, unknown: 4 };

const { HANDSHAKING: H, CONTRACT_NET: C, DATA_EXCHANGE: D, FIPA_REQUEST: F, FIPA_SUBSCRIBE: S, TERMINATION: T } = M;
const shake = ['AGREE', 'REFUSE', 'PROPOSE', 'REQUEST'].map((a) => `${H} ${a}`);
const answers = {
  engagement: shake, modification: shake, call: [`${C} PROPOSE`, `${C} REFUSE`],
  proposal: [`${C} PROPOSE`, `${C} ACCEPT-PROPOSAL`, `${C} REJECT-PROPOSAL`], accept: [`${C} INFORM`],
  request: [D, F].flatMap((p) => ['INFORM', 'REFUSE', 'AGREE'].map((a) => `${p} ${a}`)),
  subscription: ['AGREE', 'REFUSE', 'INFORM'].map((a) => `${S} ${a}`), question: [],
};

function words(c, name) {
  const text = own(c, name);
  if (typeof text !== 'string' || !text || bytes(text) > M.MAX_TEXT) throw new AnexError(`the content needs ${name}, a text of 1 to ${M.MAX_TEXT} bytes`);
  return text;
}
function text(c, name) {
  const t = own(c, name);
  return typeof t === 'string' && bytes(t) <= M.MAX_TEXT ? t : '';
}
function count(c, name) {
  const n = own(c, name);
  if (!Number.isInteger(n) || n < 1 || n > 1024) throw new AnexError(`the content needs ${name}, a whole number from 1 to 1024`);
  return n;
}
function names(list) {
  if (!Array.isArray(list) || list.length > 64 || new Set(list).size !== list.length) throw new AnexError('a list has at most 64 names, each once');
  for (const n of list) if (typeof n !== 'string' || !n || bytes(n) > 128 || n.trim() !== n) throw new AnexError('a name has 1 to 128 bytes');
  return list;
}
const bare = (n) => (n.endsWith('(m)') ? n.slice(0, -3) : n);
// Sorted by the bytes of UTF-8, which is the order of code points.
const sorted = (list) => [...list].sort((a, b) => {
  const x = [...a].map((c) => c.codePointAt(0)), y = [...b].map((c) => c.codePointAt(0));
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
});
function deal(d) {
  if (!isObject(d) || bytes(canonical(d)) > 32 << 10) throw new AnexError('a deal is an object of at most 32 KiB');
  return d;
}
function known(c, outer, inner) {
  const body = own(c, outer);
  if (Object.keys(c).length !== 1 || !isObject(body) || !Object.keys(body).every((k) => inner.includes(k))) {
    throw new AnexError(`the content has the member ${outer} alone, with ${inner.join(', ')}`);
  }
  return body;
}
function wants(m) {
  if (m.performative === 'REQUEST') return m.protocol !== S && (m.protocol !== H || !Object.hasOwn(m.content, 'message'));
  if (m.performative === 'ACCEPT-PROPOSAL') return Object.hasOwn(m.content, 'signature');
  return ['PROPOSE', 'CFP', 'QUERY-IF', 'SUBSCRIBE'].includes(m.performative);
}

export class Session {
  /** One party. first began the conversation. at is Unix ms. */
  constructor(name, peer, { conversation = '', first = true, at = 0, bounds = caps } = {}) {
    Object.assign(this, { name, peer, conversation, caps: bounds, side: first ? 0 : 1, now: at, until: at + bounds.total });
    Object.assign(this, { phase: 'begins', closer: 0, open: [], used: [new Set(), new Set()], serial: 0, messages: 0, size: 0, rounds: 0, unknown: 0 });
    Object.assign(this, { call: null, offer: null, agreed: null, asker: 0 });
  }

  /** The peer sent a frame. */
  async frame(at, raw) {
    if (!this.#begin(at)) return this.done;
    this.messages++;
    this.size += bytes(raw);
    try {
      if (this.messages > this.caps.messages || this.size > this.caps.bytes) throw new AnexError('too many messages');
      if (!raw.trimStart().startsWith('{')) {
        this.#plain(1 - this.side, raw);
        this.done.heard.push({ what: 'text', text: raw });
        return this.done;
      }
      const m = M.parse(raw);
      if (m.sender !== this.peer || m.receiver !== this.name) throw new AnexError('a message of another conversation');
      if (this.phase === 'begins' && this.side === 1 && this.messages === 1) this.conversation = m.conversation;
      this.done.heard.push(await this.#apply(1 - this.side, m));
      this.#flush();
    } catch (e) {
      if (!(e instanceof AnexError)) throw e;
      if (!(e instanceof UnknownWord)) this.#fail(e.message, true);
      else if (++this.unknown > this.caps.unknown) this.#fail('too many unknown words', true);
      else this.#tell('NOT-UNDERSTOOD', 'error', M.loads(raw)['reply-with'] ?? '', e.message);
    }
    return this.done;
  }

  /** The owner says something. AnexError means that it must not be said now. */
  async say(at, performative, protocol, content, { inReplyTo = '', replyWith = '', replyBy = 0 } = {}) {
    if (!this.#begin(at)) throw new AnexError('the conversation has ended');
    if (this.messages >= this.caps.messages) throw new AnexError('too many messages');
    const m = { performative, sender: this.name, receiver: this.peer, content, protocol, conversation: this.conversation, inReplyTo, replyWith, replyBy, known: true };
    if (this.conversation) {
      m.inReplyTo ||= this.#answered(m);
      if (wants(m)) {
        m.replyWith ||= 'ab'[this.side] + (this.serial + 1);
        m.replyBy ||= this.now + this.caps.reply;
      }
    }
    const raw = M.encode(m);
    M.loads(raw);
    await this.#apply(this.side, m);
    this.messages++;
    this.serial++;
    this.done.send.push(raw);
    this.#flush();
    return this.done;
  }

  /** The owner writes plain text. */
  async write(at, words) {
    if (!this.#begin(at)) throw new AnexError('the conversation has ended');
    this.#plain(this.side, words);
    this.messages++;
    this.done.send.push(words);
    return this.done;
  }

  /** The owner has an update. Without credit it is held, and the oldest is dropped. */
  async publish(at, update, subscription = '') {
    if (!this.#begin(at)) throw new AnexError('the conversation has ended');
    this.#within(this.side, update);
    for (const p of this.open) {
      if (p.what !== 'subscription' || p.by === this.side || !p.active || (subscription && p.id !== subscription)) continue;
      p.held.push(update);
      if (p.held.length > this.caps.held) { p.held.shift(); p.missed++; }
    }
    this.#flush();
    return this.done;
  }

  /** The time of next() is over. */
  async clock(at) {
    if (this.#begin(at) && this.now >= this.next()) this.#fail('no answer in time', false);
    return this.done;
  }

  async hangup(at) {
    if (this.#begin(at)) this.#end('broken', 'the connection ended');
    return this.done;
  }

  /** When to call clock. */
  next() { return Math.min(this.until, ...this.open.filter((p) => p.until && p.by === this.side).map((p) => p.until)) + 1; }

  #begin(at) {
    this.done = { send: [], heard: [], agreed: null, ended: null };
    this.now = Math.max(this.now, at);
    return this.phase !== 'over';
  }

  #end(how, error = '', theirs = false) {
    this.phase = 'over';
    this.done.ended = { how, error, theirs, erase: Boolean(this.agreed?.promise.includes(NO_RETENTION)) };
  }

  #fail(error, theirs) {
    if (theirs) this.#tell('NOT-UNDERSTOOD', 'error', '', error);
    else this.#tell('CANCEL', 'message', '', error);
    this.#end('broken', error, theirs);
  }

  #tell(performative, field, inReplyTo, error) {
    this.done.send.push(M.encode({ performative, sender: this.name, receiver: this.peer, content: { [field]: error.slice(0, 500) }, protocol: H,
      conversation: this.conversation, replyWith: '', inReplyTo, replyBy: 0 }));
  }

  #plain(by, words) {
    if (!words.trim() || bytes(words) > M.MAX_TEXT || /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]/.test(words)) {
      throw new AnexError('a plain text has 1 to 2000 bytes of UTF-8 without control characters');
    }
    if (this.phase === 'ending') throw new AnexError('it has ended');
    if (this.phase === 'begins' && by === 0 && words.includes(M.MARKER)) {
      this.phase = 'met';
      this.open.push({ what: 'engagement', by: 0, id: '', until: this.now + this.caps.reply });
      return;
    }
    const p = this.open.find((q) => q.what === 'engagement' && q.by !== by);
    if (!p) return;
    const word = words.trim().toLowerCase().replace(/^[.!]+|[.!]+$/g, '');
    if (['yes', 'y', 'ok', 'okay', 'sure'].includes(word)) {
      this.#drop(p);
      this.phase = 'willing';
    } else if (['no', 'n', 'no thanks'].includes(word)) this.#end('declined', 'refused');
    else p.until = this.now + this.caps.reply;
  }

  #answered(m) {
    const anyway = (p) => {
      if (['FAILURE', 'NOT-UNDERSTOOD'].includes(m.performative)) return true;
      if (p.what === 'question') return m.performative === 'REFUSE' || (m.performative === 'INFORM' && m.protocol !== T && Object.hasOwn(m.content, 'answer'));
      return m.performative === 'CANCEL' && p.what === 'subscription';
    };
    const theirs = this.open.filter((p) => p.by !== this.side).reverse();
    const p = theirs.find((q) => answers[q.what].includes(`${m.protocol} ${m.performative}`) && !(q.active && m.performative === 'AGREE')) ?? theirs.find(anyway);
    if (p) return p.id;
    if (m.protocol === S && ['REQUEST', 'CANCEL'].includes(m.performative)) {
      return this.open.filter((q) => q.by === this.side && q.what === 'subscription').at(-1)?.id ?? '';
    }
    return '';
  }

  #drop(p) { this.open = this.open.filter((q) => q !== p); }

  #take(by, m, ...what) { return this.open.find((p) => p.by !== by && p.id === m.inReplyTo && what.includes(p.what)); }

  #await(by, m, what) {
    const mine = this.open.filter((p) => p.by === by);
    if (!m.replyWith && mine.some((p) => !p.id)) throw new AnexError('without reply-with only one message may wait for an answer');
    if (mine.length >= this.caps.open) throw new AnexError('too many messages wait for an answer');
    const p = { what, by, id: m.replyWith, until: m.replyBy || this.now + this.caps.reply, topic: '', active: false, credit: 0, held: [], missed: 0 };
    this.open.push(p);
    return p;
  }

  #replace(by, m, what, old) {
    if (this.rounds >= 2 * this.caps.rounds) throw new AnexError('too many rounds');
    const before = this.open;
    if (old) this.#drop(old);
    try {
      this.#await(by, m, what);
    } catch (e) {
      this.open = before;
      throw e;
    }
    this.rounds++;
  }

  async #apply(by, m) {
    if (m.conversation !== this.conversation) throw new AnexError('a message of another conversation');
    if (!m.known || !M.ACTS.has(m.performative) || !M.PROTOCOLS.has(m.protocol)) {
      throw new UnknownWord(`${m.performative.slice(0, 40)} of ${m.protocol.slice(0, 40)} is not known`);
    }
    if (m.replyWith && this.used[by].has(m.replyWith)) throw new AnexError('a reply-with that was there before');
    const end = m.performative === 'INFORM' && m.protocol === T;
    if (this.phase === 'ending' && (this.closer === by || !end) && !['FAILURE', 'NOT-UNDERSTOOD'].includes(m.performative)) throw new AnexError('it has ended');
    const h = { what: '', message: m, text: '', terms: null, topic: '' };
    h.what = await this.#follow(by, m, m.content, h);
    if (!h.what) throw new AnexError(`${m.performative} of ${m.protocol} at this point of the conversation`);
    if (m.replyWith) this.used[by].add(m.replyWith);
    return h;
  }

  async #follow(by, m, c, h) {
    const act = m.performative;
    if (act === 'CANCEL') {
      h.text = text(c, 'message');
      const p = this.open.find((q) => q.what === 'subscription' && q.id === m.inReplyTo && (q.id || m.protocol === S));
      if (p) { h.topic = p.topic; this.#drop(p); } else this.#end('cancelled', h.text);
      return 'cancel';
    }
    if (act === 'FAILURE' || act === 'NOT-UNDERSTOOD') {
      h.text = text(c, 'error');
      const p = this.#take(by, m, 'request', 'question', 'subscription', 'accept', 'call', 'proposal');
      if (p) { h.topic = p.topic; this.#drop(p); } else this.#end('broken', `the peer reports ${h.text.slice(0, 200)}`);
      return act === 'FAILURE' ? 'failure' : 'not-understood';
    }
    if (act === 'QUERY-IF') {
      h.text = words(c, 'query');
      if (this.phase === 'begins') throw new AnexError('a question before the introduction');
      this.#await(by, m, 'question');
      return 'question';
    }
    const asked = this.#take(by, m, 'question');
    if (asked && act === 'REFUSE') {
      this.#drop(asked);
      h.text = text(c, 'response');
      return 'refuse';
    }
    if (asked && act === 'INFORM' && Object.hasOwn(c, 'answer')) {
      this.#drop(asked);
      h.text = text(c, 'answer');
      return 'answer';
    }
    switch (m.protocol) {
      case H: return this.#shake(by, m, c, h);
      case C: return this.#negotiate(by, m, c, h);
      case D: case F: return this.#exchange(by, m, c, h);
      case S: return this.#subscribe(by, m, c, h);
      case T: return this.#terminate(by, m, c, h);
      default: return undefined;
    }
  }

  #shake(by, m, c, h) {
    const act = m.performative, asked = this.#take(by, m, 'engagement', 'modification');
    if (act === 'REQUEST' && Object.hasOwn(c, 'message')) {
      h.text = words(c, 'message');
      if (!h.text.includes(M.MARKER)) throw new AnexError('an introduction without [PA*]');
      if (this.phase !== (by === 0 ? 'begins' : 'met')) return undefined;
      if (by === 0) this.phase = 'met';
      return 'introduction';
    }
    const shaking = this.open.some((p) => ['engagement', 'modification'].includes(p.what));
    if (act === 'REQUEST' && by === 0 && this.phase === 'met' && (asked?.what === 'modification' || !shaking)) {
      h.text = words(c, 'request');
      this.#replace(by, m, 'engagement', asked);
      return 'engagement';
    }
    if (!asked) return undefined;
    if (act === 'PROPOSE') {
      h.text = words(c, 'modification');
      this.#replace(by, m, 'modification', asked);
      return 'modification';
    }
    h.text = text(c, 'response');
    if (act === 'AGREE') {
      this.#drop(asked);
      this.phase = 'willing';
      return 'agree';
    }
    if (act !== 'REFUSE') return undefined;
    this.#end('declined', h.text);
    return 'refuse';
  }

  async #negotiate(by, m, c, h) {
    if (!['willing', 'bound'].includes(this.phase)) return undefined;
    const act = m.performative;
    h.text = text(c, 'response');
    let asked;
    if (act === 'CFP') {
      const call = this.#readCall(c);
      if (this.open.some((p) => ['call', 'proposal', 'accept'].includes(p.what))) throw new AnexError('a negotiation is open');
      this.#replace(by, m, 'call');
      Object.assign(this, { call, asker: by, offer: null });
      return 'call';
    }
    if (act === 'PROPOSE' && (asked = this.#take(by, m, 'call', 'proposal'))) {
      h.terms = this.#readProposal(c);
      this.#replace(by, m, 'proposal', asked);
      this.offer = h.terms;
      return 'proposal';
    }
    if (act === 'REFUSE' && (asked = this.#take(by, m, 'call'))) {
      this.#drop(asked);
      return 'refuse';
    }
    if (act === 'REJECT-PROPOSAL' && (asked = this.#take(by, m, 'proposal'))) {
      this.#drop(asked);
      return 'reject';
    }
    if (act === 'ACCEPT-PROPOSAL' && (asked = this.#take(by, m, 'proposal'))) return this.#accept(by, m, c, h, asked);
    if (act === 'INFORM' && (asked = this.#take(by, m, 'accept'))) {
      const a = { ...this.offer }, signature = own(c, 'signature');
      if (typeof signature !== 'string' || !(await signedBy(a, m.sender, signature))) throw new AnexError('a signature that is missing or does not fit');
      a.signatures = { ...a.signatures, [m.sender]: signature };
      this.#drop(asked);
      this.#bind(a);
      h.terms = a;
      return 'signature';
    }
    return undefined;
  }

  async #accept(by, m, c, h, asked) {
    const a = { ...this.offer }, terms = own(c, 'terms') ?? '', signature = own(c, 'signature') ?? '';
    if (typeof terms !== 'string' || typeof signature !== 'string') throw new AnexError('terms and signature are strings');
    if ((terms && terms !== (await agreementHash(a))) || (signature && !terms)) throw new AnexError('other terms than those proposed');
    if (signature && !(await signedBy(a, m.sender, signature))) throw new AnexError('a signature that does not fit');
    if (by === this.asker) {
      for (const n of this.call.access) {
        if (n.endsWith('(m)') && !a.access.some((g) => covers(g, bare(n)))) throw new AnexError(`the mandatory name ${n} is missing`);
      }
      for (const n of this.call.promise) {
        if (n.endsWith('(m)') && !a.promise.includes(bare(n))) throw new AnexError(`the mandatory promise ${n} is missing`);
      }
    }
    h.terms = a;
    if (!signature) {
      this.#drop(asked);
      this.#bind(a);
      return 'accept';
    }
    this.#replace(by, m, 'accept', asked);
    a.signatures = { [m.sender]: signature };
    this.offer = a;
    return 'accept';
  }

  #bind(a) {
    this.phase = 'bound';
    this.agreed = this.done.agreed = a;
  }

  #readCall(c) {
    const r = known(c, 'request', ['identity', 'owner', 'relation', 'request_type', 'access', 'promise', 'deal', 'ontologies']);
    for (const name of ['identity', 'owner', 'relation', 'request_type']) {
      if (typeof (own(r, name) ?? '') !== 'string' || bytes(own(r, name) ?? '') > 256) throw new AnexError(`${name} is a text of at most 256 bytes`);
    }
    if (!own(r, 'identity') || !own(r, 'request_type')) throw new AnexError('identity and request_type are needed');
    const out = { ...r, access: names(own(r, 'access') ?? []), promise: names(own(r, 'promise') ?? []) };
    for (const n of out.access) steps(bare(n));
    if (Object.hasOwn(r, 'deal')) deal(r.deal);
    return out;
  }

  #readProposal(c) {
    const r = known(c, 'response', ['access', 'promise', 'deal', 'at']), both = this.#names();
    const access = sorted(names(own(r, 'access') ?? []).map(bare));
    access.forEach(steps);
    const a = {
      format: FORMAT, conversation: this.conversation, asker: both[this.asker], holder: both[1 - this.asker], identity: this.call.identity,
      owner: this.call.owner ?? '', relation: this.call.relation ?? '', request_type: this.call.request_type, access,
      promise: sorted(names(own(r, 'promise') ?? []).map(bare)),
    };
    const what = Object.hasOwn(r, 'deal') ? deal(r.deal) : this.call.deal;
    if (what !== undefined) a.deal = what;
    if (this.call.ontologies !== undefined) a.ontologies = this.call.ontologies;
    if (own(r, 'at')) {
      M.readTime(r.at);
      a.at = r.at;
    }
    return a;
  }

  #names() { return this.side === 0 ? [this.name, this.peer] : [this.peer, this.name]; }

  #within(by, data) {
    if (!this.agreed) throw new AnexError('data before an agreement');
    if (this.agreed.asker !== this.#names()[by] && canonical(cut(data, this.agreed.access)) !== canonical(data)) throw new AnexError('data beyond the agreed access');
  }

  #exchange(by, m, c, h) {
    if (this.phase !== 'bound') return undefined;
    const act = m.performative, asked = this.#take(by, m, 'request');
    if (act === 'REQUEST') {
      this.#await(by, m, 'request');
      return 'request';
    }
    if (act === 'INFORM' && (asked || !m.inReplyTo)) {
      this.#within(by, c);
      if (asked) this.#drop(asked);
      return 'data';
    }
    if (!asked) return undefined;
    h.text = text(c, 'response');
    if (act === 'AGREE') return 'agree';
    if (act !== 'REFUSE') return undefined;
    this.#drop(asked);
    return 'refuse';
  }

  #subscribe(by, m, c, h) {
    if (this.phase !== 'bound') return undefined;
    const act = m.performative, asked = this.#take(by, m, 'subscription');
    if (act === 'SUBSCRIBE') {
      h.topic = words(c, 'topic');
      const credit = count(c, 'credit');
      Object.assign(this.#await(by, m, 'subscription'), { topic: h.topic, credit });
      return 'subscription';
    }
    if (act === 'REQUEST') {
      const more = count(c, 'credit');
      const p = this.open.find((q) => q.by === by && q.what === 'subscription' && q.id === m.inReplyTo && q.active);
      if (!p) return undefined;
      p.credit = Math.min(p.credit + more, 1024);
      h.topic = p.topic;
      return 'credit';
    }
    if (!asked) return undefined;
    h.topic = asked.topic;
    if (act === 'AGREE' && !asked.active) {
      Object.assign(asked, { active: true, until: 0 });
      return 'agree';
    }
    if (act === 'REFUSE' && !asked.active) {
      this.#drop(asked);
      return 'refuse';
    }
    if (act !== 'INFORM' || !asked.active) return undefined;
    if (!isObject(own(c, 'update'))) throw new AnexError('an update is an object');
    if (!asked.credit) throw new AnexError('an update without credit');
    this.#within(by, c.update);
    asked.credit--;
    return 'update';
  }

  #flush() {
    for (const p of this.open) {
      while (p.what === 'subscription' && p.by !== this.side && p.active && p.credit && p.held.length && this.phase === 'bound') {
        const content = { update: p.held.shift(), missed: p.missed || undefined };
        this.done.send.push(M.encode({ performative: 'INFORM', sender: this.name, receiver: this.peer, content, protocol: S, conversation: this.conversation,
          replyWith: '', inReplyTo: p.id, replyBy: 0 }));
        p.missed = 0;
        p.credit--;
        this.messages++;
      }
    }
  }

  #terminate(by, m, c, h) {
    if (m.performative !== 'INFORM' || this.phase === 'begins') return undefined;
    h.text = text(c, 'message');
    if (this.phase === 'ending') {
      if (this.agreed) this.#end('completed');
      else this.#end('declined', 'no agreement');
      return 'end';
    }
    Object.assign(this, { phase: 'ending', closer: by, open: [], until: Math.min(this.until, this.now + this.caps.reply) });
    return 'end';
  }
}
