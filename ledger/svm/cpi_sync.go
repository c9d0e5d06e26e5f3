package svm

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// callerAccount is an account of an invocation in its caller's memory.
type callerAccount struct {
	place           accountPlace
	lamports, owner []byte
	length          []byte // of the data, in the caller's account info
	data            []byte
	position        int  // in the caller's instruction
	updateCaller    bool // the callee may write to it
}

const accountInfoCost = 80 // bytes charged for an account info, SIMD-0339

// mapData finds the account's data. The caller keeps its length at lengthAddr.
func (c *callerAccount) mapData(x *execution, lengthAddr uint64) error {
	if lengthAddr >= sbpf.InputStart {
		return errInvalidPointer
	}
	var err error
	if c.length, err = x.write(lengthAddr, 8, 1); err != nil {
		return err
	}
	return c.remap(x, word(c.length))
}

func (c *callerAccount) room() uint64 { return uint64(c.place.originalLen) + maxDataIncrease }

func (c *callerAccount) remap(x *execution, n uint64) error {
	if n > c.room() {
		return failure.Of(failure.InvalidRealloc)
	}
	var err error
	c.data, err = x.bytesFor(c.place.data, n)
	return err
}

// callerAccounts matches the caller's account infos with the accounts of the prepared invocation.
func (x *execution) callerAccounts(lang abi, addr, count uint64) ([]*callerAccount, error) {
	infos, keys, err := x.infos(lang, addr, count)
	if err != nil {
		return nil, err
	}
	next, caller := x.next(), x.current()
	var out []*callerAccount
	for i, meta := range next.accounts {
		if next.duplicateOf(i) >= 0 {
			continue
		}
		at, err := caller.position(meta.index)
		if err != nil {
			return nil, err
		}
		account := &x.accounts[meta.index]
		if account.state.Executable {
			if err := x.consume(uint64(len(account.state.Data)) / bytesPerUnit); err != nil {
				return nil, err
			}
			continue
		}
		k := slices.Index(keys, account.key)
		if k < 0 {
			x.log.addf("Instruction references an unknown account %s", account.key)
			return nil, failure.Of(failure.MissingAccount)
		}
		size := lang.infoSize
		c, err := lang.account(x, saturatingAdd(addr, uint64(k)*size), infos[uint64(k)*size:], x.memory().accounts[at])
		if err != nil {
			return nil, err
		}
		if err := x.consume(word(c.length) / bytesPerUnit); err != nil {
			return nil, err
		}
		c.position, c.updateCaller = at, meta.writable
		out = append(out, c)
	}
	return out, nil
}

// infos reads the account infos and the keys that they point to.
func (x *execution) infos(lang abi, addr, count uint64) ([]byte, []solana.PublicKey, error) {
	size := lang.infoSize
	if saturatingAdd(addr, saturatingMul(count, size)) >= sbpf.InputStart {
		return nil, nil, errInvalidPointer
	}
	infos, err := x.readArray(addr, count, size, 8)
	if err != nil {
		return nil, nil, err
	}
	if count > maxAccountInfos {
		return nil, nil, syscallError(fmt.Sprintf(
			"Invoked an instruction with too many account info's (%d > %d)", count, maxAccountInfos))
	}
	if err := x.consume(count * accountInfoCost / bytesPerUnit); err != nil {
		return nil, nil, err
	}
	keys := make([]solana.PublicKey, count)
	for i := range keys {
		if keys[i], err = x.keyAt(word(infos[uint64(i)*size:])); err != nil {
			return nil, nil, err
		}
	}
	return infos, keys, nil
}

// syncToCallee copies the caller's changes to its accounts into the transaction before the callee
// runs.
func (x *execution) syncToCallee(accounts []*callerAccount) error {
	for _, c := range accounts {
		b, err := x.borrow(c.position)
		if err != nil {
			return err
		}
		if lamports := word(c.lamports); lamports != b.account.state.Lamports {
			if err := b.setLamports(lamports); err != nil {
				return err
			}
		}
		if err := b.syncData(c.data); err != nil {
			return err
		}
		if owner := solana.PublicKeyFromBytes(c.owner); owner != b.account.state.Owner {
			if err := b.setOwner(owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// syncToCaller copies the callee's changes into the caller's memory.
func (x *execution) syncToCaller(accounts []*callerAccount) error {
	for _, c := range accounts {
		if !c.updateCaller {
			continue
		}
		b, err := x.borrow(c.position)
		if err != nil {
			return err
		}
		if err := c.update(x, b.account); err != nil {
			return err
		}
	}
	return nil
}

func (c *callerAccount) update(x *execution, a *txAccount) error {
	binary.LittleEndian.PutUint64(c.lamports, a.state.Lamports)
	copy(c.owner, a.state.Owner[:])
	before, after := word(c.length), uint64(len(a.state.Data))
	if after > c.room() {
		x.log.addf("Account data size realloc limited to %d in inner instructions", maxDataIncrease)
		return failure.Of(failure.InvalidRealloc)
	}
	if before != after {
		if err := c.resize(x, before, after); err != nil {
			return err
		}
	}
	if len(c.data) != len(a.state.Data) {
		return failure.Of(failure.AccountDataTooSmall)
	}
	copy(c.data, a.state.Data)
	return nil
}

// resize clears the bytes that the callee cut off and writes the new length to both places that the
// caller reads.
func (c *callerAccount) resize(x *execution, before, after uint64) error {
	if after < before {
		if after > uint64(len(c.data)) {
			return failure.Of(failure.AccountDataTooSmall)
		}
		clear(c.data[after:])
	}
	if err := c.remap(x, after); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(c.length, after)
	serialized, err := x.write(c.place.data-8, 8, 8)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(serialized, after)
	return nil
}
