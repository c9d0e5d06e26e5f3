// Reads cases as JSON lines from standard input, runs them on LiteSVM and writes reports as JSON
// lines. The shapes are Case and Report of case.go. Bytes and keys are base64, amounts are decimal
// strings.
"use strict";
const readline = require("node:readline");
const litesvm = require("litesvm/dist/internal");

const bytes = (s) => Buffer.from(s, "base64");
const text = (b) => Buffer.from(b).toString("base64");

// The addon shows kinds of errors as numbers. Rust's debug text has the names.
const errorPattern = /\{ err: (.*?), meta: TransactionMetadata/;

function instructionError(e) {
  const custom = /^Custom\((\d+)\)$/.exec(e);
  return custom ? { Custom: Number(custom[1]) } : e;
}

// Returns the error as JSON-RPC shows it.
function transactionError(failed) {
  const e = errorPattern.exec(failed.toString())[1];
  let m;
  if ((m = /^InstructionError\((\d+), (.*)\)$/.exec(e))) return { InstructionError: [Number(m[1]), instructionError(m[2])] };
  if ((m = /^DuplicateInstruction\((\d+)\)$/.exec(e))) return { DuplicateInstruction: Number(m[1]) };
  if ((m = /^(\w+) \{ account_index: (\d+) \}$/.exec(e))) return { [m[1]]: { account_index: Number(m[2]) } };
  return e;
}

function setup(c) {
  const svm = new litesvm.LiteSvm();
  svm.setTransactionHistory(0n);
  svm.setSigverify(c.verify);
  svm.setBlockhashCheck(false);
  const k = c.clock;
  svm.setClock(new litesvm.Clock(BigInt(k.slot), BigInt(k.epochStart), BigInt(k.epoch), BigInt(k.leaderEpoch), BigInt(k.unix)));
  svm.setSlotHashes(c.slotHashes.map((h) => ({ slot: BigInt(h.slot), hash: h.hash })));
  svm.setLastRestartSlot(BigInt(c.lastRestartSlot));
  if (c.rent) svm.setRent(new litesvm.Rent(BigInt(c.rent.lamportsPerByte), c.rent.threshold, c.rent.burn));
  return svm;
}

function addPrograms(svm, programs) {
  return programs.map((p) => {
    try {
      svm.addProgram(bytes(p.id), bytes(p.elf));
      return "";
    } catch (e) {
      return String(e.message);
    }
  });
}

const account = (a) => ({
  lamports: String(a.lamports()),
  data: text(a.data()),
  owner: text(a.owner()),
  executable: a.executable(),
  rentEpoch: String(a.rentEpoch()),
});

const inner = (list) =>
  list.map((ixs) =>
    ixs.map((i) => ({
      program: i.instruction().programIdIndex(),
      accounts: Array.from(i.instruction().accounts()),
      data: text(i.instruction().data()),
      height: i.stackHeight(),
    })),
  );

function outcome(svm, tx, watch) {
  const result = svm.sendVersionedTransaction(bytes(tx));
  const failed = result instanceof litesvm.FailedTransactionMetadata;
  const meta = failed ? result.meta() : result;
  const ret = meta.returnData();
  return {
    error: failed ? transactionError(result) : null,
    units: String(meta.computeUnitsConsumed()),
    logs: meta.logs(),
    returnData: ret.data().length ? { program: text(ret.programId()), data: text(ret.data()) } : null,
    inner: inner(meta.innerInstructions()),
    accounts: watch.map((key) => {
      const a = svm.getAccount(bytes(key));
      return a && a.lamports() > 0n ? account(a) : null;
    }),
  };
}

function run(c) {
  const svm = setup(c);
  const loads = addPrograms(svm, c.programs);
  for (const a of c.accounts)
    svm.setAccount(
      bytes(a.key),
      new litesvm.Account(BigInt(a.lamports), bytes(a.data), bytes(a.owner), a.executable, BigInt(a.rentEpoch)),
    );
  if (c.timed) return { loads, ...timed(svm, c.transactions.map((tx) => bytes(tx.raw))) };
  return { loads, outcomes: c.transactions.map((tx) => outcome(svm, tx.raw, tx.watch)) };
}

// Measures only the nanoseconds of transactions, which must succeed.
function timed(svm, raws) {
  const start = process.hrtime.bigint();
  const results = raws.map((raw) => svm.sendVersionedTransaction(raw));
  const elapsed = Number(process.hrtime.bigint() - start);
  const failed = results.find((r) => r instanceof litesvm.FailedTransactionMetadata);
  if (failed) throw new Error(failed.toString());
  return { outcomes: [], elapsed };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  let reply;
  try {
    reply = run(JSON.parse(line));
  } catch (e) {
    reply = { failure: String(e.stack) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
});
