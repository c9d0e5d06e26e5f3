package votetest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"

	"ojud/voting"
)

// Name derives an address from a seed.
func Name(what string, seed, i uint64) voting.Key {
	b := binary.LittleEndian.AppendUint64([]byte(what), seed)
	return sha256.Sum256(binary.LittleEndian.AppendUint64(b, i))
}

// Domain is the network and the program of a seed.
func Domain(seed uint64) voting.Domain {
	return voting.Domain{Network: voting.Hash(Name("network", seed, 0)), Program: Name("program", seed, 0)}
}

// NodeKey is the Ed25519 key of a node.
func NodeKey(seed uint64, i int) ed25519.PrivateKey {
	k := Name("node", seed, uint64(i))
	return ed25519.NewKeyFromSeed(k[:])
}

// Verifier remembers which signatures are good. All nodes check the same ones, and a simulation
// would spend its time on that.
type Verifier map[voting.Hash]bool

// Check is voting.VerifyStrict.
func (v Verifier) Check(peer voting.Key, message []byte, sig voting.Signature) bool {
	b := make([]byte, 0, 320)
	b = append(b, peer[:]...)
	b = append(b, sig[:]...)
	key := voting.Hash(sha256.Sum256(append(b, message...)))
	good, known := v[key]
	if !known {
		good = voting.VerifyStrict(peer, message, sig)
		v[key] = good
	}
	return good
}

// Author signs as one judge.
type Author struct {
	Domain      voting.Domain
	Judge, Peer voting.Key
	Sign        func(message []byte) voting.Signature
}

// NewAuthor returns the author with an Ed25519 key.
func NewAuthor(d voting.Domain, judge voting.Key, key ed25519.PrivateKey) Author {
	return Author{
		Domain: d, Judge: judge, Peer: voting.Key(key.Public().(ed25519.PublicKey)),
		Sign: func(message []byte) voting.Signature { return voting.Signature(ed25519.Sign(key, message)) },
	}
}

// Statement is the notice of a commitment.
func (a *Author) Statement(task voting.Key, round uint8, commitment voting.Hash) voting.Commit {
	return voting.Commit{Task: task, Round: round, Judge: a.Judge, Signed: voting.Signed{
		Commitment: commitment, Signature: a.Sign(a.Domain.Statement(task, round, a.Judge, commitment)),
	}}
}

// State is the notice of the commitment to an opening.
func (a *Author) State(task voting.Key, round uint8, o voting.Opening) voting.Commit {
	return a.Statement(task, round, a.Domain.Commitment(task, round, a.Judge, o))
}

// Request asks others to bring a commitment to the chain, even if it is not the author's.
func (a *Author) Request(c voting.Commit, sealed []byte) voting.Relay {
	message := a.Domain.RelayRequest(c.Task, c.Round, c.Judge, c.Commitment, sealed)
	return voting.Relay{Commit: c, Sealed: sealed, Request: a.Sign(message)}
}
