package votetest

import (
	"errors"

	"ojud/voting"
)

// In the simulations a vote object is 387 bytes of fixed fields instead of JSON, because package
// voting does not look inside.
const (
	voteTag  = "oju:vote-object:v1"
	voteBody = 32*3 + 1 + 32*2 + 2 + 32*3
	voteSize = voteBody + 64
)

// Vote makes the signed vote object for an opening.
func (a *Author) Vote(task voting.Key, round uint8, o voting.Opening) []byte {
	b := make([]byte, 0, voteSize)
	for _, f := range [][32]byte{a.Domain.Network, a.Domain.Program, task, a.Judge, a.Peer, o.Opinion, o.Receipts, o.Salt} {
		b = append(b, f[:]...)
	}
	accept := byte(0)
	if o.Choice.Accepts() {
		accept = 1
	}
	b = append(b, round, accept, byte(o.Choice))
	sig := a.Sign(append([]byte(voteTag), b...))
	return append(b, sig[:]...)
}

// ParseVote reads a vote object of a simulation.
func ParseVote(b []byte) (voting.Vote, error) {
	if len(b) != voteSize || b[voteBody-2] > 1 {
		return voting.Vote{}, errors.New("votetest: not a vote")
	}
	return voting.Vote{
		Network: voting.Hash(b[:32]), Program: voting.Key(b[32:]), Task: voting.Key(b[64:]), Judge: voting.Key(b[96:]),
		Peer: voting.Key(b[128:]), Round: b[voteBody-3], Accept: b[voteBody-2] == 1,
		Opening: voting.Opening{
			Opinion: voting.Hash(b[160:]), Receipts: voting.Hash(b[192:]), Salt: voting.Hash(b[224:]), Choice: voting.Choice(b[voteBody-1]),
		},
		Signature: voting.Signature(b[voteBody:]), Signed: append([]byte(voteTag), b[:voteBody]...), Raw: b,
	}, nil
}
