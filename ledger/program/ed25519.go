package program

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// errEd25519 is returned for an Ed25519 instruction that is not made of self-contained signatures.
var errEd25519 = errors.New("program: not an Ed25519 instruction of self-contained signatures")

// SelfContained is a signature that the Ed25519 precompile checks, all of which is in the
// instruction's own data (protocol section 5). Every signature costs the transaction a further
// 5,000 lamports.
type SelfContained struct {
	Peer      voting.Key
	Signature voting.Signature
	Message   []byte
}

const (
	edHeadSize  = 2
	edEntrySize = 14
	edSelf      = 0xFFFF // the index that means "this instruction"
)

// Ed25519ProgramID is the address of the precompile.
func Ed25519ProgramID() onchain.Address {
	return onchain.Address{
		0x03, 0x7d, 0x46, 0xd6, 0x7c, 0x93, 0xfb, 0xbe, 0x12, 0xf9, 0x42, 0x8f, 0x83, 0x8d, 0x40, 0xff,
		0x05, 0x70, 0x74, 0x49, 0x27, 0xf4, 0x8a, 0x64, 0xfc, 0xca, 0x70, 0x44, 0x80, 0x00, 0x00, 0x00,
	}
}

// Ed25519 builds the precompile's instruction. In its data come the count, an entry of offsets for
// each signature, and for each key, signature and message.
func Ed25519(signatures ...SelfContained) onchain.Instruction {
	head := []byte{byte(len(signatures)), 0}
	body := []byte(nil)
	start := edHeadSize + edEntrySize*len(signatures)
	for _, s := range signatures {
		at := start + len(body)
		for _, v := range []int{at + 32, edSelf, at, edSelf, at + 96, len(s.Message), edSelf} {
			head = binary.LittleEndian.AppendUint16(head, uint16(v))
		}
		body = append(body, s.Peer[:]...)
		body = append(body, s.Signature[:]...)
		body = append(body, s.Message...)
	}
	return onchain.Instruction{Program: Ed25519ProgramID(), Data: append(head, body...)}
}

// decodeEd25519 reads the data of an Ed25519 instruction. The runtime has checked the signatures of
// a transaction that landed.
func decodeEd25519(data []byte) ([]SelfContained, error) {
	if len(data) < edHeadSize || len(data) < edHeadSize+edEntrySize*int(data[0]) {
		return nil, fmt.Errorf("%w: %d bytes", errEd25519, len(data))
	}
	all := make([]SelfContained, data[0])
	for i := range all {
		if err := all[i].read(data, data[edHeadSize+edEntrySize*i:]); err != nil {
			return nil, fmt.Errorf("signature %d: %w", i, err)
		}
	}
	return all, nil
}

func (s *SelfContained) read(data, entry []byte) error {
	var n [7]int
	for i := range n {
		n[i] = int(binary.LittleEndian.Uint16(entry[2*i:]))
	}
	if n[1] != edSelf || n[3] != edSelf || n[6] != edSelf {
		return fmt.Errorf("%w: it points into another instruction", errEd25519)
	}
	if n[0]+64 > len(data) || n[2]+32 > len(data) || n[4]+n[5] > len(data) {
		return fmt.Errorf("%w: it points past the end", errEd25519)
	}
	copy(s.Signature[:], data[n[0]:])
	copy(s.Peer[:], data[n[2]:])
	s.Message = append([]byte(nil), data[n[4]:n[4]+n[5]]...)
	return nil
}
