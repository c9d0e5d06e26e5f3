// Conversations over a WebSocket, of a browser or of the package ws.

import * as M from './message.mjs';
import { AnexError, canonical, isObject, loads } from './message.mjs';
import { agreementHash, base64, hex, sign, unbase64, verifies } from './agreement.mjs';
import { Session, caps } from './session.mjs';

export const SUBPROTOCOL = 'anex.v1', SUBPROTOCOL_CBOR = 'anex.v1.cbor';
const tokenTime = 120, leeway = 30, openTime = 15_000, maxToken = 8 << 10;
const utf8 = new TextEncoder();

const url64 = (raw) => base64(raw).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
function unurl64(text) {
  const raw = unbase64(text.replaceAll('-', '+').replaceAll('_', '/').padEnd(Math.ceil(text.length / 4) * 4, '='));
  if (url64(raw) !== text) throw new AnexError('no base64');
  return raw;
}
export const random = () => hex(crypto.getRandomValues(new Uint8Array(16)));

/** An EdDSA JWT of the key for another agent, in one session. */
export async function issue(key, to, session, certificate, now = Math.floor(Date.now() / 1000)) {
  const claims = { iss: key.did, aud: [to], iat: now, exp: now + tokenTime, jti: random(), sid: session, crt: certificate || undefined };
  const body = [{ alg: 'EdDSA', typ: 'JWT' }, claims].map((p) => url64(utf8.encode(JSON.stringify(p)))).join('.');
  return `${body}.${url64(await key.sign(utf8.encode(body)))}`;
}

/** Checks a token that was shown to an agent in a session, and returns its claims. */
export async function readToken(token, to, session, now = Date.now() / 1000) {
  try {
    const [head, body, signature, more] = token.slice(0, maxToken).split('.');
    const read = (part) => loads(new TextDecoder('utf-8', { fatal: true }).decode(unurl64(part)));
    const header = read(head), c = read(body);
    const numbers = [c.iat, c.exp, c.nbf ?? 0].every((n) => typeof n === 'number');
    if (more === undefined && numbers && header.alg === 'EdDSA' && typeof c.iss === 'string' && [c.aud].flat().includes(to) && session && c.sid === session &&
        c.iat - leeway <= now && now <= c.exp + leeway && c.exp - c.iat <= 2 * tokenTime && (c.nbf ?? 0) <= now + leeway &&
        (await verifies(c.iss, utf8.encode(`${head}.${body}`), unurl64(signature)))) return c;
  } catch (e) {
    if (!(e instanceof AnexError || e instanceof TypeError)) throw e;
  }
  throw new AnexError('Invalid authentication token.');
}

function opening(raw, kind) {
  if (raw === null || raw.length > maxToken) throw new AnexError('the peer did not introduce itself');
  const o = loads(raw);
  if (o?.anex === 'error') throw new AnexError(`the peer refused: ${String(o.error).slice(0, 200)}`);
  if (o?.anex !== kind || !Object.values(o).every((v) => typeof v === 'string')) throw new AnexError(`the frame ${kind} was expected`);
  return o;
}

/** Frames of a WebSocket, one after the other. */
export class Frames {
  constructor(ws) {
    Object.assign(this, { ws, queue: [], size: 0, waiting: null, closed: false, cbor: null });
    ws.binaryType = 'arraybuffer';
    ws.addEventListener('message', (e) => {
      const raw = this.#read(e.data);
      // A browser cannot stop reading, so a peer that floods is cut off.
      if (raw === null || (this.size += raw.length) > 4 * M.MAX_INFORM) { ws.close(); return; }
      this.queue.push(raw);
      this.#wake();
    });
    const end = () => { this.closed = true; this.#wake(); };
    ws.addEventListener('close', end);
    ws.addEventListener('error', end);
  }

  // Text as it is, and CBOR as JSON, if both sides announced it. What is not in its form is what
  // the machine refuses.
  #read(data) {
    if (typeof data === 'string') return data;
    if (!this.cbor) return null;
    try {
      return this.cbor.unpack(new Uint8Array(data), M.MAX_INFORM);
    } catch (e) {
      if (!(e instanceof AnexError)) throw e;
      return '\ufffd';
    }
  }

  #wake() { this.waiting?.(); this.waiting = null; }

  /** The next frame, null at the end, undefined after ms. */
  async next(ms) {
    const until = Date.now() + ms;
    while (!this.queue.length && !this.closed) {
      const left = until - Date.now();
      if (left <= 0) return undefined;
      let timer;
      await new Promise((resolve) => { this.waiting = resolve; timer = setTimeout(resolve, Math.min(left, 2 ** 31 - 1)); });
      clearTimeout(timer);
    }
    if (!this.queue.length) return null;
    const raw = this.queue.shift();
    this.size -= raw.length;
    return raw;
  }

  send(frame) { if (!this.closed) this.ws.send(this.cbor?.pack(frame, M.MAX_INFORM) ?? frame); }

  /** The websocket is open. codec reads and writes CBOR, if it was announced. */
  opened(codec) {
    if (![SUBPROTOCOL, codec && SUBPROTOCOL_CBOR].includes(this.ws.protocol)) throw new AnexError('the server does not speak ANEX');
    return this.ws.protocol === SUBPROTOCOL_CBOR ? codec : null;
  }
}

/** The client's part of the tokens. certificate is the hash of the server's, if it can be seen. */
export async function introduce(frames, key, { peer = '', certificate = '', bounds = caps, cbor } = {}) {
  const codec = frames.opened(cbor);
  const agent = await prove(frames, key, peer, certificate);
  frames.cbor = codec;
  return new Talk(frames, key, agent, true, bounds);
}

/** Shows tokens to the server and returns the agent that it proved to be. */
export async function prove(frames, key, peer, certificate) {
  const hello = opening((await frames.next(openTime)) ?? null, 'hello');
  if (peer ? hello.agent !== peer : !hello.agent) throw new AnexError(`the server is ${String(hello.agent).slice(0, 80)}, not ${peer}`);
  const challenge = random();
  const token = await issue(key, hello.agent, hello.challenge, certificate);
  frames.send(JSON.stringify({ anex: 'token', agent: key.did, token, challenge }));
  const back = opening((await frames.next(openTime)) ?? null, 'token');
  const claims = await readToken(back.token ?? '', key.did, challenge);
  if (claims.iss !== hello.agent) throw new AnexError('the token is of another agent');
  return hello.agent;
}

/** The server's part of the tokens. */
export async function admit(frames, key, { certificate = '', bounds = caps, cbor } = {}) {
  const challenge = random(), codec = frames.opened(cbor);
  frames.send(JSON.stringify({ anex: 'hello', agent: key.did, challenge }));
  try {
    const shown = opening((await frames.next(openTime)) ?? null, 'token');
    const claims = await readToken(shown.token ?? '', key.did, challenge);
    if ((claims.crt ?? certificate) !== certificate || claims.iss === key.did) throw new AnexError('Invalid authentication token.');
    frames.send(JSON.stringify({ anex: 'token', token: await issue(key, claims.iss, shown.challenge ?? '') }));
    frames.cbor = codec;
    return new Talk(frames, key, claims.iss, false, bounds);
  } catch (e) {
    frames.send(JSON.stringify({ anex: 'error', error: e.message }));
    frames.ws.close();
    throw e;
  }
}

/** Opens a conversation in a browser, whose authorities have to know the server. With cbor, the
 * module ojud-anex/cbor, frames are binary if the server reads CBOR. */
export async function connect(url, key, options = {}) {
  const frames = await open(url, options.cbor ? [SUBPROTOCOL_CBOR, SUBPROTOCOL] : SUBPROTOCOL);
  try {
    return await introduce(frames, key, options);
  } catch (e) {
    frames.ws.close();
    throw e;
  }
}

/** A websocket of a browser with one of these subprotocols. */
export async function open(url, speaks) {
  const u = new URL(url);
  if (u.protocol !== 'wss:' && !(u.protocol === 'ws:' && ['localhost', '127.0.0.1', '[::1]'].includes(u.hostname))) {
    throw new AnexError('write wss://, or ws:// for this machine');
  }
  const ws = new WebSocket(url, speaks);
  const frames = new Frames(ws);
  await new Promise((resolve, reject) => {
    ws.addEventListener('open', resolve);
    ws.addEventListener('error', () => reject(new AnexError(`no connection to ${url}: nobody answers there, or this browser does not trust its certificate. Browsers take no certificate of an agent's own key: serve with one of an authority (ojud agent talk serve --cert FILE --cert-key FILE)`)));
  });
  return frames;
}

/** A conversation. Iterate over it to hear; it ends when the conversation ends. */
export class Talk {
  constructor(frames, key, peer, first, bounds) {
    Object.assign(this, { frames, key, peer, offer: null, called: null, proposed: null, agreement: null, ended: null, moves: Promise.resolve() });
    this.session = new Session(key.did, peer, { conversation: first ? random() : '', first, at: Date.now(), bounds });
  }

  // One move at a time.
  #move(make) {
    const run = this.moves.then(async () => {
      const done = await make();
      for (const frame of done.send) this.frames.send(frame);
      if (done.agreed) this.agreement = done.agreed;
      if (done.ended) { this.ended = done.ended; this.frames.ws.close(); }
      return done;
    });
    this.moves = run.catch(() => {});
    return run;
  }

  async say(performative, protocol, content, ids) {
    await this.#move(() => this.session.say(Date.now(), performative, protocol, content, ids));
    if (performative === 'CFP') Object.assign(this, { called: content.request, proposed: null });
    if (performative === 'PROPOSE' && protocol === M.CONTRACT_NET) this.proposed = content.response;
  }

  // Refuses terms with a deal, a promise or an access that this side did not name.
  #named(a, { deal, promise = [], access = [] } = {}) {
    const own = (a.asker === this.key.did ? this.called : this.proposed) ?? {}, wanted = deal ?? own.deal;
    if ((a.deal !== undefined || deal !== undefined) && (wanted === undefined || a.deal === undefined || canonical(a.deal) !== canonical(wanted))) {
      throw new AnexError('the terms have another deal than was given; look at it, and give it as { deal }');
    }
    const names = [...promise, ...(own.promise ?? []), ...(this.proposed?.promise ?? [])].map((p) => p.replace(/\(m\)$/, ''));
    const more = a.promise.find((p) => !names.includes(p));
    if (more !== undefined) throw new AnexError(`the terms have a promise that was not given: ${more}; look at it, and give it as { promise }`);
    const asked = [...access, ...(own.access ?? []), ...(this.proposed?.access ?? [])].map((n) => n.replace(/\(m\)$/, ''));
    const beyond = a.access.find((n) => !asked.includes(n));
    if (beyond !== undefined) throw new AnexError(`the terms have an access that was not named: ${beyond}; look at it, and give it as { access }`);
  }
  /** Plain text, for those who do not speak ANEX. */
  async write(text) { await this.#move(() => this.session.write(Date.now(), text)); }
  async publish(update, subscription) { await this.#move(() => this.session.publish(Date.now(), update, subscription)); }

  /** The next that is heard, or null at the end. */
  async hear() {
    while (!this.ended) {
      const raw = await this.frames.next(Math.max(this.session.next() - Date.now(), 0));
      if (raw === undefined) { await this.#move(() => this.session.clock(Date.now())); continue; }
      if (raw === null) { await this.#move(() => this.session.hangup(Date.now())); return null; }
      const { heard: [h] } = await this.#move(() => this.session.frame(Date.now(), raw));
      if (!h) continue;
      if (h.what === 'call') Object.assign(this, { called: null, proposed: null, offer: null });
      if (h.what === 'proposal') this.offer = h.terms;
      if (h.what === 'accept' && h.message.content.signature) {
        try {
          this.#named(h.terms);
        } catch (e) {
          await this.say('FAILURE', M.CONTRACT_NET, { error: 'These terms are not signed.' });
          throw e;
        }
        await this.say('INFORM', M.CONTRACT_NET, { response: 'Signed.', signature: await sign({ ...h.terms }, this.key) });
      }
      if (h.what === 'end' && !this.ended) await this.end();
      return h;
    }
    return null;
  }

  async* [Symbol.asyncIterator]() { for (let h; (h = await this.hear());) yield h; }

  /** The next that is heard has to be one of these. */
  async expect(...what) {
    const h = await this.hear();
    if (!what.includes(h?.what)) throw new AnexError(`heard ${h?.what}, not ${what.join(' or ')}; ${JSON.stringify(this.ended)}`);
    return h;
  }

  greet(owner) { return this.say('REQUEST', M.HANDSHAKING, { message: `Hi, I'm ${owner}'s AI assistant ${M.MARKER}.` }); }
  request(text, more) { return this.say('REQUEST', M.HANDSHAKING, { request: text, ...more }); }
  modify(text) { return this.say('PROPOSE', M.HANDSHAKING, { modification: text }); }
  agree(text = 'Agreed.', protocol = M.HANDSHAKING) { return this.say('AGREE', protocol, { response: text }); }
  refuse(text = 'No, thank you.', protocol = M.HANDSHAKING) { return this.say('REFUSE', protocol, { response: text }); }
  call(requestType, { access = [], promise = [], owner = '', relation = '', ...more } = {}) {
    return this.say('CFP', M.CONTRACT_NET, { request: { identity: this.key.did, owner, relation, request_type: requestType, access, promise, ...more } });
  }
  /** Proposes terms. The deal of a call is part of them, so it has to be given to be signed. */
  async propose({ access = [], promise = [], ...more } = {}) {
    const { call, asker, side } = this.session;
    if (isObject(call?.deal) && asker !== side && more.deal === undefined) throw new AnexError('the call has a deal; look at it, and give it as { deal }');
    await this.say('PROPOSE', M.CONTRACT_NET, { response: { access, promise, at: new Date().toISOString().replace(/\.\d+Z/, 'Z'), ...more } });
  }
  reject(text) { return this.say('REJECT-PROPOSAL', M.CONTRACT_NET, { response: text }); }
  /** Accepts the terms that were proposed, and signs. A deal, and promises and names of access
   * that are not in the own call, have to be given, because they bind. */
  async accept(given) {
    if (!this.offer) throw new AnexError('nothing was proposed');
    this.#named(this.offer, given);
    const a = { ...this.offer }, signature = await sign(a, this.key);
    await this.say('ACCEPT-PROPOSAL', M.CONTRACT_NET, { response: 'Accepted.', terms: await agreementHash(a), signature });
  }
  tell(data, inReplyTo = '') { return this.say('INFORM', M.DATA_EXCHANGE, data, { inReplyTo }); }
  ask(request) { return this.say('REQUEST', M.DATA_EXCHANGE, request); }
  query(text) { return this.say('QUERY-IF', M.FIPA_QUERY, { query: text }); }
  answer(yes) { return this.say('INFORM', M.FIPA_QUERY, { answer: yes ? 'yes' : 'no' }); }
  subscribe(topic, credit = 8) { return this.say('SUBSCRIBE', M.FIPA_SUBSCRIBE, { topic, credit }); }
  credit(n) { return this.say('REQUEST', M.FIPA_SUBSCRIBE, { credit: n }); }
  cancel(text = 'Cancelled.') { return this.say('CANCEL', M.HANDSHAKING, { message: text }); }
  end() { return this.say('INFORM', M.TERMINATION, { message: 'Session terminated.' }); }
}
