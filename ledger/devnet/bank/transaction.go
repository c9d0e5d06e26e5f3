package bank

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/table"
)

// Transaction is the record of a transaction that is part of the chain, successful or not.
type Transaction struct {
	Sequence uint64 // counts all transactions of the chain, from 0
	Slot     uint64
	Index    uint32 // in its block
	Time     int64  // of its block, Unix seconds
	Wire     []byte // the transaction as it was sent

	Err         *failure.TransactionError // nil on success
	Fee         uint64                    // lamports
	Units       uint64                    // compute units
	LoadedBytes uint64
	Ran         bool // false: only the fee was taken
	Logs        []string
	Inner       []svm.InnerInstructions
	ReturnData  *svm.ReturnData
	Pre, Post   []uint64 // lamports of the message's accounts
	Writable    []bool   // of the message's accounts
	Looked      table.Addresses
}

// Signature returns the transaction's first signature, which identifies it.
func (t *Transaction) Signature() solana.Signature { return svm.Signature(t.Wire) }

// Keys returns the accounts of the transaction, which is decoded already: its own, and those of
// lookup tables.
func (t *Transaction) Keys(tx *solana.Transaction) []solana.PublicKey {
	return t.Looked.Keys(tx.Message.AccountKeys)
}

// newTransaction makes the record of a result. wire has at least one signature.
func newTransaction(wire []byte, r *svm.Result) *Transaction {
	return &Transaction{
		Wire: wire, Err: r.Err, Fee: r.Fee, Units: r.Units, LoadedBytes: r.LoadedBytes,
		Ran: r.Status == svm.Executed, Logs: r.Logs, Inner: r.Inner, ReturnData: r.ReturnData,
		Pre: r.PreBalances, Post: r.PostBalances, Writable: r.Writable, Looked: r.Looked,
	}
}

func (t *Transaction) encode() []byte {
	e := &encoder{make([]byte, 0, 512+len(t.Wire))}
	e.u64(t.Sequence)
	e.u64(t.Slot)
	e.u32(t.Index)
	e.u64(uint64(t.Time))
	e.bytes(t.Wire)
	encodeError(e, t.Err)
	e.u64(t.Fee)
	e.u64(t.Units)
	e.u64(t.LoadedBytes)
	e.flag(t.Ran)
	e.u32(uint32(len(t.Logs)))
	for _, line := range t.Logs {
		e.bytes([]byte(line))
	}
	encodeInner(e, t.Inner)
	e.flag(t.ReturnData != nil)
	if t.ReturnData != nil {
		e.raw(t.ReturnData.Program[:])
		e.bytes(t.ReturnData.Data)
	}
	e.u64s(t.Pre)
	e.u64s(t.Post)
	e.u32(uint32(len(t.Writable)))
	for _, w := range t.Writable {
		e.flag(w)
	}
	if len(t.Looked.Writable)+len(t.Looked.Readonly) > 0 { // older records end here
		e.keys(t.Looked.Writable)
		e.keys(t.Looked.Readonly)
	}
	return e.out
}

func decodeTransaction(b []byte) (*Transaction, error) {
	d := &decoder{rest: b}
	t := &Transaction{Sequence: d.u64(), Slot: d.u64(), Index: d.u32(), Time: int64(d.u64()), Wire: d.bytes()}
	t.Err = decodeError(d)
	t.Fee, t.Units, t.LoadedBytes, t.Ran = d.u64(), d.u64(), d.u64(), d.flag()
	for range d.count(4) {
		t.Logs = append(t.Logs, string(d.bytes()))
	}
	t.Inner = decodeInner(d)
	if d.flag() {
		t.ReturnData = &svm.ReturnData{Program: d.key(), Data: d.bytes()}
	}
	t.Pre, t.Post = d.u64s(), d.u64s()
	for range d.count(1) {
		t.Writable = append(t.Writable, d.flag())
	}
	if len(d.rest) > 0 {
		t.Looked = table.Addresses{Writable: d.keys(), Readonly: d.keys()}
	}
	d.bad = d.bad || len(t.Wire) < 1+solana.SignatureLength
	return t, d.err("transaction")
}

func encodeError(e *encoder, err *failure.TransactionError) {
	e.flag(err != nil)
	if err != nil {
		e.u8(uint8(err.Code))
		e.u8(err.Index)
		e.u8(uint8(err.Instruction.Code))
		e.u32(err.Instruction.Number)
	}
}

func decodeError(d *decoder) *failure.TransactionError {
	if !d.flag() {
		return nil
	}
	err := &failure.TransactionError{Code: failure.TransactionCode(d.u8()), Index: d.u8()}
	err.Instruction = failure.InstructionError{Code: failure.InstructionCode(d.u8()), Number: d.u32()}
	d.bad = d.bad || err.Code > failure.ErrCommitCancelled ||
		err.Instruction.Code > failure.BuiltinProgramsMustConsumeComputeUnits
	return err
}

func encodeInner(e *encoder, list []svm.InnerInstructions) {
	e.u32(uint32(len(list)))
	for _, group := range list {
		e.u8(uint8(group.Index))
		e.u32(uint32(len(group.Instructions)))
		for _, ix := range group.Instructions {
			e.u8(uint8(ix.Program))
			accounts := make([]byte, len(ix.Accounts))
			for i, a := range ix.Accounts {
				accounts[i] = byte(a) // a message has at most 256 accounts
			}
			e.bytes(accounts)
			e.bytes(ix.Data)
			e.u8(uint8(ix.StackHeight))
		}
	}
}

func decodeInner(d *decoder) []svm.InnerInstructions {
	var out []svm.InnerInstructions
	for range d.count(5) {
		group := svm.InnerInstructions{Index: int(d.u8())}
		for range d.count(10) {
			ix := svm.InnerInstruction{Program: int(d.u8())}
			for _, a := range d.bytes() {
				ix.Accounts = append(ix.Accounts, int(a))
			}
			ix.Data, ix.StackHeight = d.bytes(), int(d.u8())
			group.Instructions = append(group.Instructions, ix)
		}
		out = append(out, group)
	}
	return out
}
