// Package bincode reads the instructions of the builtin programs, as Solana's programs read them.
//
// The bytes are those of a transaction, so they are hostile: DecodeSystem and DecodeLoader read at
// most a packet of them, and refuse what is short or malformed.
package bincode

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/gagliardetto/solana-go"
)

// Decoder reads bincode. A short or malformed input sets Bad.
type Decoder struct {
	Rest []byte
	Bad  bool
}

func (d *Decoder) take(n uint64) []byte {
	if d.Bad || n > uint64(len(d.Rest)) {
		d.Bad = true
		return nil
	}
	b := d.Rest[:n]
	d.Rest = d.Rest[n:]
	return b
}

// U32 reads a number of four bytes.
func (d *Decoder) U32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a number of eight bytes.
func (d *Decoder) U64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Key reads an address.
func (d *Decoder) Key() solana.PublicKey {
	if b := d.take(32); b != nil {
		return solana.PublicKeyFromBytes(b)
	}
	return solana.PublicKey{}
}

// Text reads a text with its length before it.
func (d *Decoder) Text() string {
	b := d.take(d.U64())
	d.Bad = d.Bad || !utf8.Valid(b)
	return string(b)
}
