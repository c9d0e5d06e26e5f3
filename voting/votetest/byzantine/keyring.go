package byzantine

import (
	"crypto/sha256"

	"ojud/voting"
	"ojud/voting/votetest"
)

// keyring holds the node keys of a panel: Ed25519 keys, or secrets with which messages are hashed.
// Either way, a judge cannot sign for another one without the keyring.
type keyring struct {
	secrets [panelSeats][32]byte
	strict  votetest.Verifier // nil when hashes are enough
	index   map[voting.Key]int
}

// authors makes the keys of all judges.
func (k *keyring) authors(d voting.Domain, seed uint64, strict bool) (all [panelSeats]votetest.Author) {
	k.index = make(map[voting.Key]int, panelSeats)
	if strict {
		k.strict = make(votetest.Verifier)
	}
	for i := range all {
		k.secrets[i] = votetest.Name("secret", seed, uint64(i))
		judge := votetest.Name("judge", seed, uint64(i))
		if strict {
			all[i] = votetest.NewAuthor(d, judge, votetest.NodeKey(seed, i))
		} else {
			sign := func(message []byte) voting.Signature { return k.hash(i, message) }
			all[i] = votetest.Author{Domain: d, Judge: judge, Peer: votetest.Name("peer", seed, uint64(i)), Sign: sign}
		}
		k.index[all[i].Peer] = i
	}
	return all
}

func (k *keyring) hash(i int, message []byte) (sig voting.Signature) {
	var room [512]byte
	h := sha256.Sum256(append(append(room[:0], k.secrets[i][:]...), message...))
	copy(sig[:], h[:])
	return sig
}

func (k *keyring) verify(peer voting.Key, message []byte, sig voting.Signature) bool {
	if k.strict != nil {
		return k.strict.Check(peer, message, sig)
	}
	i, ok := k.index[peer]
	return ok && k.hash(i, message) == sig
}
