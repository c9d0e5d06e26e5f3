package memory

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"ojud/agent/delegation"
)

// Period is a part of the term of a promise, for which somebody pays.
type Period struct {
	Index int64 `json:"index"` // place of the promise in the log
	From  int64 `json:"from"`  // Unix seconds
	To    int64 `json:"to"`
}

// markOf begins the marks of payments to a node: another node with the same wallet has another one.
func markOf(node delegation.Principal) []byte {
	sum := sha256.Sum256(node[:])
	return append([]byte("ojm1"), sum[:4]...)
}

// Mark is the address that a payment names beside payer and wallet. No account is there: it says
// what is paid to which node.
func (p Period) Mark(node delegation.Principal) (out [32]byte) {
	b := append(out[:0], markOf(node)...)
	for _, n := range []int64{p.Index, p.From, p.To} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return [32]byte(b)
}

// PeriodOf reads a mark that a stranger may have written.
func PeriodOf(node delegation.Principal, mark [32]byte) (p Period, ok bool) {
	begin := markOf(node)
	if !bytes.Equal(mark[:len(begin)], begin) {
		return p, false
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(mark[len(begin)+8*i:])) }
	p = Period{at(0), at(1), at(2)}
	return p, p.Index >= 0 && p.Index < MaxLog && p.From >= 0 && p.To > p.From && p.To <= maxTime
}

func walletStatement(wallet string) []byte { return []byte("ojud:memory:wallet:1:" + wallet) }

// SignWallet is a node's word that what it earns goes to a wallet.
func SignWallet(s delegation.Signer, wallet string) []byte {
	signature := s.Sign(walletStatement(wallet))
	return signature[:]
}

// IsWallet reports whether a node said that what it earns goes to a wallet.
func IsWallet(node delegation.Principal, wallet string, signature []byte) bool {
	return node.Verifies(walletStatement(wallet), signature)
}
