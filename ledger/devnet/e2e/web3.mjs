// Drives the chain with @solana/web3.js.
import {
  AddressLookupTableProgram, Connection, Keypair, LAMPORTS_PER_SOL, PublicKey, SendTransactionError, SystemProgram, Transaction,
  TransactionExpiredBlockheightExceededError, TransactionInstruction, TransactionMessage, VersionedTransaction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import { assert, chain, done, poll, within } from './check.mjs';

// Without a wsEndpoint the library takes the port after the RPC's.
const connection = new Connection(chain.rpc, 'confirmed');
const program = new PublicKey(chain.program);
const payer = Keypair.generate();
const friend = Keypair.generate();

async function airdrop() {
  const signature = await connection.requestAirdrop(payer.publicKey, 10 * LAMPORTS_PER_SOL);
  const latest = await connection.getLatestBlockhash();
  const outcome = await within(10_000, 'airdrop', connection.confirmTransaction({ signature, ...latest }));
  assert.equal(outcome.value.err, null);
  assert.equal(await connection.getBalance(payer.publicKey), 10 * LAMPORTS_PER_SOL);
  await assert.rejects(connection.requestAirdrop(payer.publicKey, 20_000 * LAMPORTS_PER_SOL), /airdrop refused/);
  done('airdrop');
}

async function sendAndSubscribe() {
  const logs = new Promise((resolve) => connection.onLogs(payer.publicKey, resolve, 'confirmed'));
  const account = new Promise((resolve) => connection.onAccountChange(friend.publicKey, resolve, { commitment: 'confirmed' }));
  const slot = new Promise((resolve) => connection.onSlotChange(resolve));
  await within(5_000, 'slot', slot); // the socket is up and the subscriptions are made
  const transaction = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend.publicKey, lamports: LAMPORTS_PER_SOL }));
  const signature = await within(10_000, 'transfer', sendAndConfirmTransaction(connection, transaction, [payer]));
  const log = await within(5_000, 'logs', logs);
  assert.equal(log.signature, signature);
  assert.deepEqual(log.logs, [
    'Program 11111111111111111111111111111111 invoke [1]', 'Program 11111111111111111111111111111111 success']);
  assert.equal((await within(5_000, 'account', account)).lamports, LAMPORTS_PER_SOL);
  const { value } = await connection.getSignatureStatus(signature);
  assert.equal(value.err, null);
  assert.ok(['confirmed', 'finalized'].includes(value.confirmationStatus));
  done('send, confirm, logs and account subscriptions');
  return signature;
}

async function readBack(signature) {
  const sent = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  assert.equal(sent.meta.fee, 5000);
  assert.equal(sent.meta.err, null);
  assert.equal(sent.version, 'legacy');
  assert.equal(sent.meta.computeUnitsConsumed, 150);
  assert.equal(sent.transaction.message.accountKeys[0].toBase58(), payer.publicKey.toBase58());
  const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  assert.ok(parsed.transaction.message.accountKeys[0].signer);
  const block = await connection.getBlock(sent.slot, { maxSupportedTransactionVersion: 0 });
  assert.ok(block.transactions.some((t) => t.transaction.signatures[0] === signature));
  assert.equal(block.blockTime, sent.blockTime);
  const history = await connection.getSignaturesForAddress(friend.publicKey);
  assert.deepEqual(history.map((h) => h.signature), [signature]);
  done('transaction, block and history');
}

async function programAccounts() {
  const all = await connection.getProgramAccounts(program);
  assert.equal(all.length, 3);
  const sized = await connection.getProgramAccounts(program, { filters: [{ dataSize: 9 }] });
  assert.equal(sized.length, 2);
  const kind = await connection.getProgramAccounts(program, {
    filters: [{ dataSize: 9 }, { memcmp: { offset: 4, bytes: '3' } }], // base58 for a byte of value 2
  });
  assert.equal(kind.length, 1);
  assert.equal(kind[0].account.data.length, 9);
  assert.equal(kind[0].account.data[4], 2);
  const sliced = await connection.getProgramAccounts(program, {
    filters: [{ dataSize: 9 }], dataSlice: { offset: 4, length: 1 },
  });
  assert.deepEqual(sliced.map((a) => a.account.data.length), [1, 1]);
  const info = await connection.getAccountInfo(program);
  assert.ok(info.executable);
  const clock = await connection.getParsedAccountInfo(new PublicKey('SysvarC1ock11111111111111111111111111111111'));
  assert.equal(clock.value.data.length, 40); // no parser here: bytes
  done('program accounts with filters');
}

async function preflightError() {
  const transaction = new Transaction().add(new TransactionInstruction({ programId: program, keys: [] }));
  const error = await sendAndConfirmTransaction(connection, transaction, [payer]).catch((e) => e);
  assert.ok(error instanceof SendTransactionError, String(error));
  assert.match(error.message, /custom program error: 0x7/);
  assert.deepEqual(error.logs, [
    `Program ${chain.program} invoke [1]`, `Program ${chain.program} consumed 2 of 200000 compute units`,
    `Program ${chain.program} failed: custom program error: 0x7`]);
  // Without preflight it lands, fails, and pays.
  const signature = await connection.sendTransaction(transaction, [payer], { skipPreflight: true });
  const latest = await connection.getLatestBlockhash();
  // The library resolves with the outcome if the notification comes first, and rejects with it if
  // the answer to its own request does.
  const outcome = await connection.confirmTransaction({ signature, ...latest }).then((o) => o.value.err, (e) => e);
  assert.deepEqual(outcome, { InstructionError: [0, { Custom: 7 }] });
  done('preflight error');
}

async function versioned() {
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: payer.publicKey, recentBlockhash: blockhash,
    instructions: [SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend.publicKey, lamports: 5 })],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  const simulated = await connection.simulateTransaction(transaction, { sigVerify: false });
  assert.equal(simulated.value.err, null);
  assert.equal(simulated.value.unitsConsumed, 150);
  assert.equal((await connection.getFeeForMessage(message)).value, 5000);
  transaction.sign([payer]);
  const signature = await connection.sendTransaction(transaction);
  await within(10_000, 'v0', connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight }));
  await assert.rejects(connection.getTransaction(signature), /Transaction version \(0\) is not supported/);
  assert.equal((await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).version, 0);
  done('version 0 transaction');
}

async function lookupTable() {
  const authority = payer.publicKey;
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
    authority, payer: authority, recentSlot: await connection.getSlot('finalized'),
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    lookupTable, authority, payer: authority, addresses: [program, friend.publicKey],
  });
  await within(10_000, 'table', sendAndConfirmTransaction(connection, new Transaction().add(create, extend), [payer]));
  const table = (await connection.getAddressLookupTable(lookupTable)).value;
  assert.deepEqual(table.state.addresses.map(String), [chain.program, friend.publicKey.toBase58()]);
  await poll(10_000, 'the next slot', async () => (await connection.getSlot()) > table.state.lastExtendedSlot);
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const transaction = new VersionedTransaction(new TransactionMessage({
    payerKey: authority, recentBlockhash: blockhash,
    instructions: [SystemProgram.transfer({ fromPubkey: authority, toPubkey: friend.publicKey, lamports: 6 })],
  }).compileToV0Message([table]));
  assert.equal(transaction.message.staticAccountKeys.length, 2);
  const simulated = await connection.simulateTransaction(transaction, { sigVerify: false });
  assert.equal(simulated.value.err, null);
  transaction.sign([payer]);
  const signature = await connection.sendTransaction(transaction);
  await within(10_000, 'by table', connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight }));
  const sent = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  assert.deepEqual(sent.meta.loadedAddresses.writable.map(String), [friend.publicKey.toBase58()]);
  assert.equal(sent.transaction.message.getAccountKeys({ accountKeysFromLookups: sent.meta.loadedAddresses }).length, 3);
  const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  assert.equal(parsed.transaction.message.accountKeys[2].source, 'lookupTable');
  done('address lookup table');
}

async function expiry() {
  const old = await connection.getLatestBlockhash();
  await poll(30_000, 'expiry', async () => (await connection.getBlockHeight()) > old.lastValidBlockHeight + 1);
  const transaction = new Transaction(old).add(
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend.publicKey, lamports: 1 }));
  transaction.feePayer = payer.publicKey;
  transaction.sign(payer);
  const raw = transaction.serialize();
  const error = await connection.sendRawTransaction(raw).catch((e) => e);
  assert.ok(error instanceof SendTransactionError, String(error));
  assert.match(error.message, /Blockhash not found/);
  assert.equal((await connection.isBlockhashValid(old.blockhash)).value, false);
  const signature = await connection.sendRawTransaction(raw, { skipPreflight: true });
  await assert.rejects(
    within(15_000, 'expired', connection.confirmTransaction({ signature, ...old })),
    (e) => e instanceof TransactionExpiredBlockheightExceededError);
  done('expired blockhash');
}

async function cluster() {
  assert.equal(await connection.getGenesisHash(), chain.genesis);
  assert.equal((await connection.getVersion())['solana-core'], '4.2.0');
  const epoch = await connection.getEpochInfo();
  assert.ok(epoch.absoluteSlot >= epoch.blockHeight);
  assert.equal((await connection.getVoteAccounts()).current.length, 1);
  assert.equal((await connection.getClusterNodes()).length, 1);
  assert.ok((await connection.getSupply()).value.total > 0);
  assert.ok((await connection.getRecentPerformanceSamples(1))[0].numSlots > 0);
  assert.equal(await connection.getMinimumBalanceForRentExemption(0), 890_880);
  await assert.rejects(connection.getStakeMinimumDelegation(), /Method not found/);
  done('cluster');
}

await airdrop();
await readBack(await sendAndSubscribe());
await programAccounts();
await preflightError();
await versioned();
await lookupTable();
await expiry();
await cluster();
process.exit(0); // the library keeps its socket open
