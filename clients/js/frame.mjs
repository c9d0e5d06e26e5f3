// Frames of a channel, and a session that outlives its connections (docs/protocol.md, section 16).
// agent/channel/testdata/frames.json says what is valid and what follows.

import { AnexError, bytes, isObject, loads } from './message.mjs';

export const maxBody = 1 << 20;
const maxHeld = 4 << 20, maxWindow = 256;
export const maxFrame = maxBody + 512;
const kinds = new Set(['run', 'extra', 'cancel', 'result', 'step', 'begin', 'chunk', 'stop', 'call', 'minion_start', 'minion_result', 'step_end', 'final', 'refused', 'end']);
const size = (body) => bytes(JSON.stringify(body));

/** The end of a session before its time. Code says why; theirs, that the other side said it. */
export class Bye extends AnexError {
  constructor(code, words = '', theirs = false) {
    super(theirs ? `the other side ends the session: ${words.slice(0, 200)} (${code})` : `${words} (${code})`);
    Object.assign(this, { code, theirs });
  }
}

function object(v, what, ...names) {
  if (!isObject(v) || Object.keys(v).some((n) => !names.includes(n))) throw new AnexError(`${what} is no object, or has a member that is not known`);
  return v;
}

const number = (v) => Number.isSafeInteger(v) && v >= 0;

/** Reads a frame of a stranger. Its body is only JSON; decodeBody reads that. */
export function decode(text) {
  if (bytes(text) > maxFrame) throw new AnexError('a frame is too long');
  const f = object(loads(text), 'a frame', 'hello', 'seq', 'ack', 'body', 'bye');
  const { seq = 0, ack = 0 } = f, alone = Object.keys(f).length === 1;
  if ('hello' in f) {
    const h = object(f.hello, 'hello', 'version', 'session', 'window', 'seen', 'ack', 'from');
    const { version = 0, session, window = 0, seen = 0, ack: taken = 0, from = 0 } = h;
    if (!alone || ![version, window, seen, taken, from].every(number) || typeof session !== 'string' || !/^[A-Za-z0-9_-]{22,64}$/.test(session)
      || version < 1 || window < 1 || window > maxWindow || from < 1 || taken > seen) throw new AnexError('a hello is not as it should be');
  } else if ('bye' in f) {
    const { code, error = '' } = object(f.bye, 'bye', 'code', 'error');
    if (!alone || typeof code !== 'string' || typeof error !== 'string' || !code || bytes(code) > 64 || bytes(error) > 500) throw new AnexError('a bye is not as it should be');
  } else if (!number(seq) || !number(ack) || ('body' in f) !== seq > 0 || !('body' in f) && ('seq' in f || ack < 1)) {
    throw new AnexError('a frame is neither a message nor an acknowledgement');
  }
  return f;
}

/** The kind of a message, and its value. Body is its JSON, read or not. */
export function decodeBody(body) {
  const b = typeof body === 'string' ? loads(body) : body;
  if (!isObject(b) || Object.keys(b).length !== 1) throw new AnexError('a message is an object with one member');
  const [[kind, value]] = Object.entries(b);
  if (!kinds.has(kind) || value === null || kind !== 'end' && !isObject(value)) throw new AnexError(`the message ${kind.slice(0, 40)} is not known, or has another type`);
  return [kind, value];
}

/** One side of a channel. Its methods return the frames to send; a fault of either side is a Bye.
 * What was not acknowledged is sent again, and what comes twice is taken once. */
export class PeerSession {
  constructor(name, window) {
    Object.assign(this, { name, window, open: false });
    Object.assign(this, { sent: [], last: 0, acked: 0, granted: 1, weight: 0 }); // what this side says
    Object.assign(this, { seen: 0, taken: 0, told: 0, held: [], load: 0, untold: 0 }); // what it hears
  }

  get unheard() { return this.last - this.acked; }

  linked() {
    Object.assign(this, { open: false, told: this.taken, untold: 0 });
    return [{ hello: { version: 1, session: this.name, window: this.window, seen: this.seen, ack: this.taken, from: this.acked + 1 } }];
  }

  unlinked() { this.open = false; return []; }

  room(body) { return this.unheard < this.granted && (!this.sent.length || this.weight + size(body) <= maxHeld); }

  posted(body) {
    const n = size(body);
    if (n > maxBody || !this.room(body)) throw new Bye('form', `a message of ${n} bytes has no room`);
    const frame = { seq: ++this.last, body };
    this.sent.push([n, frame]);
    this.weight += n;
    return this.open ? [this.#stamp(frame)] : [];
  }

  #stamp(frame) {
    Object.assign(this, { told: this.taken, untold: 0 });
    return this.taken ? { ...frame, ack: this.taken } : frame;
  }

  /** The frames to send, and the messages for the reader: one or none. */
  heard(f) {
    if (f.bye) throw new Bye(f.bye.code, f.bye.error, true);
    if (f.hello) return { send: this.#greet(f.hello), deliver: [] };
    if (!this.open) throw new Bye('form', 'the first frame is no hello');
    this.#confirm(f.ack ?? 0);
    const seq = f.seq ?? 0;
    if (seq <= this.seen) return { send: [], deliver: [] }; // it was taken before, or is none
    const n = size(f.body);
    if (seq > this.seen + 1) throw new Bye('form', `message ${seq} comes after message ${this.seen}`);
    if (this.seen - this.taken >= this.window || this.load > 0 && this.load + n > maxHeld) throw new Bye('form', `message ${seq} is beyond the window`);
    this.seen = seq;
    this.held.push(n);
    this.load += n;
    return { send: [], deliver: [f.body] };
  }

  #confirm(ack) {
    if (ack > this.last) throw new Bye('form', `message ${ack} is acknowledged, and the last was ${this.last}`);
    for (; this.acked < ack; this.acked++) this.weight -= this.sent.shift()[0];
  }

  #greet(h) {
    const { seen = 0, ack = 0 } = h;
    if (h.version !== 1) throw new Bye('version', `the version is ${h.version}; this side speaks 1`);
    if (h.session !== this.name || this.open) throw new Bye('form', 'this is not the hello of this connection');
    if (seen < this.acked || seen > this.last || h.from > this.seen + 1) throw new Bye('gone', 'the two sides do not remember the same session');
    this.#confirm(ack);
    Object.assign(this, { open: true, granted: h.window });
    return [...this.sent.filter(([, f]) => f.seq > seen).map(([, f]) => this.#stamp(f)), ...this.#acknowledge(1)];
  }

  /** The reader took the oldest message. */
  take() {
    const n = this.held.shift();
    this.load -= n;
    this.untold += n;
    this.taken++;
    return this.#acknowledge(this.untold >= maxHeld / 4 ? 1 : Math.max(1, Math.floor(this.window / 4)));
  }

  /** Acknowledges all that the reader took. */
  settle() { return this.#acknowledge(1); }

  #acknowledge(least) {
    if (!this.open || this.taken - this.told < least) return [];
    Object.assign(this, { told: this.taken, untold: 0 });
    return [{ ack: this.taken }];
  }
}
