// Names of agents: agent://ID/CAPABILITY has no host, and a card in a court says where the agent
// is. Node.js alone.

import { get as getHTTP } from 'node:http';
import { get as getHTTPS } from 'node:https';

import { AnexError, bytes, canonical, isObject } from './message.mjs';
import { base58, base64, did, ofAddress, publicKey, sha256, unbase64, verifies } from './agreement.mjs';

const idForm = /^[a-z0-9][a-z0-9-]{0,63}$/;
const named = /^agent:\/\/([A-Za-z0-9-]{1,64})\/([a-z0-9][a-z0-9_.-]{0,63})$/;
const hostedForm = new RegExp('^agent://(?:(?:(z6Mk[1-9A-HJ-NP-Za-km-z]{40,48})|(12D3KooW[1-9A-HJ-NP-Za-km-z]{44})(?:\\+(12D3KooW[1-9A-HJ-NP-Za-km-z]{44}))?)@)?'
  + '(\\[[0-9a-fA-F:.]{2,45}\\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?):([1-9][0-9]{0,4})/([a-z0-9][a-z0-9-]{0,63})$');
const maxCard = 64 << 10, maxAnswer = 8 << 20, askTime = 30_000;
const utf8 = new TextEncoder();
const base64url = (raw) => base64(raw).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** The addresses at agent hosts in the card of an agent that a node lists. There are none if the
 * card is not the one that the chain is said to name, or the agent's key did not sign it. */
export async function hosted(agent) {
  try {
    const { card, authority } = agent, content = canonical(card), { signatures: [signed, ...more], ...rest } = card;
    const terms = card.capabilities.extensions.filter((e) => e.uri === 'urn:ojud:agent:1');
    const head = base64url(utf8.encode(`{"alg":"EdDSA","kid":"${authority}","typ":"JOSE"}`));
    const signature = unbase64(signed.signature.replaceAll('-', '+').replaceAll('_', '/') + '==');
    const urls = card.supportedInterfaces.filter((e) => e.protocolBinding === 'OJUD-AGENT').map((e) => e.url);
    const good = !more.length && bytes(content) <= maxCard && await sha256(content) === agent.card_hash && terms.length === 1 && terms[0].params.authority === authority
      && signed.protected === head && await verifies(did(ofAddress(authority)), utf8.encode(`${head}.${base64url(utf8.encode(canonical(rest)))}`), signature)
      && base64url(signature) === signed.signature && urls.every((u) => hostedForm.test(u));
    return good ? urls : [];
  } catch {
    return []; // it is no card
  }
}

/** Key, peer, relay, host, port and id of an address, which are those of each spelling of it. */
function plain(address) {
  const [, key, peer, relay, host, port, id] = hostedForm.exec(address);
  let machine = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (port > 65535 || peer && peer === relay) return null;
  if (machine.includes(':')) {
    const at = `http://[${machine}]`;
    if (!URL.canParse(at)) return null;
    machine = new URL(at).hostname;
  }
  return { key, peer, id, all: JSON.stringify([key, peer, relay, machine, port, id]) };
}

/** The places {address, agent, signer} of agents with an id, at hosts whose operator, or at
 * agents, at which a chain begins. Agents whose operator is root come before all others. Who signs
 * the result, agent, is known only if the chain begins at that agent: anybody can copy the address
 * of a card, and the host, which is proved, says who the agent is. */
export async function placesOf(agents, name, root) {
  const peer = base58([0x00, 0x24, 0x08, 0x01, 0x12, 0x20, ...publicKey(root)]);
  const own = [], others = [], seen = new Set();
  for (const agent of agents) {
    for (const address of await hosted(agent)) {
      const signer = did(ofAddress(agent.authority)), at = plain(address);
      if (at?.id !== name) continue;
      const first = signer === root;
      if (!first && `did:key:${at.key}` !== root && at.peer !== peer) continue;
      const best = first || operator(agent) === root, mark = `${best} ${at.all}`;
      if (seen.has(mark)) continue;
      seen.add(mark);
      (best ? own : others).push({ address, agent: first ? signer : '', signer });
    }
  }
  return own.length ? own : others;
}

function operator(agent) {
  try {
    return did(ofAddress(agent.operator));
  } catch {
    return ''; // it has none
  }
}

/** The place to which a name leads, of those that cards name. This client dials hosts over TLS. */
export function choose(found, name) {
  if (new Set(found.map((p) => p.signer)).size > 1) {
    throw new AnexError(`cards say that ${name} is at ${found.length} places: ${found.map((p) => `${p.address} (card of ${p.signer})`).join(', ').slice(0, 2000)}`);
  }
  const over = found.find((p) => !p.address.includes('@') || p.address.startsWith('agent://z6Mk'));
  if (!over) throw new AnexError(`the card of ${name} names places over libp2p alone, which this client cannot dial: ${found.map((p) => p.address).join(', ').slice(0, 2000)}`);
  return over;
}

/** The did:key of an agent whose address on the chain, or key, stands in place of its id. */
export function keyOf(name) {
  if (idForm.test(name)) return '';
  try {
    return did(ofAddress(name));
  } catch {
    publicKey(`did:key:${name}`);
    return `did:key:${name}`;
  }
}

/** Finds where agent://ID/CAPABILITY is: at a host at which the chain begins, as a card in the
 * court says. In place of ID stands the address on the chain or the key of an agent, too. Court is
 * the URL of the API of a node. An address with a host stays as it is. Returns {address, agent}:
 * agent is the did:key that has to sign the result, or '' if the host says who the agent is. */
export async function resolve(address, chain, court, { ca, signal } = {}) {
  const [, name, capability] = named.exec(address) ?? [];
  if (!name) return { address, agent: '' };
  const key = keyOf(name);
  if (!chain?.subject) throw new AnexError(`${name} is looked for where a chain begins; give the chain that its operator gave you`);
  let found;
  if (key) {
    const authority = base58(publicKey(key)), agent = await ask(court, `/v1/agents/${authority}`, ca, signal);
    if (agent.authority !== authority) throw new AnexError(`the court at ${court} shows another agent`);
    found = (await hosted(agent)).map((at) => ({ address: at, agent: key, signer: key }));
    if (!found.length) throw new AnexError(`no card of ${name} that it signed names an agent host`);
  } else {
    const said = await ask(court, `/v1/agents?limit=100&q=${encodeURIComponent(`/${name}"`)}`, ca, signal);
    if (!Array.isArray(said.agents) || said.agents.length > 100 || !said.agents.every(isObject) || ![said.found, said.waiting].every(Number.isSafeInteger)) throw new AnexError(`the court at ${court} gives no list of agents`);
    found = await placesOf(said.agents, name, chain.subject);
    const unread = said.found - said.agents.length + said.waiting;
    if (!found.length) throw new AnexError(`no card ${unread ? `that was read (${unread} were not) ` : ''}says that ${name} is at a host at which the chain begins`);
  }
  const at = choose(found, name);
  return { address: `${at.address}/${capability}`, agent: at.agent };
}

/** Gets what a node answers. It may be anything, and the caller looks at it. */
async function ask(court, path, ca, signal) {
  if (!/^https?:\/\//.test(court) || !URL.canParse(court) || /[?#@]/.test(court)) throw new AnexError(`${court.slice(0, 80)} is no URL of the API of a node; write it as http://127.0.0.1:8080`);
  let raw = '', status;
  try {
    const answer = await new Promise((answered, failed) => {
      const get = court.startsWith('https:') ? getHTTPS : getHTTP;
      get(court.replace(/\/+$/, '') + path, { ca, agent: false, signal: AbortSignal.any([AbortSignal.timeout(askTime), ...signal ? [signal] : []]) }, answered).on('error', failed);
    });
    status = answer.statusCode;
    answer.setEncoding('utf8');
    for await (const more of answer) if ((raw += more).length > maxAnswer) throw new Error('the answer is too long');
  } catch (e) {
    throw new AnexError(signal?.aborted ? 'the call is over' : `the court at ${court} cannot be asked: ${e.message}`);
  }
  let said;
  try { said = JSON.parse(raw); } catch { /* the next line says it */ }
  if (!isObject(said)) throw new AnexError(`the answer of the court at ${court} cannot be read`);
  if (status !== 200) throw new AnexError(`the court at ${court} refuses: ${String(said.error).slice(0, 300)}`);
  return said;
}
