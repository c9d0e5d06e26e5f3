package svm

import "encoding/binary"

// instructionsData returns the content of the instructions sysvar: the transaction's instructions
// and room for the index of the running one. It returns false if an instruction begins beyond 64
// KiB. Agave: solana-instructions-sysvar 4.0.
func (m *message) instructionsData() ([]byte, bool) {
	le := binary.LittleEndian
	out := le.AppendUint16(nil, uint16(len(m.instructions)))
	out = append(out, make([]byte, 2*len(m.instructions))...)
	for i, ix := range m.instructions {
		if len(out) > 0xffff {
			return nil, false
		}
		le.PutUint16(out[2+2*i:], uint16(len(out)))
		out = le.AppendUint16(out, uint16(len(ix.accounts)))
		for _, a := range ix.accounts {
			out = append(out, flag(a < m.signers)|flag(m.writable[a])<<1)
			out = append(out, m.keys[a][:]...)
		}
		out = append(out, m.keys[ix.program][:]...)
		out = le.AppendUint16(out, uint16(len(ix.data)))
		out = append(out, ix.data...)
	}
	return append(out, 0, 0), true
}
