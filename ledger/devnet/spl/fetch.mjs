// Writes the programs (*.so.gz) and programs.sha256 from the npm package litesvm, whose version and
// hash programs/oju/tests/package-lock.json pins. Run it in programs/oju/tests after `npm install`:
// node ../../../ledger/devnet/spl/fetch.mjs
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const load = createRequire(`${process.cwd()}/`);
const { LiteSVM } = load('litesvm');
const { getAddressDecoder } = load('@solana/kit');

const PROGRAMS = {
  addresses: 'AddressLookupTab1e1111111111111111111111111',
  ata: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
};
const UPGRADEABLE = 'BPFLoaderUpgradeab1e11111111111111111111111';
const HEAD = 45; // bytes of an upgradeable program's data before its ELF

const svm = new LiteSVM();
const data = (at) => Buffer.from(svm.getAccount(at).data);

function elf(at) {
  const { programAddress } = svm.getAccount(at);
  if (programAddress !== UPGRADEABLE) return data(at);
  return data(getAddressDecoder().decode(data(at).subarray(4, 36))).subarray(HEAD);
}

let hashes = '';
for (const [name, at] of Object.entries(PROGRAMS)) {
  const code = elf(at);
  writeFileSync(new URL(`${name}.so.gz`, import.meta.url), gzipSync(code, { level: 9 }));
  hashes += `${createHash('sha256').update(code).digest('hex')}  ${name}.so\n`;
}
writeFileSync(new URL('programs.sha256', import.meta.url), hashes);
