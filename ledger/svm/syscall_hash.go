package svm

import "hash"

// hashing makes a system call that hashes slices.
func hashing(name string, newHash func() hash.Hash) func(x *execution, slices, count, result, _, _ uint64) (uint64, error) {
	return func(x *execution, slices, count, result, _, _ uint64) (uint64, error) {
		return x.hash(name, newHash(), slices, count, result)
	}
}

func (x *execution) hash(name string, h hash.Hash, slices, count, result uint64) (uint64, error) {
	if count > maxHashSlices {
		x.log.addf("%s Hashing %d sequences in one syscall is over the limit %d", name, count, maxHashSlices)
		return 0, errTooManySlices
	}
	if err := x.consume(costHashBase); err != nil {
		return 0, err
	}
	out, err := x.bytesFor(result, uint64(h.Size()))
	if err != nil {
		return 0, err
	}
	parts, err := x.slicesAt(slices, count)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		b, err := x.bytesAt(p.addr, p.n)
		if err != nil {
			return 0, err
		}
		if err := x.consume(max(costMemOp, costHashByte*(p.n/2))); err != nil {
			return 0, err
		}
		h.Write(b)
	}
	copy(out, h.Sum(nil))
	return 0, nil
}
