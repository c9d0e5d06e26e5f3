// Drives the chain with @solana/kit.
import {
  AccountRole, SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  address, airdropFactory, appendTransactionMessageInstruction, createSolanaRpc, createSolanaRpcSubscriptions,
  createTransactionMessage, generateKeyPairSigner, getBase64EncodedWireTransaction, getSignatureFromTransaction,
  appendTransactionMessageInstructions, isSolanaError, lamports, pipe, sendAndConfirmTransactionFactory,
  setTransactionMessageComputeUnitLimit, setTransactionMessageFeePayerSigner, setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit, signTransactionMessageWithSigners,
} from '@solana/kit';
import { assert, chain, done, poll, within } from './check.mjs';

const rpc = createSolanaRpc(chain.rpc);
const rpcSubscriptions = createSolanaRpcSubscriptions(chain.ws);
const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
const program = address(chain.program);
const payer = await generateKeyPairSigner();
const friend = await generateKeyPairSigner();

function transfer(to, amount) {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  view.setUint32(0, 2, true); // System: transfer
  view.setBigUint64(4, amount, true);
  return {
    programAddress: address('11111111111111111111111111111111'), data,
    accounts: [
      { address: payer.address, role: AccountRole.WRITABLE_SIGNER, signer: payer },
      { address: to, role: AccountRole.WRITABLE },
    ],
  };
}

async function build(instruction, blockhash) {
  const latest = blockhash ?? (await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value;
  return signTransactionMessageWithSigners(pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
    (m) => appendTransactionMessageInstruction(instruction, m)));
}

async function airdrop() {
  const drop = airdropFactory({ rpc, rpcSubscriptions });
  await within(10_000, 'airdrop', drop({
    commitment: 'confirmed', lamports: lamports(10_000_000_000n), recipientAddress: payer.address,
  }));
  const { value } = await rpc.getBalance(payer.address, { commitment: 'confirmed' }).send();
  assert.equal(value, 10_000_000_000n);
  done('airdrop');
}

async function sendAndSubscribe() {
  const stop = new AbortController();
  const options = { abortSignal: stop.signal };
  const logs = await rpcSubscriptions.logsNotifications({ mentions: [friend.address] }, { commitment: 'confirmed' }).subscribe(options);
  const accounts = await rpcSubscriptions.accountNotifications(friend.address, { commitment: 'confirmed', encoding: 'base64' }).subscribe(options);
  // The library drops notifications that come before the iteration, so iterate first.
  const first = async (list) => (await list[Symbol.asyncIterator]().next()).value;
  const [nextLog, nextAccount] = [first(logs), first(accounts)];
  const transaction = await build(transfer(friend.address, 1_000_000_000n));
  await within(10_000, 'transfer', sendAndConfirm(transaction, { commitment: 'confirmed' }));
  const log = await within(5_000, 'logs', nextLog);
  assert.equal(log.value.signature, getSignatureFromTransaction(transaction));
  assert.equal(log.value.logs.length, 2);
  const account = await within(5_000, 'account', nextAccount);
  assert.equal(account.value.lamports, 1_000_000_000n);
  stop.abort();
  await within(20_000, 'finalized', sendAndConfirm(await build(transfer(friend.address, 7n)), { commitment: 'finalized' }));
  done('send, confirm, logs and account subscriptions');
}

async function readBack() {
  const { value } = await rpc.getAccountInfo(program, { encoding: 'base64' }).send();
  assert.equal(value.executable, true);
  assert.equal((await rpc.getAccountInfo(payer.address, { encoding: 'base64', commitment: 'confirmed' }).send()).value.space, 0n);
  const list = await rpc.getProgramAccounts(program, {
    encoding: 'base64', filters: [{ dataSize: 9n }, { memcmp: { offset: 4n, bytes: 'Ag==', encoding: 'base64' } }],
  }).send();
  assert.equal(list.length, 1);
  const epoch = await rpc.getEpochInfo({ commitment: 'confirmed' }).send();
  assert.ok(epoch.absoluteSlot >= epoch.blockHeight);
  const history = await rpc.getSignaturesForAddress(friend.address, { commitment: 'confirmed' }).send();
  assert.equal(history.length, 2);
  const found = await rpc.getTransaction(history[0].signature, { maxSupportedTransactionVersion: 0, encoding: 'json', commitment: 'confirmed' }).send();
  assert.equal(found.version, 0);
  assert.equal(found.meta.fee, 5000n);
  done('accounts, filters and history');
}

// A transaction of version 1 holds more than a packet: 30 transfers are 1,678 bytes. A limit that it
// does not set is 0.
async function version1() {
  const latest = (await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value;
  const make = (limits) => signTransactionMessageWithSigners(pipe(
    createTransactionMessage({ version: 1 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
    (m) => appendTransactionMessageInstructions(Array.from({ length: 30 }, (_, i) => transfer(friend.address, BigInt(i))), m),
    limits));
  const error = await sendAndConfirm(await make((m) => m), { commitment: 'confirmed' }).catch((e) => e);
  assert.match(String(error.cause ?? error), /data size/);
  const before = (await rpc.getBalance(friend.address, { commitment: 'confirmed' }).send()).value;
  const transaction = await make((m) => setTransactionMessageComputeUnitLimit(10_000,
    setTransactionMessageLoadedAccountsDataSizeLimit(1 << 20, m)));
  await within(10_000, 'version 1', sendAndConfirm(transaction, { commitment: 'confirmed' }));
  assert.equal((await rpc.getBalance(friend.address, { commitment: 'confirmed' }).send()).value, before + 435n);
  const get = (most) => rpc.getTransaction(getSignatureFromTransaction(transaction),
    { maxSupportedTransactionVersion: most, encoding: 'json', commitment: 'confirmed' }).send();
  const found = await get(1);
  assert.equal(found.version, 1);
  assert.equal(found.transaction.message.instructions.length, 30);
  assert.equal(found.transaction.message.transactionConfig.computeUnitLimit, 10_000);
  assert.match(String(await get(0).catch((e) => e)), /version \(1\) is not supported/);
  done('version 1');
}

async function preflightError() {
  const transaction = await build({ programAddress: program });
  const error = await sendAndConfirm(transaction, { commitment: 'confirmed' }).catch((e) => e);
  assert.ok(isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE), String(error));
  assert.equal(error.context.unitsConsumed, 2n);
  assert.equal(error.context.logs.length, 3);
  assert.match(String(error.cause), /program error: #7/);
  done('preflight error');
}

async function expiry() {
  const old = (await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value;
  const transaction = await build(transfer(friend.address, 3n), old);
  const waiting = sendAndConfirm(await build(transfer(friend.address, 4n), { ...old, blockhash: chain.program }), {
    commitment: 'confirmed', skipPreflight: true,
  }).catch((e) => e); // never lands: that is no blockhash
  await poll(30_000, 'expiry', async () => {
    const height = await rpc.getBlockHeight({ commitment: 'confirmed' }).send();
    return height > old.lastValidBlockHeight + 1n;
  });
  const error = await within(10_000, 'expired', waiting);
  assert.ok(isSolanaError(error, SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED), String(error));
  const late = await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send().catch((e) => e);
  assert.ok(isSolanaError(late, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE), String(late));
  assert.match(String(late.cause), /lockhash/);
  done('expired blockhash');
}

await airdrop();
await sendAndSubscribe();
await readBack();
await version1();
await preflightError();
await expiry();
process.exit(0);
