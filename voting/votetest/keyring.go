package votetest

import (
	"crypto/ed25519"
	"crypto/sha256"

	"ojud/voting"
)

// keyring holds the node keys of a panel: Ed25519 keys, or secrets with which messages are hashed.
// Whoever does not ask the keyring cannot sign for another either way.
type keyring struct {
	peers   [panelSeats]voting.Key
	private [panelSeats]ed25519.PrivateKey // nil when hashes are enough
	secrets [panelSeats][32]byte
	strict  *verifier
	index   map[voting.Key]int
}

func newKeyring(seed uint64, strict bool) *keyring {
	k := &keyring{index: make(map[voting.Key]int, panelSeats)}
	if strict {
		k.strict = newVerifier()
	}
	for i := range panelSeats {
		k.peers[i], k.secrets[i] = name("peer", seed, uint64(i)), name("secret", seed, uint64(i))
		if strict {
			k.private[i] = nodeKey(seed, i)
			k.peers[i] = voting.Key(k.private[i].Public().(ed25519.PublicKey))
		}
		k.index[k.peers[i]] = i
	}
	return k
}

func (k *keyring) sign(i int, message []byte) voting.Signature {
	if k.strict != nil {
		return voting.Signature(ed25519.Sign(k.private[i], message))
	}
	return k.hash(i, message)
}

func (k *keyring) hash(i int, message []byte) (sig voting.Signature) {
	var room [512]byte
	h := sha256.Sum256(append(append(room[:0], k.secrets[i][:]...), message...))
	copy(sig[:], h[:])
	return sig
}

func (k *keyring) verify(peer voting.Key, message []byte, sig voting.Signature) bool {
	if k.strict != nil {
		return k.strict.check(peer, message, sig)
	}
	i, ok := k.index[peer]
	return ok && k.hash(i, message) == sig
}

// voteOf makes the signed vote object for an opening.
func (p *panel) voteOf(i int, round uint8, o voting.Opening) []byte {
	d := p.chain.Domain
	b := voteFields(voting.Vote{
		Network: d.Network, Program: d.Program, Task: p.task, Round: round, Judge: p.judge(i), Peer: p.keys.peers[i],
		Accept: o.Choice.Accepts(), Opening: o,
	})
	sig := p.keys.sign(i, append([]byte(voteTag), b...))
	return append(b, sig[:]...)
}

// statement makes the signed notice of a commitment.
func (p *panel) statement(i int, task voting.Key, round uint8, commitment voting.Hash) voting.Commit {
	c := voting.Commit{Task: task, Round: round, Judge: p.judge(i)}
	c.Commitment = commitment
	c.Signature = p.keys.sign(i, p.chain.Domain.Statement(task, round, c.Judge, commitment))
	return c
}

func (p *panel) judge(i int) voting.Key { return p.chain.State.Roster.Entries[i].Judge }
