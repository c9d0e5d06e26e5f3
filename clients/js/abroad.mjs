// Calls of agents of an agent host: agent://HOST:PORT/ID/CAPABILITY. Node.js alone, because a
// browser cannot look at the key of a certificate.

import { X509Certificate, randomBytes } from 'node:crypto';
import { connect as connectTLS } from 'node:tls';
import { WebSocket } from 'ws';

import { AnexError, bytes, canonical, isObject } from './message.mjs';
import { base64, publicKey, sha256, unbase64, verifies } from './agreement.mjs';
import { Bye, PeerSession, decode, decodeBody, maxBody, maxFrame } from './frame.mjs';
import { resolve } from './names.mjs';
import { Chain, call } from './ucan.mjs';

const address = /^agent:\/\/(?:(z6Mk[1-9A-HJ-NP-Za-km-z]{40,48})@)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})\/([a-z0-9][a-z0-9-]{0,63})\/([a-z0-9][a-z0-9_.-]{0,63})$/;
const maxPayload = 256 << 10, maxTold = 100_000, openTime = 15_000, patience = 120_000, silence = 2000, window = 64, maxCalls = 1000, maxLent = 100, atOnce = 8;
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** The host or the delegation refuses a call. Code says what kind of refusal it is. */
export class Refused extends AnexError {
  constructor(code, words, name = '') {
    super(`${words} (${code})`);
    this.code = code;
    this.refusal = name;
  }
}

/** The connection is lost, and another one may go on. */
class Lost extends Error {}
/** The host does not know the session any more. */
class Gone extends Error {}

class Client {
  constructor(text, key, chain, agent, ca, signal) {
    const m = text.length <= 500 && address.exec(text);
    if (!m || !(m[3] > 0 && m[3] < 65536)) throw new AnexError(`${text.slice(0, 80)} is no address; write agent://HOST:PORT/ID/CAPABILITY, or name the court that knows the agent`);
    this.operator = m[1] ? `did:key:${m[1]}` : '';
    this.host = m[2].replace(/^\[|\]$/g, '');
    Object.assign(this, { port: Number(m[3]), id: m[4], capability: m[5], at: `${m[2]}:${m[3]}`, key, chain, agent, ca, signal });
  }

  /** A TLS connection to a host that shows the key of its operator, or a certificate of an
   * authority. Nothing is said to a host before that. */
  tls(signal = this.signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new AnexError('the call is over'));
      const servername = /^[0-9.]+$|:/.test(this.host) ? undefined : this.host;
      const socket = connectTLS({ host: this.host, port: this.port, servername, minVersion: 'TLSv1.3', rejectUnauthorized: false, ca: this.ca, ALPNProtocols: ['http/1.1'] });
      const timer = setTimeout(() => socket.destroy(new Error('it does not answer')), openTime);
      const quit = () => socket.destroy(new Error('the call is over'));
      signal?.addEventListener('abort', quit);
      socket.on('close', () => { clearTimeout(timer); signal?.removeEventListener('abort', quit); });
      socket.on('error', (e) => reject(new Lost(e.message)));
      socket.on('secureConnect', () => {
        clearTimeout(timer);
        const jwk = new X509Certificate(socket.getPeerCertificate().raw).publicKey.export({ format: 'jwk' });
        const want = this.operator || this.chain.subject || this.key.did;
        const pinned = jwk.crv === 'Ed25519' && Buffer.from(jwk.x, 'base64url').equals(publicKey(want));
        if (pinned || !this.operator && socket.authorized) return resolve(socket);
        socket.destroy();
        return reject(new AnexError(`the host ${this.at} shows neither the key of its operator ${want} nor a certificate of an authority`));
      });
    });
  }

  /** Asks the host for the key of the agent. */
  async find() {
    const socket = await this.tls();
    socket.setTimeout(openTime, () => socket.destroy(new Error('it does not answer')));
    socket.write(`GET /agents/${this.id} HTTP/1.1\r\nHost: ${this.at}\r\nConnection: close\r\n\r\n`);
    let raw = '';
    for await (const more of socket) if ((raw += more).length > 16 << 10) break;
    socket.destroy();
    const cut = raw.indexOf('\r\n\r\n');
    let said;
    try {
      said = JSON.parse(raw.slice(cut + 4));
      if (said.code) throw new Refused(String(said.code), String(said.error).slice(0, 300));
      publicKey(said.agent);
      if (said.id !== this.id || !raw.startsWith('HTTP/1.1 200 ')) throw new Error();
    } catch (e) {
      if (e instanceof Refused) throw e;
      throw new AnexError(`the host ${this.at} does not say who ${this.id} is`);
    }
    if (this.agent && said.agent !== this.agent) throw new AnexError(`${this.id} is ${said.agent} at the host ${this.at}, and ${this.agent} is expected`);
    if (this.chain.subject && ![said.agent, said.operator].includes(this.chain.subject)) {
      throw new AnexError(`the chain begins at ${this.chain.subject}, which is neither the agent nor its operator`);
    }
    this.agent = said.agent;
  }

  /** One session. It connects again when the connection is lost, for two minutes. */
  async run(order, heard, offers) {
    const over = new AbortController(), end = () => over.abort();
    const s = { line: new PeerSession(randomBytes(24).toString('base64url'), window), waiting: [{ run: order }], calls: 0, signal: over.signal, end };
    this.signal?.addEventListener('abort', end);
    try {
      return await this.links(s, heard, offers);
    } finally {
      end();
      this.signal?.removeEventListener('abort', end);
    }
  }

  async links(s, heard, offers) {
    let wait = 50;
    this.since ??= Date.now();
    for (;;) {
      const begun = Date.now();
      try {
        return await this.watched(this.tls(s.signal).then((socket) => this.link(socket, s, heard, offers)), heard);
      } catch (e) {
        if (!(e instanceof Lost)) throw e;
        this.why = e.message;
        if (this.since === undefined) {
          this.since = Date.now();
          if (this.since - begun > 1000) wait = 50; // else it may greet and shut, again and again
        }
        if (Date.now() - this.since > patience) throw new AnexError(`the host ${this.at} cannot be reached: ${e.message}`);
        await pause(wait);
        wait = Math.min(2 * wait, 1000);
      }
    }
  }

  /** Waits for an attempt to connect and go on. A dial can hang, so it is told meanwhile that
   * nothing is heard of the host. */
  async watched(attempt, heard) {
    if (!this.away) {
      let timer;
      const slow = new Promise((r) => { timer = setTimeout(r, this.since + silence - Date.now()); });
      await Promise.race([attempt.catch(() => {}), slow]);
      clearTimeout(timer);
      if (this.since !== undefined && Date.now() - this.since >= silence) {
        this.away = true;
        heard?.('away', { error: (this.why ?? 'it does not answer').slice(0, 300) });
      }
    }
    return attempt;
  }

  /** Carries a session over one connection, to its end. */
  link(socket, s, heard, offers) {
    return new Promise((resolve, reject) => {
      const ws = new WebSocket(`wss://${this.at}/agents/${this.id}`, 'ojud-channel-1', {
        createConnection: () => socket, maxPayload: maxFrame, handshakeTimeout: openTime, perMessageDeflate: false, followRedirects: false,
      });
      const done = (settle, v) => {
        if (!(v instanceof Lost)) s.end(); // at once, before anything else begins
        settle(v);
        ws.terminate();
      };
      const send = (frames) => { if (ws.readyState === WebSocket.OPEN) for (const f of frames) ws.send(JSON.stringify(f)); };
      s.flush = () => {
        while (s.waiting.length && s.line.room(s.waiting[0])) send(s.line.posted(s.waiting.shift()));
      };
      const post = (r) => { // over the connection of then
        const fits = bytes(JSON.stringify({ result: r })) <= maxBody;
        const short = (name) => String(name).slice(0, 200);
        s.waiting.push({ result: fits ? r : { id: short(r.id), name: short(r.name), error: 'the result is too long' } });
        s.calls--;
        s.flush();
      };
      const hear = (kind, value) => {
        try {
          heard?.(kind, value);
          return true;
        } catch (e) { done(reject, e); return false; }
      };
      const take = (raw, binary) => {
        if (s.signal.aborted) return;
        if (binary || ++offers.told > maxTold) throw new AnexError('its form');
        const { send: frames, deliver } = s.line.heard(decode(raw));
        this.since = undefined;
        send(frames);
        s.flush();
        if (this.away) {
          this.away = false;
          if (!hear('back', {})) return;
        }
        if (!deliver.length) return;
        const [kind, value] = decodeBody(deliver[0]);
        const acks = s.line.take();
        send(acks.length ? acks : s.line.settle());
        if (kind === 'end') { done(resolve, value); return; }
        if (!hear(kind, value)) return;
        if (kind !== 'call') return;
        if (offers.ids.has(value.id)) return;
        if (s.calls++ + s.line.unheard + s.waiting.length >= window) { done(reject, new AnexError('the agent does not take what it asked for')); return; }
        if (offers.ids.size >= offers.most) { post({ id: value.id, name: value.name, error: `it has made ${offers.most} calls` }); return; }
        offers.ids.add(value.id);
        inTurn(offers.running, s.signal, () => perform(offers, value, heard, s.signal)).then((result) => { if (result) post(result); }).catch((e) => done(reject, e));
      };
      ws.on('open', () => send(s.line.linked()));
      ws.on('message', (raw, binary) => {
        try {
          take(raw.toString(), binary);
        } catch (e) {
          if (!(e instanceof Bye && e.theirs)) send([{ bye: { code: e.code ?? 'form', error: String(e.message).slice(0, 100) } }]);
          if (e instanceof Bye && e.code === 'gone') done(reject, new Gone());
          else done(reject, new AnexError(`the host ${this.at}${e instanceof Bye ? '' : ' breaks the protocol'}: ${e.message}`));
        }
      });
      ws.on('error', (e) => done(reject, new Lost(e.message)));
      // Nothing was heard on it: whoever took it, such as a proxy, may be no host.
      const quiet = setTimeout(() => { if (this.since !== undefined) done(reject, new Lost('it does not answer')); }, openTime);
      ws.on('close', () => { clearTimeout(quiet); reject(new Lost('the connection is lost')); });
    });
  }

  /** Checks that the agent signed this end of this call. */
  async check(answer, order, id, payload) {
    if (!isObject(answer)) throw new AnexError('the end of the call cannot be read');
    if (answer.code) throw new Refused(String(answer.code), String(answer.error).slice(0, 500), String(answer.name ?? ''));
    if (answer.correlation_id !== id || answer.did !== this.agent) throw new AnexError('the host answers with the end of another call');
    const signed = answer.attestation;
    if (!signed) {
      if (answer.status === 'ok') throw new AnexError('the host gives a result that the agent did not sign');
      return;
    }
    const hash = (v) => sha256(canonical(v));
    const task = { caller: this.key.did, target: `agent://${this.id}/${this.capability}`, correlation_id: id, payload, timeout_ms: order.timeout_ms ?? 0 };
    const outcome = Object.fromEntries(['status', 'result', 'error'].filter((k) => k in answer).map((k) => [k, answer[k]]));
    let good = false;
    try {
      good = signed.version === 1 && signed.agent === this.agent && signed.call === answer.call && signed.task === await hash(task)
        && signed.delegation === (answer.delegation ? await hash(answer.delegation) : '') && signed.status === answer.status
        && signed.outcome === await hash(outcome)
        && await verifies(this.agent, new TextEncoder().encode(`ojud/agent-attestation/1\0${canonical({ ...signed, signature: base64(new Uint8Array(64)) })}`), unbase64(signed.signature));
    } catch { /* it does not hold */ }
    if (!good) throw new AnexError('the attestation of the result does not hold');
  }
}

/** Does a job when fewer than atOnce run, and not if the session is over by then. */
async function inTurn(running, signal, job) {
  while (!signal.aborted && running.size >= atOnce) await Promise.race(running);
  if (signal.aborted) return undefined;
  const one = job().finally(() => running.delete(one));
  running.add(one);
  return one;
}

/** Makes a call of the agent, and returns its result. A tool reads at.context, and may set it. */
async function perform({ tools, minions, delegate }, c, heard, signal) {
  const r = { id: c.id, name: c.name };
  try {
    if (Object.hasOwn(minions, c.name)) return { ...r, output: await delegate(minions[c.name], c, heard, signal) };
    if (!Object.hasOwn(tools, c.name)) throw new Error('it was not offered');
    const at = { context: structuredClone(c.context), signal };
    const output = await tools[c.name].run(c.input, at) ?? null;
    const was = c.context === undefined ? undefined : canonical(c.context);
    const changed = at.context !== undefined && canonical(at.context) !== was;
    if (bytes(JSON.stringify(output)) > 512 << 10) throw new Error('the output is too long');
    return { ...r, output, ...(changed && { context: at.context }) };
  } catch (e) { // what a tool throws is told to the agent that called it
    return { ...r, error: String(e?.message ?? e).slice(0, 1000) };
  }
}

const shown = { step: 'minion', begin: 'minion', chunk: 'minion', stop: 'minion', step_end: 'minion', call: 'id', result: 'id', minion_start: 'id', minion_result: 'id', away: 'id', back: 'id' };

function withResolvers() {
  let resolve;
  const promise = new Promise((r) => { resolve = r; });
  return { promise, resolve };
}

/** Has a minion make a call, one after the other. The purse is what calls of all minions may spend
 * together. Its steps are heard between those of the agent. */
async function delegate(key, { address: to, chain, agent, tools: names = [] }, purse, c, heard, { tools, ...options }) {
  const before = purse.last, { promise, resolve } = withResolvers();
  purse.last = promise;
  await before;
  try {
    if (options.signal.aborted) throw new AnexError('the call is over');
    heard?.('minion_start', { id: c.id, name: c.name }); // it may throw
    const { tokens, microdollars } = purse;
    // If nobody says how much was spent, it was all.
    Object.assign(purse, { tokens: 0, microdollars: 0 });
    const inner = (kind, value) => {
      if (kind === 'final') {
        const { prompt_tokens: p = 0, completion_tokens: q = 0, cost_micros: cost = 0 } = value.usage ?? {};
        if (Math.min(p, q, cost) >= 0) Object.assign(purse, { tokens: Math.max(0, tokens - p - q), microdollars: Math.max(0, microdollars - cost) });
      }
      const name = shown[kind];
      if (name) heard?.(kind, { ...value, [name]: value[name] ? `${c.id}/${value[name]}` : c.id });
    };
    const end = await invoke(to, c.input, key, chain, { agent, tokens, microdollars, context: c.context, heard: inner, tools: Object.fromEntries(names.map((n) => [n, tools[n]])), ...options });
    if (end.status !== 'ok') throw new Error(`its call ended as ${end.status}: ${end.error}`);
    return end.result;
  } finally {
    resolve();
  }
}

async function found(text, chain, expected, court, options) {
  const { address, agent } = await resolve(text, chain, court, options);
  if (expected && agent && expected !== agent) throw new AnexError(`the name leads to ${agent}, and ${expected} is expected`);
  return { address, agent: expected || agent };
}

/** Calls an agent of another host, and returns the end of the call: status, result or error, and
 * attestation, which was checked. Chain is that of a delegation to the key. Tools are
 * {name: {description, run, schema, outputSchema}}, which this side runs as run(input, at), and
 * minions {name: {address, description, schema, chain, tools, agent}}, agents of other hosts that
 * this side calls, all of which together spend at most minionTokens and minionMicrodollars; tools are
 * the names of those of this side that the minion may call, too. With court, the URL of the API of
 * a node, agents without a host in their address are found by their cards, once, as resolve does.
 * Agent is the did:key that has to sign; empty: that which the host names.
 * heard(kind, value) gets each message, "away" when the host cannot be reached for two seconds, and
 * "back" when it can again; if it is away for two minutes, the call fails. At most maxRuns calls of
 * tools and minions are made, and 100 in each call of a minion; the agent is told of one that is
 * beyond. When the call is over, or signal is aborted, no tool or minion begins any more, calls of
 * minions break off, and at.signal is aborted. The host is not told: it ends a call that was
 * aborted here two minutes later. */
export async function invoke(text, payload, key, chain = new Chain(), { agent = '', tokens = 0, microdollars = 0, timeout = 0, context, params, tools = {}, minions = {}, minionTokens = 0, minionMicrodollars = 0, chunks = false, heard, ca, signal, maxRuns = maxCalls, court = '' } = {}) {
  for (const m of Object.values(minions)) if ('tokens' in m || 'microdollars' in m) throw new AnexError('minions have one budget together; write minionTokens and minionMicrodollars');
  for (const m of Object.values(minions)) for (const n of m.tools ?? []) if (!Object.hasOwn(tools, n)) throw new AnexError(`a minion may call ${n}, which is not offered here`);
  const input = canonical(payload);
  if (bytes(input) > maxPayload) throw new AnexError(`the payload has more than ${maxPayload} bytes`);
  if (court) {
    ({ address: text, agent } = await found(text, chain, agent, court, { ca, signal }));
    const led = await Promise.all(Object.entries(minions).map(async ([name, m]) => [name, { ...m, ...await found(m.address, m.chain, m.agent, court, { ca, signal }) }]));
    minions = Object.fromEntries(led);
  }
  const c = new Client(text, key, chain, agent, ca, signal);
  try {
    await c.find();
  } catch (e) {
    if (e instanceof AnexError) throw e;
    if (signal?.aborted) throw new AnexError('the call is over');
    throw new AnexError(`the host ${c.at} cannot be reached: ${e.message}`);
  }
  const { file, id } = await call(key, c.agent, `/${c.id}/${c.capability.replaceAll('.', '/')}`, input, chain, { tokens, microdollars });
  const order = { capability: c.capability, input: payload, invocation: file };
  if (timeout) order.timeout_ms = timeout;
  if (context !== undefined) order.context = context;
  if (params !== undefined) order.params = params;
  if (chunks) order.chunks = true;
  const reprs = (offers, any) => Object.entries(offers).map(([name, o]) => ({
    name, description: o.description ?? '', inputSchema: o.schema ?? any, ...(o.outputSchema && { outputSchema: o.outputSchema }),
  }));
  if (Object.keys(tools).length) order.tools = reprs(tools, { type: 'object' });
  if (Object.keys(minions).length) order.minions = reprs(minions, {});
  const purse = { tokens: minionTokens, microdollars: minionMicrodollars, last: undefined };
  const offers = {
    tools, minions, delegate: (one, call, hear, over) => delegate(key, one, purse, call, hear, { tools, chunks, ca, signal: over, maxRuns: maxLent }),
    ids: new Set(), most: maxRuns, told: 0, running: new Set(), // of all sessions
  };
  const hear = heard && ((kind, value) => {
    try {
      heard(kind, value);
    } catch (e) { throw e instanceof AnexError ? e : new AnexError(`heard fails: ${e?.message ?? e}`); }
  });
  for (;;) {
    try {
      const answer = await c.run(order, hear, offers);
      await c.check(answer, order, id, payload);
      return answer;
    } catch (e) {
      if (!(e instanceof Gone)) throw e;
      // The host was started again. The same call is not made twice.
      c.since ??= Date.now();
      if (Date.now() - c.since > patience) throw new AnexError('the host does not know the call any more');
      await pause(1000);
    }
  }
}

/** What the agent at agent://HOST:PORT/ID says of itself: its name, its state, and under
 * "capabilities" those that the chain allows, with the schemas of their inputs and results. It is
 * no call, costs nothing, and is signed by the agent. */
export async function describe(text, key, chain, { agent, ca, court } = {}) {
  const end = await invoke(`${text}/agent.status`, null, key, chain, { agent, ca, court });
  if (end.status !== 'ok') throw new AnexError(`the agent does not describe itself: ${end.error}`);
  return end.result;
}
