package svm

import (
	"encoding/binary"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// sysvar makes a system call that writes a sysvar in its in-memory form and charges for its size.
func sysvar(align uint64, of func(*accounts.Environment) []byte) func(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	return func(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
		value := of(x.env)
		if err := x.consume(costSysvarBase + uint64(len(value))); err != nil {
			return 0, err
		}
		if addr >= sbpf.InputStart {
			return 0, errInvalidPointer
		}
		out, err := x.write(addr, uint64(len(value)), align)
		copy(out, value)
		return 0, err
	}
}

func lastRestartSlot(e *accounts.Environment) []byte {
	return binary.LittleEndian.AppendUint64(nil, e.LastRestartSlot)
}

// Return values of sol_get_sysvar (SIMD-0127).
const (
	sysvarOutOfRange = 1
	sysvarNotFound   = 2
)

// callGetSysvar copies a part of a sysvar's account data.
func callGetSysvar(x *execution, id, addr, offset, length, _ uint64) (uint64, error) {
	if err := x.consume(costSysvarBase + 32/bytesPerUnit + max(length/bytesPerUnit, costMemOp)); err != nil {
		return 0, err
	}
	if addr >= sbpf.InputStart {
		return 0, errInvalidPointer
	}
	out, err := x.bytesFor(addr, length)
	if err != nil {
		return 0, err
	}
	key, err := x.keyAt(id)
	if err != nil {
		return 0, err
	}
	end := offset + length
	if end < offset || addr+length < addr {
		return 0, failure.Of(failure.ArithmeticOverflow)
	}
	data := x.env.Sysvar(key)
	if data == nil {
		return sysvarNotFound, nil
	}
	if end > uint64(len(data)) {
		return sysvarOutOfRange, nil
	}
	copy(out, data[offset:end])
	return 0, nil
}
