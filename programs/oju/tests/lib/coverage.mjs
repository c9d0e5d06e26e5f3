// What each instruction was seen to do: succeed, at which cost, or fail with which error.

const seen = new Map();

/** Notes what an instruction did: an error's name, or 'ok'; and its transaction's compute units. */
export function note(name, what, units) {
  if (!seen.has(name)) seen.set(name, { what: new Set(), most: 0 });
  const entry = seen.get(name);
  entry.what.add(what);
  if (what === 'ok') entry.most = Math.max(entry.most, units);
}

/** What was noted of an instruction, in alphabetical order. */
export const noted = (name) => [...(seen.get(name)?.what ?? [])].sort();

/** The compute units of the instruction's costliest transaction that succeeded, an Ed25519 instruction before it included. */
export const most = (name) => seen.get(name)?.most ?? 0;
