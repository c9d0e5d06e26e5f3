package svm

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// txAccount is an account of the running transaction. While shared is true, its data belongs to the
// Source.
type txAccount struct {
	key     solana.PublicKey
	state   accounts.Account
	shared  bool
	touched bool
}

// own copies the data, so that it may be written.
func (a *txAccount) own() {
	if a.shared {
		a.state.Data = append(make([]byte, 0, len(a.state.Data)+maxDataIncrease), a.state.Data...)
		a.shared = false
	}
}

// setData replaces the data by a copy of b.
func (a *txAccount) setData(b []byte) {
	if a.shared {
		a.state.Data, a.shared = append([]byte(nil), b...), false
		return
	}
	a.state.Data = append(a.state.Data[:0], b...)
}

// resize cuts the data, or fills it with zeros.
func (a *txAccount) resize(n int) {
	a.own()
	old := len(a.state.Data)
	if n <= old {
		a.state.Data = a.state.Data[:n]
		return
	}
	a.state.Data = append(a.state.Data, make([]byte, n-old)...)
}

// ixAccount is an account as an instruction sees it.
type ixAccount struct {
	index            int // in the transaction
	signer, writable bool
}

// frame is one instruction of the trace, top-level or invoked.
type frame struct {
	program  int // index in the transaction
	nesting  int
	caller   int // index in the trace, noCaller at the top
	accounts []ixAccount
	first    []uint16 // first position of each transaction account in accounts, noIndex if absent
	data     []byte
}

const noIndex = ^uint16(0)

// position returns where the transaction's account is first passed to the instruction.
func (f *frame) position(index int) (int, error) {
	if index >= len(f.first) || int(f.first[index]) >= len(f.accounts) {
		return 0, failure.Of(failure.MissingAccount)
	}
	return int(f.first[index]), nil
}

// duplicateOf returns the earlier position of the same account, or -1.
func (f *frame) duplicateOf(i int) int {
	if first := int(f.first[f.accounts[i].index]); first != i {
		return first
	}
	return -1
}

func (f *frame) require(n int) error {
	if len(f.accounts) < n {
		return failure.Of(failure.MissingAccount)
	}
	return nil
}

// txContext is the state of a running transaction: accounts, the trace of instructions, and the
// stack of the running ones. Agave: solana-transaction-context 4.2.
type txContext struct {
	accounts      []txAccount
	rent          accounts.Rent
	maxDepth      int
	trace         []*frame // top-level ones first, then invocations in order; the last is a placeholder
	stack         []int
	nextTop       int
	invocations   int
	returnProgram solana.PublicKey
	returnData    []byte
	delta         lamportDelta
	growth        int64
	instructions  int // index of the instructions sysvar, -1 if absent
}

// lamportDelta is a 128-bit sum of balance changes.
type lamportDelta struct{ credit, debit, creditHigh, debitHigh uint64 }

func (d *lamportDelta) add(before, after uint64) {
	var carry uint64
	if after >= before {
		d.credit, carry = bits.Add64(d.credit, after-before, 0)
		d.creditHigh += carry
		return
	}
	d.debit, carry = bits.Add64(d.debit, before-after, 0)
	d.debitHigh += carry
}

func (d *lamportDelta) zero() bool { return d.credit == d.debit && d.creditHigh == d.debitHigh }

func newContext(all []txAccount, rent accounts.Rent, maxDepth, topLevel int) *txContext {
	c := &txContext{accounts: all, rent: rent, maxDepth: maxDepth, instructions: -1}
	c.trace = make([]*frame, topLevel+1, maxInstructionTrace+1)
	for i := range c.trace {
		c.trace[i] = &frame{caller: noCaller}
	}
	if i, ok := c.indexOf(accounts.InstructionsID); ok {
		c.instructions = i
	}
	return c
}

func (c *txContext) indexOf(key solana.PublicKey) (int, bool) {
	i := slices.IndexFunc(c.accounts, func(a txAccount) bool { return a.key == key })
	return max(i, 0), i >= 0
}

// next returns the frame that is pushed next.
func (c *txContext) next() *frame {
	if len(c.stack) == 0 {
		return c.trace[min(c.nextTop, len(c.trace)-1)]
	}
	return c.trace[len(c.trace)-1]
}

func (c *txContext) current() *frame { return c.trace[c.stack[len(c.stack)-1]] }

func (c *txContext) programKey(f *frame) solana.PublicKey { return c.accounts[f.program].key }

// push enters the next frame. The order of the checks determines the trace of a failed transaction.
func (c *txContext) push() error {
	nesting := len(c.stack)
	if nesting != 0 && !c.delta.zero() {
		return failure.Of(failure.UnbalancedInstruction)
	}
	c.trace[len(c.trace)-1].nesting = nesting
	if c.nextTop+c.invocations >= maxInstructionTrace {
		return failure.Of(failure.MaxInstructionTraceLengthExceeded)
	}
	index, top := c.nextTop, c.nextTop
	if nesting == 0 {
		c.nextTop++
	} else {
		index, top = len(c.trace)-1, c.nextTop-1
		c.invocations++
		c.trace = append(c.trace, &frame{caller: noCaller})
	}
	if nesting >= c.maxDepth {
		return failure.Of(failure.CallDepth)
	}
	c.stack = append(c.stack, index)
	return c.storeIndex(top)
}

// storeIndex writes the index of the running top-level instruction into the instructions sysvar.
func (c *txContext) storeIndex(top int) error {
	if c.instructions < 0 {
		return nil
	}
	a := &c.accounts[c.instructions]
	if a.state.Owner != accounts.SysvarID {
		return failure.Of(failure.InvalidAccountOwner)
	}
	if len(a.state.Data) < 2 {
		return failure.Of(failure.AccountDataTooSmall)
	}
	a.own()
	binary.LittleEndian.PutUint16(a.state.Data[len(a.state.Data)-2:], uint16(top))
	return nil
}

// pop leaves the current frame. The sum of its balance changes must be zero.
func (c *txContext) pop() error {
	c.stack = c.stack[:len(c.stack)-1]
	if !c.delta.zero() {
		return failure.Of(failure.UnbalancedInstruction)
	}
	return nil
}

func (c *txContext) setReturnData(program solana.PublicKey, data []byte) {
	c.returnProgram, c.returnData = program, data
}
