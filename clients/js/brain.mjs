// The HTTP API of MegaBrain for agents (section C.6), which "ojud brain serve" answers. For
// Node.js: the server refuses pages of browsers.

import { AnexError } from './message.mjs';
import { hex } from './agreement.mjs';

const MAX_ANSWER = 8 << 20, MAX_EVENT = 64 << 10;

/**
 * @typedef {import('./agreement.mjs').Key} Key
 * @typedef {'worker' | 'evaluator'} Role
 * @typedef {{ name: string, type: string, content: Uint8Array }} Attachment
 *   The server looks whether the content is of that type.
 *
 * Amounts are lamports, and times are Unix seconds.
 * @typedef {{ taskId: string, description: string, budget: number, deadline: number, stakeRequired: number, taskClass: string, className?: string, seat: 'drawn' | 'waiting' }} AvailableTask
 *   A task in which the agent acts now (drawn), or may be drawn (waiting).
 * @typedef {{ taskId: string, description: string, taskClass: string, requester: string, status: string, phase: string, submissionDeadline: number, phaseDeadline: number, budget: number, remainingBudget: number,
 *   paid: number, slashed: number, workers: string[], evaluators: string[], now: number }} TaskState
 * @typedef {{ submissionId: string, resultHash: string, confirmations: number, txHash?: string, attachments?: { name: string, type: string, bytes: number, sha256: string }[] }} Submission
 * @typedef {{ evaluationId: string, txHash: string, committed: boolean, left: number }} Evaluation txHash is empty until the last result has a score.
 * @typedef {{ worker: string, state: string, resultHash?: string, result?: any, summary?: string, finalScore: number, inConsensus: boolean, payment: number, slashed: number,
 *   cluster: number, copyOf?: number, lowEffort?: boolean, scored?: boolean, why?: string, proof?: string, attachments?: { name: string, type: string, bytes: number, sha256: string }[],
 *   evaluations: { evaluator: string, score: number, confidence: number, rationale?: string, corrections?: any[] }[] }} WorkerResult Without a result the server does not have it; finalScore is hundredths of a point.
 * @typedef {{ taskClass: string, className?: string, workerScore: number, evaluatorScore: number, lastActive: number, frozenUntil?: number }} ClassReputation
 * @typedef {{ taskId: string, disputed: boolean, case?: string, disputant?: string, verdict?: 'open' | 'upheld' | 'refused' | 'undecided', foundHere?: boolean }} Dispute
 * @typedef {{ case: string, stake: number, txHash?: string }} OpenedDispute
 * @typedef {{ name: 'TaskChanged' | 'ResultSubmitted' | 'EvaluationSubmitted' | 'DisputeOpened' | 'TaskSettled' | 'Failed', data: any }} Event
 */

/** The server refused (RFC 9457). */
export class Problem extends AnexError {
  constructor(status, detail) {
    super(`${status}: ${detail}`);
    this.status = status;
    this.detail = detail;
  }
}

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const word = encodeURIComponent;

/** The pieces of an answer, of which at most so many bytes are read. */
async function* pieces(answer, most) {
  let read = 0;
  for await (const piece of answer.body ?? []) {
    if ((read += piece.length) > most) throw new AnexError(`the answer has more than ${most} bytes`);
    yield piece;
  }
}

async function bytes(answer) {
  const all = [];
  try {
    for await (const piece of pieces(answer, MAX_ANSWER)) all.push(piece);
  } catch (e) {
    throw e instanceof AnexError ? e : new AnexError(`the answer broke off: ${e.message}`);
  }
  return Buffer.concat(all);
}

const text = async (answer) => (await bytes(answer)).toString();

function object(said) {
  let value;
  try {
    value = JSON.parse(said);
  } catch (e) {
    throw new AnexError(`the answer is no JSON: ${e.message}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new AnexError('the answer is no JSON object');
  return value;
}

function detail(said) {
  try {
    const it = JSON.parse(said);
    return [String(it.detail), ...(it.errors ?? []).map((e) => `${e.location}: ${e.message}`)].join('; ');
  } catch {
    return JSON.stringify(said.slice(0, 200));
  }
}

/** An agent at a server. It registers by itself, also when its token expires. A request that got no
 * answer, or 503, is sent again with the same Idempotency-Key. */
export class Brain {
  #root; #timeout; #tries; #token = '';

  /** @param {string} url @param {Key} key */
  constructor(url, key, { agentId = crypto.randomUUID(), timeout = 90_000, tries = 3 } = {}) {
    if (!/^https?:\/\/[^/]/.test(url)) throw new AnexError('write the URL of the API, such as http://127.0.0.1:4950/api/v1');
    this.#root = url.replace(/\/+$/, '');
    this.#timeout = timeout;
    this.#tries = tries;
    this.key = key;
    this.agentId = agentId;
    /** The server holds the key, so it acts for this agent. */
    this.acts = false;
  }

  /** Registers by a signature. All calls do that if they need to. */
  async register() {
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = await this.key.sign(new TextEncoder().encode(`MBP_REGISTER:${this.agentId}:${timestamp}`));
    const body = { agentId: this.agentId, publicKey: `0x${hex(this.key.public)}`, signature: `0x${hex(signature)}`, timestamp };
    const said = await this.#call('POST', '/auth/register', body, false);
    this.#token = said.token;
    this.acts = said.acts;
  }

  /** The tasks in which the agent has a seat, or may get one. Capabilities are task classes.
   * @param {Role} role @param {...string} capabilities @returns {Promise<AvailableTask[]>} */
  async available(role, ...capabilities) {
    const query = new URLSearchParams({ role, ...(capabilities.length ? { capabilities: capabilities.join() } : {}) });
    return (await this.#call('GET', `/tasks/available?${query}`)).tasks;
  }

  /** Commits to a result. The server shows it when all have committed.
   * @param {string} task @param {any} result @param {string} summary @param {Attachment[]} attachments @returns {Promise<Submission>} */
  submit(task, result, summary, attachments = []) {
    const form = new FormData();
    form.set('result', JSON.stringify(result));
    form.set('summary', summary);
    for (const a of attachments) form.append('attachments', new Blob([a.content], { type: a.type }), a.name);
    return this.#call('POST', `/tasks/${word(task)}/submit`, form);
  }

  /** Scores the result of a worker. The server commits to all scores when none is missing.
   * @param {string} task @param {string} worker @param {number} score @param {number} confidence @returns {Promise<Evaluation>} */
  evaluate(task, worker, score, confidence, rationale = '', corrections = [], sameAs = [], vector = undefined) {
    return this.#call('POST', `/tasks/${word(task)}/evaluate/${word(worker)}`, { score, confidence, rationale, corrections, sameAs, vector });
  }

  /** @param {string} task @returns {Promise<TaskState>} */
  task(task) { return this.#call('GET', `/tasks/${word(task)}`); }

  /** The revealed results, with scores and payments.
   * @param {string} task @returns {Promise<WorkerResult[]>} */
  async results(task) { return (await this.#call('GET', `/tasks/${word(task)}/results`)).results; }

  /** A file that a worker handed in beside its result. It is a stranger's; its hash is checked.
   * @param {string} task @param {string} sha256 @returns {Promise<Uint8Array>} */
  async attachment(task, sha256) {
    const raw = await bytes(await this.#ask('GET', `/tasks/${word(task)}/attachments/${word(sha256)}`, {}));
    if (hex(new Uint8Array(await crypto.subtle.digest('SHA-256', raw))) !== sha256) throw new AnexError('the server gives another file');
    return raw;
  }

  /** @param {string} task @returns {Promise<Dispute>} */
  dispute(task) { return this.#call('GET', `/tasks/${word(task)}/dispute`); }

  /** Brings the outcome that the server finds to the court.
   * @param {string} task @param {string} rationale @returns {Promise<OpenedDispute>} */
  openDispute(task, rationale) { return this.#call('POST', `/tasks/${word(task)}/dispute`, { rationale }); }

  /** Asks the court about one result of a golden task that this agent failed: that of the worker
   * with this number, counted from 1.
   * @param {string} task @param {number} result @param {string} reason
   * @returns {Promise<OpenedDispute & { openedAs: 'right' | 'wrong', fee: number }>} */
  appeal(task, result, reason) { return this.#call('POST', `/tasks/${word(task)}/appeal`, { result, reason }); }

  /** The reputation of an agent, by class: of this one, of a UUID, or of a key as 0x…
   * @returns {Promise<ClassReputation[]>} */
  async reputation(agent = this.agentId) { return (await this.#call('GET', `/agents/${word(agent)}/reputation`)).classes; }

  /** What happens in a task, or, without one, to all tasks, without an end. What was before comes
   * first. A stream that breaks off is followed anew.
   * @returns {AsyncGenerator<Event>} */
  async* events(task = '') {
    const told = new Set();
    for (;; await pause(1000)) {
      for await (const [name, data] of this.#stream(`/events${task && `?taskId=${word(task)}`}`)) {
        if (told.has(name + data)) continue;
        told.add(name + data);
        yield { name, data: object(data) };
      }
    }
  }

  async* #stream(path) {
    const answer = await this.#ask('GET', path, { headers: { Accept: 'text/event-stream' } }, true, false);
    const utf8 = new TextDecoder();
    let rest = '', name = '', data = '';
    try {
      for await (const piece of answer.body) {
        const lines = (rest + utf8.decode(piece, { stream: true })).split(/\r?\n/);
        rest = lines.pop();
        for (const line of lines) {
          const [, field, value] = /^([^:]*):? ?([^]*)$/.exec(line);
          if (field === 'event') name = value;
          else if (field === 'data') data += value;
          else if (!line && data) {
            yield [name, data];
            name = data = '';
          }
          if (data.length > MAX_EVENT) break;
        }
        if (rest.length + data.length > MAX_EVENT) throw new AnexError(`an event has more than ${MAX_EVENT} bytes`);
      }
    } catch (e) {
      if (e instanceof AnexError) throw e; // the caller begins again after all others
    }
  }

  async #call(method, path, body, signed = true) {
    const options = {};
    if (body !== undefined) {
      options.headers = { 'Idempotency-Key': crypto.randomUUID() };
      options.body = body;
      if (!(body instanceof FormData)) {
        options.body = JSON.stringify(body);
        options.headers['Content-Type'] = 'application/json';
      }
    }
    const answer = await this.#ask(method, path, options, signed);
    return object(await text(answer));
  }

  /** Sends a request until it is answered. */
  async #ask(method, path, options, signed = true, ends = true) {
    if (signed && !this.#token) await this.register();
    for (let tries = this.#tries - 1, fresh = true; ; tries--) {
      const headers = { ...options.headers, ...(signed ? { Authorization: `Bearer ${this.#token}` } : {}) };
      let answer, said;
      try {
        answer = await fetch(this.#root + path, { ...options, method, headers, redirect: 'manual', ...(ends ? { signal: AbortSignal.timeout(this.#timeout) } : {}) });
        if (answer.ok) return answer;
        said = await text(answer);
      } catch (e) {
        if (e instanceof AnexError || tries <= 0) throw e instanceof AnexError ? e : new AnexError(`no answer of ${this.#root}: ${e.cause?.message ?? e.message}`);
        await pause(1000);
        continue;
      }
      if (answer.status === 401 && signed && fresh) {
        fresh = false;
        await this.register(); // the token expired
      } else if (answer.status === 503 && tries > 0) {
        await pause(1000);
      } else {
        throw new Problem(answer.status, detail(said));
      }
    }
  }
}
