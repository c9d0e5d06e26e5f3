package content

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// needs names results for disputes with these terms. A document shows what has its hash.
type needs struct {
	terms string
	named []voting.Hash
	err   error
	claim string
	far   []byte // what is found outside of the court, for that claim
}

func (n *needs) Named(_ context.Context, _ voting.Key, terms, _ []byte) ([]voting.Hash, error) {
	if n.err != nil || string(terms) != n.terms {
		return nil, n.err
	}
	return n.named, nil
}

func (n *needs) Elsewhere(_ context.Context, _ voting.Key, terms, claim []byte, lacking []voting.Hash) (map[voting.Hash][]byte, error) {
	out := map[voting.Hash][]byte{}
	for _, h := range lacking {
		if n.far != nil && casefile.HashOf(n.far) == h && string(terms) == n.terms && string(claim) == n.claim {
			out[h] = n.far
		}
	}
	return out, n.err
}

func (*needs) Shown(document []byte) []voting.Hash {
	return []voting.Hash{casefile.HashOf(document)}
}

// TestAttackHiddenResult: parties of a dispute that agree to hide the work of somebody else cannot:
// nodes take what the chain names, from anybody, and judges look for it.
func TestAttackHiddenResult(t *testing.T) {
	result, other, claim := []byte("a result"), []byte("another"), []byte("a claim")
	hash := casefile.HashOf(result)
	terms := []byte("terms of a program")
	dispute := &program.Task{Status: program.Judiciary, Dispute: program.DisputeJoined, TaskHash: casefile.HashOf(terms), ResultHash: casefile.HashOf(claim)}
	task := *dispute
	task.Dispute = program.NoDispute
	over := *dispute
	over.Status = program.Complete
	for name, x := range map[string]struct {
		terms   *program.Task
		needs   *needs
		content []byte
		unread  bool
		want    error
	}{
		"named":              {dispute, &needs{terms: string(terms), named: []voting.Hash{hash}}, result, false, nil},
		"not named":          {dispute, &needs{terms: string(terms), named: []voting.Hash{hash}}, other, false, p2p.ErrRefused},
		"too large":          {dispute, &needs{terms: string(terms), named: []voting.Hash{casefile.HashOf(make([]byte, casefile.MaxDocument+1))}}, make([]byte, casefile.MaxDocument+1), false, p2p.ErrBadRequest},
		"no dispute":         {&task, &needs{terms: string(terms), named: []voting.Hash{hash}}, result, false, p2p.ErrRefused},
		"it is over":         {&over, &needs{terms: string(terms), named: []voting.Hash{hash}}, result, false, p2p.ErrRefused},
		"terms are not here": {dispute, &needs{terms: string(terms), named: []voting.Hash{hash}}, result, true, p2p.ErrRefused},
		"no chain":           {dispute, &needs{terms: string(terms), err: errors.New("down")}, result, false, p2p.ErrBusy},
	} {
		w := &court{kept: map[voting.Hash][]byte{}, terms: x.terms}
		if !x.unread {
			w.kept[x.terms.TaskHash] = terms
		}
		group := work.NewGroup()
		c := New(Costs{MaxPuts: 1 << 20, Timeout: time.Second}, w, w, w, w, group, slog.New(slog.DiscardHandler))
		c.Further = x.needs
		err := c.take(t.Context(), "peer", casefile.HashOf(x.content), voting.Key{1}, x.content)
		group.Wait()
		if !errors.Is(err, x.want) || (err == nil) != (w.kept[hash] != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, x := range map[string]struct {
		shown, has, down bool
		far              string // the claim for which it is outside of the court
		most             time.Duration
		late             time.Duration // when the claim is here
	}{
		"a late claim": {far: "a claim", most: 31 * time.Second, late: 30 * time.Second},
		"late in vain": {far: "another claim", most: 52 * time.Second, late: 30 * time.Second},

		"a peer has it":   {has: true, most: time.Second},
		"nobody has it":   {most: 25 * time.Second},
		"the claim shows": {shown: true, most: time.Second},
		"no chain":        {has: true, down: true, most: 75 * time.Second},
		"outside":         {far: "a claim", most: time.Second},
		"another claim":   {far: "another claim", most: 25 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			none := casefile.HashOf(program.Unanswered())
			k := *dispute
			k.ObjectionHash = none
			n := &near{court: &court{kept: map[voting.Hash][]byte{k.TaskHash: terms, k.ResultHash: claim, none: program.Unanswered()}, terms: &k}, has: map[voting.Hash][]byte{}}
			want := &needs{terms: string(terms), named: []voting.Hash{hash}}
			if x.far != "" {
				want.claim, want.far = x.far, result
			}
			if x.shown {
				want.named[0] = k.ResultHash
			}
			if x.has {
				n.has[hash] = result
			}
			if x.down {
				want.err = errors.New("down")
			}
			c := New(Costs{Timeout: time.Second, Every: 100 * time.Millisecond, MaxPuts: 1 << 20}, n, n, n, n, work.NewGroup(), slog.New(slog.DiscardHandler))
			c.Further = want
			begun := time.Now()
			if x.late > 0 {
				delete(n.kept, k.ResultHash)
				time.AfterFunc(x.late, func() {
					n.mu.Lock()
					defer n.mu.Unlock()
					n.kept[k.ResultHash] = claim
				})
			}
			b, err := c.Brief(t.Context(), judge.Brief{Deadline: begun.Add(100 * time.Second)})
			if err != nil || (b.Exhibits[hash] != nil) != (x.has && !x.down || x.far == string(claim)) || time.Since(begun) > x.most+time.Second {
				t.Errorf("%s: %v, %v, %d exhibits", name, err, time.Since(begun), len(b.Exhibits))
			}
			if x.far == string(claim) && !n.Has(hash) {
				t.Error("other judges do not get what was found outside of the court")
			}
		})
	}
}
