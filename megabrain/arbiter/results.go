package arbiter

import (
	"context"
	"crypto/sha256"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// Results are those of the tasks that disputes are about. The court's nodes keep them while a
// dispute is open, whoever brings them: parties that agree to hide the work of others cannot.
type Results struct {
	Chain   reads
	Program onchain.Address
}

// Named returns the hashes of the results that a task of the program has on the chain, if a dispute
// with these terms is about it. It returns none of another dispute.
func (n Results) Named(ctx context.Context, dispute voting.Key, terms []byte) ([]voting.Hash, error) {
	at, ok := brain.DisputedTask(terms)
	if !ok {
		return nil, nil
	}
	all, _, err := n.Chain.Accounts(ctx, at)
	if err != nil {
		return nil, err
	}
	if all[0] == nil || all[0].Owner != n.Program {
		return nil, nil
	}
	var out []voting.Hash
	if t, err := brain.DecodeTask(all[0].Data); err == nil && t.Dispute == onchain.Address(dispute) && t.Status == brain.Disputed {
		for _, w := range t.Work[:t.Counts.Drawn] {
			if w.State == revealed {
				out = append(out, w.ResultHash)
			}
		}
	}
	return out, nil
}

// Shown returns the hashes of the results that a document of a dispute shows.
func (Results) Shown(document []byte) (out []voting.Hash) {
	for hash := range pieces(document) {
		out = append(out, hash)
	}
	return out
}

// pieces are the results that documents show, by hash. A document that shows none, or that has
// another form, adds none.
func pieces(documents ...[]byte) map[voting.Hash][]byte {
	out := map[voting.Hash][]byte{}
	for _, raw := range documents {
		r, err := ReadShowing(raw)
		if err != nil {
			continue
		}
		for _, p := range r.Results {
			if content := p.Content(); content != nil {
				out[sha256.Sum256(content)] = content
			}
		}
	}
	return out
}
