package svm

import "ojud/ledger/svm/sbpf"

// sysvar writes a sysvar in its in-memory form and charges for its size.
func (x *execution) sysvar(addr, align uint64, value []byte) (uint64, error) {
	if err := x.consume(costSysvarBase + uint64(len(value))); err != nil {
		return 0, err
	}
	if addr >= sbpf.InputStart {
		return 0, errInvalidPointer
	}
	out, err := x.write(addr, uint64(len(value)), align)
	if err != nil {
		return 0, err
	}
	copy(out, value)
	return 0, nil
}

func callClock(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	return x.sysvar(addr, 8, x.env.Clock.encode())
}

func callRent(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	return x.sysvar(addr, 8, append(x.env.Rent.encode(), make([]byte, 7)...))
}

func callEpochSchedule(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	return x.sysvar(addr, 8, x.env.EpochSchedule.encode(8))
}

func callEpochRewards(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	return x.sysvar(addr, 16, make([]byte, 96))
}

func callLastRestartSlot(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	return x.sysvar(addr, 8, words(x.env.LastRestartSlot))
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
		return 0, fail(ArithmeticOverflow)
	}
	data := x.env.sysvarData(key)
	if data == nil {
		return sysvarNotFound, nil
	}
	if end > uint64(len(data)) {
		return sysvarOutOfRange, nil
	}
	copy(out, data[offset:end])
	return 0, nil
}
