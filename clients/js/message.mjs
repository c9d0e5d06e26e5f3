// Messages of ANEX: strict JSON in, the spelling of the document out.

export const MARKER = '[PA*]';
export const MAX_MESSAGE = 64 << 10, MAX_INFORM = 1536 << 10, MAX_TEXT = 2000, MAX_DEPTH = 64;
export const HANDSHAKING = 'ANEX-Handshaking', CONTRACT_NET = 'FIPA-Contract-Net', DATA_EXCHANGE = 'ANEX-Data-Exchange';
export const FIPA_REQUEST = 'FIPA-Request', TERMINATION = 'ANEX-Termination', FIPA_SUBSCRIBE = 'FIPA-Subscribe', FIPA_QUERY = 'FIPA-Query';
export const PROTOCOLS = new Set([HANDSHAKING, CONTRACT_NET, DATA_EXCHANGE, FIPA_REQUEST, TERMINATION, FIPA_SUBSCRIBE, FIPA_QUERY]);
export const ACTS = new Set(['REQUEST', 'AGREE', 'REFUSE', 'PROPOSE', 'CFP', 'ACCEPT-PROPOSAL', 'REJECT-PROPOSAL', 'INFORM',
  'FAILURE', 'NOT-UNDERSTOOD', 'CANCEL', 'QUERY-IF', 'SUBSCRIBE']);

/** A message or a move that the protocol does not allow. */
export class AnexError extends Error {}
/** A word that is not known. It ends nothing. */
export class UnknownWord extends AnexError {}

const encoder = new TextEncoder();
export const bytes = (text) => encoder.encode(text).length;
export const own = (o, name) => (Object.hasOwn(o, name) ? o[name] : undefined);
export const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

/** Reads strict JSON: no duplicate members, no lone surrogates, a bounded depth. */
export function loads(text) {
  let at = 0;
  const fail = (why) => { throw new AnexError(`no JSON at ${at}: ${why}`); };
  const space = () => { while (at < text.length && ' \t\n\r'.includes(text[at])) at++; return text[at]; };
  const string = () => {
    const begin = at++;
    for (; text[at] !== '"'; at++) {
      if (at >= text.length || text[at] < ' ') fail('a string');
      if (text[at] === '\\') at++;
    }
    at++;
    let out;
    try { out = JSON.parse(text.slice(begin, at)); } catch { fail('a string'); }
    if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(out)) fail('half of a surrogate pair');
    return out;
  };
  const value = (depth) => {
    const c = space();
    if ((c === '{' || c === '[') && depth > MAX_DEPTH) fail('nested too deep');
    if (c === '"') return string();
    if (c === '[') {
      const out = [];
      at++;
      if (space() === ']') { at++; return out; }
      for (;;) {
        out.push(value(depth + 1));
        const d = space();
        at++;
        if (d === ']') return out;
        if (d !== ',') fail('an array');
      }
    }
    if (c === '{') {
      const out = {};
      at++;
      if (space() === '}') { at++; return out; }
      for (;;) {
        if (space() !== '"') fail('a member');
        const name = string();
        if (Object.hasOwn(out, name)) fail('a member is there twice');
        if (space() !== ':') fail('a colon');
        at++;
        Object.defineProperty(out, name, { value: value(depth + 1), enumerable: true, configurable: true, writable: true });
        const d = space();
        at++;
        if (d === '}') return out;
        if (d !== ',') fail('an object');
      }
    }
    const token = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
    token.lastIndex = at;
    const m = token.exec(text);
    if (!m) fail('a value');
    at += m[0].length;
    const out = JSON.parse(m[0]);
    if (typeof out === 'number' && !Number.isFinite(out)) fail('a number that no IEEE double holds');
    return out;
  };
  const out = value(1);
  if (space() !== undefined) fail('something follows');
  return out;
}

/** Writes JSON as the examples of the document: { "a": [1, 2] }. */
export function spell(v) {
  if (Array.isArray(v)) return '[' + v.map(spell).join(', ') + ']';
  if (isObject(v)) {
    const all = Object.keys(v).filter((k) => v[k] !== undefined);
    return all.length ? '{ ' + all.map((k) => `${JSON.stringify(k)}: ${spell(v[k])}`).join(', ') + ' }' : '{}';
  }
  return JSON.stringify(v);
}

/** Canonical JSON (RFC 8785). */
export function canonical(v) {
  if (Array.isArray(v)) return '[' + v.map(canonical).join(',') + ']';
  if (isObject(v)) return '{' + Object.keys(v).filter((k) => v[k] !== undefined).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`).join(',') + '}';
  if (typeof v === 'number' && (!Number.isFinite(v) || Number.isInteger(v) && Math.abs(v) < 1e21 && !Number.isSafeInteger(v))) {
    throw new AnexError('a number that no IEEE double holds exactly');
  }
  return JSON.stringify(v);
}

export const writeTime = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');

export function readTime(text) {
  const m = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  const ms = m ? Date.parse(m[1] + 'Z') : NaN;
  if (Number.isNaN(ms) || writeTime(ms) !== m[1] + 'Z') throw new AnexError(`${text.slice(0, 40)} is no time such as 2026-01-02T15:04:05Z`);
  return ms + Number(((m[2] ?? '0') + '000').slice(0, 3));
}

const control = /[\u0000-\u001f\u007f-\u009f]/;

function checkFields(m, size) {
  if (!/^[A-Z-]{1,64}$/.test(m.performative)) throw new AnexError('the performative is no word');
  for (const name of [m.sender, m.receiver]) {
    if (!name || bytes(name) > 256 || control.test(name)) throw new AnexError('sender and receiver are names of 1 to 256 bytes');
  }
  if (!m.protocol || bytes(m.protocol) > 64) throw new AnexError('the protocol has 1 to 64 bytes');
  if (!isObject(m.content)) throw new AnexError('the content is no object');
  for (const id of [m.conversation, m.replyWith, m.inReplyTo]) {
    if (!/^[!-~]{0,64}$/.test(id)) throw new AnexError('an id has at most 64 characters from ! to ~');
  }
  const data = m.performative === 'INFORM' && (m.protocol === DATA_EXCHANGE || m.protocol === FIPA_REQUEST);
  if (size > (data ? MAX_INFORM : MAX_MESSAGE)) throw new AnexError(`a message of ${size} bytes`);
}

export function encode(m) {
  const out = {
    performative: m.performative, sender: m.sender, receiver: m.receiver, content: m.content, language: 'JSON',
    ontology: 'ANEX-Ontology', protocol: m.protocol, 'conversation-id': m.conversation || undefined,
    'reply-with': m.replyWith || undefined, 'in-reply-to': m.inReplyTo || undefined,
    'reply-by': m.replyBy ? writeTime(m.replyBy) : undefined,
  };
  const text = spell(out);
  checkFields(m, bytes(text));
  return text;
}

const fields = new Set(['performative', 'sender', 'receiver', 'content', 'language', 'ontology', 'protocol', 'conversation-id', 'reply-with',
  'in-reply-to', 'reply-by']);

/** Reads a message. An unknown language or ontology makes known false. */
export function parse(raw) {
  const size = bytes(raw);
  if (size > MAX_INFORM) throw new AnexError(`a message of ${size} bytes`);
  const f = loads(raw);
  if (!isObject(f)) throw new AnexError('a message is an object');
  for (const name of Object.keys(f)) if (!fields.has(name)) throw new AnexError(`the field ${name.slice(0, 40)} is not known`);
  for (const name of ['performative', 'sender', 'receiver', 'language', 'ontology', 'protocol']) {
    if (typeof own(f, name) !== 'string') throw new AnexError(`the field ${name} is needed`);
  }
  for (const name of ['conversation-id', 'reply-with', 'in-reply-to', 'reply-by']) {
    if (Object.hasOwn(f, name) && (typeof f[name] !== 'string' || !f[name])) throw new AnexError(`the field ${name} is a string that is not empty`);
  }
  const m = {
    performative: f.performative.replaceAll('_', '-'), sender: f.sender, receiver: f.receiver, content: own(f, 'content'), protocol: f.protocol,
    conversation: own(f, 'conversation-id') ?? '', replyWith: own(f, 'reply-with') ?? '', inReplyTo: own(f, 'in-reply-to') ?? '',
    replyBy: Object.hasOwn(f, 'reply-by') ? readTime(f['reply-by']) : 0, known: f.language === 'JSON' && f.ontology === 'ANEX-Ontology',
  };
  checkFields(m, Math.max(size, bytes(spell(f))));
  return m;
}
