package arbiter

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/voting"
)

// Results are those of the tasks that disputes are about, and the questions of appeals. The court's
// nodes keep results while a dispute is open, whoever brings them: parties that agree to hide the
// work of others cannot. A question comes from memory nodes, or with the answer of the creator.
type Results struct {
	Chain   reads
	Program onchain.Address
	// Nodes gets content of at most so many bytes from memory nodes that a class names. Nil: none
	// is asked.
	Nodes func(ctx context.Context, nodes []string, hash [32]byte, most int) ([]byte, error)
}

// Named returns the hashes of the results that a task of the program has on the chain, and of what
// evaluators say of them, if a dispute with these terms is about it. It returns none of another
// dispute. If the claim shows that the class has no prose, evaluators decide nothing about it. Of
// an appeal, it is the question that the claim names and does not show.
func (n Results) Named(ctx context.Context, dispute voting.Key, terms, claim []byte) ([]voting.Hash, error) {
	t, err := n.disputed(ctx, dispute, terms)
	if t == nil || err != nil {
		return nil, err
	}
	if t.Status != brain.Disputed {
		if _, hash, ok := asked(t, claim); ok {
			return []voting.Hash{hash}, nil
		}
		return nil, nil
	}
	if r, err := ReadShowing(claim); err == nil {
		if of, _, err := finding.ReadClass(r.Class); err == nil && len(of.Prose) == 0 {
			return resultHashes(t), nil
		}
	}
	return append(resultHashes(t), opinionHashes(t)...), nil
}

func resultHashes(t *brain.TaskAccount) (out []voting.Hash) {
	for _, w := range t.Work[:t.Counts.Drawn] {
		if w.State == revealed {
			out = append(out, w.ResultHash)
		}
	}
	return out
}

// opinionHashes are those of the documents of evaluators, and of the one that shows which of them
// the poster had.
func opinionHashes(t *brain.TaskAccount) (out []voting.Hash) {
	for _, e := range t.Judges[:t.Counts.Seated] {
		if e.State == revealed {
			out = append(out, e.EvaluationHash)
		}
	}
	return append(out, t.Finding.Evidence)
}

// disputed is the task that a dispute with these terms is about; nil if there is none.
func (n Results) disputed(ctx context.Context, dispute voting.Key, terms []byte) (*brain.TaskAccount, error) {
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
	t, err := brain.DecodeTask(all[0].Data)
	if err != nil {
		return nil, nil // it is another account
	}
	if open, _, ok := t.InCourt(); !ok || open != onchain.Address(dispute) {
		return nil, nil // it is another dispute, or it is over
	}
	return t, nil
}

// Elsewhere looks for results, or for the question of an appeal, on the memory nodes of the class,
// whose document the claim shows. The court's node that finds one there keeps it for the others, so
// that a memory node that answers some judges alone tells them nothing that others do not get.
func (n Results) Elsewhere(ctx context.Context, dispute voting.Key, terms, claim []byte, lacking []voting.Hash) (map[voting.Hash][]byte, error) {
	if n.Nodes == nil {
		return nil, nil
	}
	t, err := n.disputed(ctx, dispute, terms)
	if t == nil || err != nil {
		return nil, err
	}
	var document []byte // of the class
	if r, err := ReadShowing(claim); err == nil {
		document = r.Class
	} else if p, _, ok := asked(t, claim); ok {
		document = p.Class
	}
	of, _, err := finding.ReadClass(document)
	if err != nil || len(of.Memory) == 0 {
		return nil, nil // the judges say what is wrong with the claim
	}
	all, _, err := n.Chain.Accounts(ctx, t.Parties.Class)
	if err != nil || all[0] == nil {
		return nil, err
	}
	class, err := brain.DecodeClass(all[0].Data)
	if err != nil || sha256.Sum256(document) != class.ID {
		return nil, err // the nodes are those of whoever wrote the claim
	}
	works, found := resultHashes(t), make([][]byte, len(lacking))
	_, question, _ := asked(t, claim)
	var searches sync.WaitGroup
	for i, h := range lacking {
		searches.Go(func() {
			most := casefile.MaxDocument
			switch {
			case slices.Contains(works, h):
				most = finding.MaxResult
			case h == question:
				most = finding.MaxQuestion
			}
			if content, err := n.Nodes(ctx, of.Memory, h, most); err == nil && sha256.Sum256(content) == h {
				found[i] = content
			}
		})
	}
	searches.Wait()
	out := map[voting.Hash][]byte{}
	for i, content := range found {
		if content != nil {
			out[lacking[i]] = content
		}
	}
	return out, nil
}

// Shown returns the hashes of the results that a document of a dispute shows, or of the question.
func (Results) Shown(document []byte) (out []voting.Hash) {
	if p, err := readPlea(document); err == nil && p.Text != nil {
		out = append(out, sha256.Sum256(p.Text))
	}
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
