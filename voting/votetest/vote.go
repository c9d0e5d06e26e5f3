package votetest

import (
	"crypto/ed25519"
	"errors"

	"ojud/voting"
)

// In the simulation a vote object is 387 bytes of fixed fields instead of JSON: package voting does
// not look inside.
const (
	voteTag  = "oju:vote-object:v1"
	voteBody = 32*3 + 1 + 32*2 + 2 + 32*3
	voteSize = voteBody + 64
)

// vote makes the signed vote object for an opening.
func (n *node) vote(task voting.Key, round uint8, o voting.Opening) []byte {
	d := n.sim.chain.Domain
	return makeVote(n.key, voting.Vote{
		Network: d.Network, Program: d.Program, Task: task, Round: round, Judge: n.judge, Peer: n.peer,
		Accept: o.Choice.Accepts(), Opening: o,
	})
}

// makeVote signs a vote object.
func makeVote(key ed25519.PrivateKey, v voting.Vote) []byte {
	b := voteFields(v)
	return append(b, ed25519.Sign(key, append([]byte(voteTag), b...))...)
}

// voteFields are the fields of a vote object, with room for the signature.
func voteFields(v voting.Vote) []byte {
	b := make([]byte, 0, voteSize)
	for _, f := range [][32]byte{v.Network, v.Program, v.Task, v.Judge, v.Peer, v.Opinion, v.Receipts, v.Salt} {
		b = append(b, f[:]...)
	}
	accept := byte(0)
	if v.Accept {
		accept = 1
	}
	return append(b, v.Round, accept, byte(v.Choice))
}

// parseVote reads a vote object of the simulation.
func parseVote(b []byte) (voting.Vote, error) {
	if len(b) != voteSize || b[voteBody-2] > 1 {
		return voting.Vote{}, errors.New("votetest: not a vote")
	}
	v := voting.Vote{
		Network: voting.Hash(b[:32]), Program: voting.Key(b[32:]), Task: voting.Key(b[64:]), Judge: voting.Key(b[96:]),
		Peer: voting.Key(b[128:]), Round: b[voteBody-3], Accept: b[voteBody-2] == 1,
		Opening: voting.Opening{
			Opinion: voting.Hash(b[160:]), Receipts: voting.Hash(b[192:]), Salt: voting.Hash(b[224:]), Choice: voting.Choice(b[voteBody-1]),
		},
		Signature: voting.Signature(b[voteBody:]),
	}
	v.Signed = append([]byte(voteTag), b[:voteBody]...)
	return v, nil
}
