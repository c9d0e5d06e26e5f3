package svm

import (
	"encoding/binary"
	"fmt"
)

func callSetReturnData(x *execution, addr, n, _, _, _ uint64) (uint64, error) {
	if err := x.consume(saturatingAdd(n/bytesPerUnit, costSyscallBase)); err != nil {
		return 0, err
	}
	if n > maxReturnData {
		return 0, syscallError(fmt.Sprintf("Return data too large (%d > %d)", n, maxReturnData))
	}
	b, err := x.bytesAt(addr, n)
	if err != nil {
		return 0, err
	}
	x.setReturnData(x.runningProgram(), append([]byte(nil), b...))
	return 0, nil
}

func callGetReturnData(x *execution, addr, n, program, _, _ uint64) (uint64, error) {
	if n = min(n, uint64(len(x.returnData))); n != 0 {
		if err := x.consume((n + 32) / bytesPerUnit); err != nil {
			return 0, err
		}
		out, err := x.writable(target{addr, n, 1}, target{program, 32, 1})
		if err != nil {
			return 0, err
		}
		copy(out[0], x.returnData)
		copy(out[1], x.returnProgram[:])
	}
	return uint64(len(x.returnData)), nil
}

// callSibling returns an earlier instruction of the same level, counted backwards from the running
// one.
func callSibling(x *execution, index, meta, program, data, accounts uint64) (uint64, error) {
	f := x.sibling(index)
	if f == nil {
		return 0, nil
	}
	header, err := x.write(meta, 16, 8)
	if err != nil {
		return 0, err
	}
	dataLen, count := uint64(len(f.data)), uint64(len(f.accounts))
	if word(header) != dataLen || word(header[8:]) != count {
		binary.LittleEndian.PutUint64(header, dataLen)
		binary.LittleEndian.PutUint64(header[8:], count)
		return 1, nil
	}
	out, err := x.writable(target{program, 32, 1}, target{data, dataLen, 1},
		target{accounts, count * accountMetaSize, 1}, target{meta, 16, 8})
	if err != nil {
		return 0, err
	}
	key := x.programKey(f)
	copy(out[0], key[:])
	copy(out[1], f.data)
	for i, a := range f.accounts {
		b := out[2][i*accountMetaSize:]
		copy(b, x.accounts[a.index].key[:])
		b[32], b[33] = flag(a.signer), flag(a.writable)
	}
	return 1, nil
}

// sibling searches the trace backwards among instructions of the same caller and level.
func (x *execution) sibling(index uint64) *frame {
	height := len(x.stack)
	caller := x.current().caller
	start, end := 0, x.nextTop
	if height != 1 {
		end = len(x.trace) - 1
		start = end - x.invocations
	}
	seen := uint64(0)
	for i := end - 1; i >= start; i-- {
		f := x.trace[i]
		if f.caller != caller {
			continue
		}
		if f.nesting+1 < height {
			break
		}
		if f.nesting+1 == height {
			if saturatingAdd(index, 1) == seen {
				return f
			}
			seen++
		}
	}
	return nil
}
