package svm

import (
	"encoding/binary"

	"ojud/ledger/svm/sbpf"
)

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func (x *execution) consumeCopy(n uint64) error { return x.consume(max(costMemOp, n/bytesPerUnit)) }

// disjoint reports whether two ranges do not overlap. It treats empty ranges as Agave does.
func disjoint(a, aLen, b, bLen uint64) bool {
	if a > b {
		return a-b >= bLen
	}
	return b-a >= aLen
}

func callMemcpy(x *execution, dst, src, n, _, _ uint64) (uint64, error) {
	if err := x.consumeCopy(n); err != nil {
		return 0, err
	}
	if !disjoint(src, n, dst, n) {
		return 0, errOverlapping
	}
	return x.move(dst, src, n)
}

func callMemmove(x *execution, dst, src, n, _, _ uint64) (uint64, error) {
	if err := x.consumeCopy(n); err != nil {
		return 0, err
	}
	return x.move(dst, src, n)
}

func (x *execution) move(dst, src, n uint64) (uint64, error) {
	to, err := x.bytesFor(dst, n)
	if err != nil {
		return 0, err
	}
	from, err := x.bytesAt(src, n)
	if err != nil {
		return 0, err
	}
	copy(to, from)
	return 0, nil
}

func callMemset(x *execution, dst, value, n, _, _ uint64) (uint64, error) {
	if err := x.consumeCopy(n); err != nil {
		return 0, err
	}
	to, err := x.bytesFor(dst, n)
	if err != nil {
		return 0, err
	}
	for i := range to {
		to[i] = byte(value)
	}
	return 0, nil
}

func callMemcmp(x *execution, a, b, n, result, _ uint64) (uint64, error) {
	if err := x.consumeCopy(n); err != nil {
		return 0, err
	}
	left, err := x.bytesAt(a, n)
	if err != nil {
		return 0, err
	}
	right, err := x.bytesAt(b, n)
	if err != nil {
		return 0, err
	}
	difference := compare(left, right)
	out, err := x.write(result, 4, 4)
	if err != nil {
		return 0, err
	}
	binary.LittleEndian.PutUint32(out, uint32(difference))
	return 0, nil
}

// compare returns the difference of the first two bytes that differ.
func compare(a, b []byte) int32 {
	for i := range a {
		if a[i] != b[i] {
			return int32(a[i]) - int32(b[i])
		}
	}
	return 0
}

// target is a range that a system call writes to.
type target struct{ addr, n, align uint64 }

// writable translates several targets at once. It checks first every access, then alignment, then
// overlap.
func (g *guestMemory) writable(targets ...target) ([][]byte, error) {
	out := make([][]byte, len(targets))
	places := make([]sbpf.Place, len(targets))
	for i, t := range targets {
		if t.n == 0 {
			continue
		}
		var err error
		if places[i], err = g.memory().Locate(t.addr, t.n, true); err != nil {
			return nil, err
		}
	}
	for i, t := range targets {
		if t.n == 0 {
			continue
		}
		var err error
		if out[i], err = g.write(t.addr, t.n, t.align); err != nil {
			return nil, err
		}
	}
	return out, checkOverlap(targets, places)
}

func checkOverlap(targets []target, places []sbpf.Place) error {
	for i, a := range targets {
		for j, b := range targets[:i] {
			if a.n == 0 || b.n == 0 || places[i].Region != places[j].Region {
				continue
			}
			if !disjoint(places[i].Offset, a.n, places[j].Offset, b.n) {
				return errOverlapping
			}
		}
	}
	return nil
}
