package svm

import (
	"fmt"
	"unicode/utf8"
)

// stringAt reads text, which must be UTF-8.
func (x *execution) stringAt(addr, n uint64) (string, error) {
	b, err := x.bytesAt(addr, n)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", syscallError(fmt.Sprintf("%s: %s", utf8Complaint(b), rustBytes(b)))
	}
	return string(b), nil
}

func callLog(x *execution, addr, n, _, _, _ uint64) (uint64, error) {
	if err := x.consume(max(costSyscallBase, n)); err != nil {
		return 0, err
	}
	text, err := x.stringAt(addr, n)
	if err != nil {
		return 0, err
	}
	x.log.message(text)
	return 0, nil
}

func callLog64(x *execution, a, b, c, d, e uint64) (uint64, error) {
	if err := x.consume(costLog64); err != nil {
		return 0, err
	}
	x.log.message(fmt.Sprintf("%#x, %#x, %#x, %#x, %#x", a, b, c, d, e))
	return 0, nil
}

func callLogPubkey(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	if err := x.consume(costLogPubkey); err != nil {
		return 0, err
	}
	key, err := x.keyAt(addr)
	if err != nil {
		return 0, err
	}
	x.log.message(key.String())
	return 0, nil
}

func callLogUnits(x *execution, _, _, _, _, _ uint64) (uint64, error) {
	if err := x.consume(costSyscallBase); err != nil {
		return 0, err
	}
	x.log.addf("Program consumption: %d units remaining", x.meter.Remaining)
	return 0, nil
}

// slice is a pointer and a length in program memory.
type slice struct{ addr, n uint64 }

// slicesAt reads an array of slices.
func (x *execution) slicesAt(addr, count uint64) ([]slice, error) {
	b, err := x.readArray(addr, count, 16, 8)
	if err != nil {
		return nil, err
	}
	out := make([]slice, count)
	for i := range out {
		out[i] = slice{word(b[16*i:]), word(b[16*i+8:])}
	}
	return out, nil
}

func callLogData(x *execution, addr, count, _, _, _ uint64) (uint64, error) {
	if err := x.consume(costSyscallBase); err != nil {
		return 0, err
	}
	fields, err := x.slicesAt(addr, count)
	if err != nil {
		return 0, err
	}
	if err := x.consume(saturatingMul(costSyscallBase, count)); err != nil {
		return 0, err
	}
	total := uint64(0)
	for _, f := range fields {
		total = saturatingAdd(total, f.n)
	}
	if err := x.consume(total); err != nil {
		return 0, err
	}
	parts := make([][]byte, len(fields))
	for i, f := range fields {
		if parts[i], err = x.bytesAt(f.addr, f.n); err != nil {
			return 0, err
		}
	}
	x.log.data(parts)
	return 0, nil
}
