package bank

import (
	"encoding/binary"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// encoder appends little-endian integers and length-prefixed bytes. formatVersion names this format
// on disk.
type encoder struct{ out []byte }

func (e *encoder) u8(v uint8)     { e.out = append(e.out, v) }
func (e *encoder) u32(v uint32)   { e.out = binary.LittleEndian.AppendUint32(e.out, v) }
func (e *encoder) u64(v uint64)   { e.out = binary.LittleEndian.AppendUint64(e.out, v) }
func (e *encoder) raw(b []byte)   { e.out = append(e.out, b...) }
func (e *encoder) bytes(b []byte) { e.u32(uint32(len(b))); e.raw(b) }

func (e *encoder) flag(v bool) {
	if v {
		e.u8(1)
		return
	}
	e.u8(0)
}

func (e *encoder) u64s(list []uint64) {
	e.u32(uint32(len(list)))
	for _, v := range list {
		e.u64(v)
	}
}

func (e *encoder) keys(list []solana.PublicKey) {
	e.u32(uint32(len(list)))
	for _, k := range list {
		e.raw(k[:])
	}
}

// decoder reads the encoder's format. After the first fault it returns zeros; err returns the
// fault.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) raw(n int) []byte {
	if d.bad || n < 0 || n > len(d.rest) {
		d.bad = true
		return nil
	}
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	return out
}

func (d *decoder) u8() uint8 {
	if b := d.raw(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) u32() uint32 {
	if b := d.raw(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.raw(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) flag() bool {
	v := d.u8()
	d.bad = d.bad || v > 1
	return v == 1
}

func (d *decoder) bytes() []byte { return d.raw(int(d.u32())) }

// count reads the length of a list whose items take at least size bytes. So a damaged length cannot
// make us reserve memory.
func (d *decoder) count(size int) int {
	n := int(d.u32())
	if n < 0 || n > len(d.rest)/size {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) u64s() []uint64 {
	n := d.count(8)
	if n == 0 {
		return nil
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = d.u64()
	}
	return out
}

func (d *decoder) hash() (h solana.Hash) {
	copy(h[:], d.raw(len(h)))
	return h
}

func (d *decoder) key() (k solana.PublicKey) {
	copy(k[:], d.raw(len(k)))
	return k
}

func (d *decoder) keys() (out []solana.PublicKey) {
	for range d.count(solana.PublicKeyLength) {
		out = append(out, d.key())
	}
	return out
}

// err returns ErrCorrupt unless everything was read and nothing is left.
func (d *decoder) err(what string) error {
	if d.bad || len(d.rest) != 0 {
		return fmt.Errorf("bank: decode %s: %w", what, errCorrupt)
	}
	return nil
}
