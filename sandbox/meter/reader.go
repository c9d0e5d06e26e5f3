package meter

import "fmt"

// reader reads the bytes of a module. If these end too early, it returns zeros and has failed.
type reader struct {
	raw    []byte
	at     int
	failed bool
}

func (r *reader) byte() byte {
	if r.at >= len(r.raw) {
		r.failed = true
		return 0
	}
	r.at++
	return r.raw[r.at-1]
}

// uint reads an unsigned LEB128 number of up to 64 bits.
func (r *reader) uint() (v uint64) {
	for shift := 0; shift < 70; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return v
		}
	}
	r.failed = true
	return 0
}

// count reads the number of items that follow. Each has a byte at least, so that a number that
// cannot be right costs no time.
func (r *reader) count() uint64 {
	if len(r.raw) == 0 {
		return 0 // there is no such section
	}
	n := r.uint()
	if n > uint64(len(r.raw)-r.at) {
		r.failed = true
		return 0
	}
	return n
}

// bytes reads n bytes.
func (r *reader) bytes(n uint64) []byte {
	if r.failed || n > uint64(len(r.raw)-r.at) {
		r.failed = true
		return nil
	}
	r.at += int(n)
	return r.raw[r.at-int(n) : r.at]
}

// skip reads the immediates of an instruction: so many LEB128 numbers, signed or not.
func (r *reader) skip(numbers int) {
	for range numbers {
		r.uint()
	}
}

// done reports a section that was not read to its end, or beyond it.
func (r *reader) done(section string) error {
	if r.failed || r.at != len(r.raw) {
		return fmt.Errorf("the %s section has the wrong length", section)
	}
	return nil
}

func appendUint(out []byte, v uint64) []byte {
	for v >= 0x80 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

func appendInt(out []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
