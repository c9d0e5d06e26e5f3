package oju_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/svm/accounts"
)

func (s *scene) now() int64 { return s.env.Clock.UnixTimestamp }

// clock sets time and slot.
func (s *scene) clock(unix int64, slot uint64) {
	env := *s.env
	env.Clock.UnixTimestamp, env.Clock.Slot = unix, slot
	s.move(&env)
}

// pass moves the time by seconds, with five slots in two seconds.
func (s *scene) pass(seconds int64) {
	s.clock(s.now()+seconds, s.env.Clock.Slot+uint64(seconds)*5/2)
}

// until moves the time to unix.
func (s *scene) until(unix int64) {
	if s.now() < unix {
		s.pass(unix - s.now())
	}
}

// blocks sets the slot hashes.
func (s *scene) blocks(list []accounts.SlotHash) {
	env := *s.env
	env.SlotHashes = list
	s.move(&env)
}

// advance moves the chain by slots that each have a block.
func (s *scene) advance(slots uint64) {
	s.clock(s.now()+int64(slots*2+4)/5, s.env.Clock.Slot+slots)
	s.blocks(hashes(s.env.Clock.Slot-1, 8))
}

// hashes returns the hashes of n slots up to newest, newest first.
func hashes(newest uint64, n int) []accounts.SlotHash {
	out := make([]accounts.SlotHash, n)
	for i := range out {
		slot := newest - uint64(i)
		out[i] = accounts.SlotHash{Slot: slot, Hash: solana.Hash(onchain.Hash(sha256.Sum256(fmt.Appendf(nil, "slot %d", slot))))}
	}
	return out
}
