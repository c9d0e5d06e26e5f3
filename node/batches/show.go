package batches

import (
	"context"
	"fmt"

	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Progress says where a batch stands. It tells no answer of a leaf that is not open.
type Progress struct {
	Number  uint64 `json:"number"` // among all batches of the court; see Phase
	Phase   string `json:"phase"`  // made, committed, open, failed, closed
	Next    string `json:"next"`   // what is to be done, in words
	Root    string `json:"root"`
	Proctor string `json:"proctor,omitempty"`
	// Times are Unix seconds of the chain; 0: not known yet.
	Now       int64 `json:"now"`
	OpenBy    int64 `json:"open_by,omitempty"`
	ApplyFrom int64 `json:"apply_from,omitempty"`
	KeepUntil int64 `json:"keep_until,omitempty"`

	Deposit client.Lamports `json:"deposit"` // that the batch holds
	Earned  client.Lamports `json:"earned"`
	Costs   Costs           `json:"costs"`
	// Allowance is how many leaves the court takes now.
	Allowance uint32      `json:"allowance"`
	Leaves    []LeafState `json:"leaves"`
}

// LeafState says where a leaf is.
type LeafState struct {
	Leaf    int             `json:"leaf"` // from 1 on
	Task    string          `json:"task"`
	Creator string          `json:"creator"`
	Worker  string          `json:"worker,omitempty"`
	Reward  client.Lamports `json:"reward"`
	State   string          `json:"state"`
	Verdict string          `json:"verdict,omitempty"` // of its case, if that is over
	IsOpen  bool            `json:"open"`
	Answer  string          `json:"answer,omitempty"` // of an open leaf
}

// Show says where the batch stands.
func (l *Life) Show(ctx context.Context) (Progress, error) {
	r, err := l.read(ctx)
	if err != nil {
		return Progress{}, err
	}
	s := Progress{Root: l.root.String(), Now: r.law.Time, Allowance: r.pot.Leaves()}
	if s.Costs, err = l.costs(r.law.Now.Params); err != nil {
		return s, err
	}
	var count [steps]int
	for i, leaf := range l.leaves {
		where := r.step(i, leaf, nil)
		count[where]++
		v := LeafState{Leaf: i + 1, Task: onchain.Address(leaf.Address).String(), Creator: onchain.Address(leaf.Creator).String(), Reward: client.Lamports(leaf.Reward), State: where.String()}
		if t := r.tasks[i]; t != nil && !t.Worker.IsZero() {
			v.Worker = t.Worker.String()
		}
		if k := r.cases[i]; k != nil && k.Status.Over() {
			v.Verdict = k.Verdict.String()
		}
		if v.IsOpen = where >= open; v.IsOpen {
			v.Answer = leaf.Answer.String()
		}
		s.Leaves = append(s.Leaves, v)
	}
	l.phase(&s, r, count)
	return s, nil
}

// phase says what is to be done next.
func (l *Life) phase(s *Progress, r *reading, count [steps]int) {
	b := r.batch
	if b == nil {
		s.Phase, s.Next = "made", "commit it: ojud court proctor commit "+l.dir
		if r.kept && r.pot.Batches > r.number {
			s.Number, s.Phase, s.Next = r.number, "closed", "nothing is left to do"
		}
		return
	}
	s.Number, s.Proctor, s.Deposit, s.Earned = r.number, b.Proctor.String(), client.Lamports(b.Deposit), client.Lamports(b.Earned)
	s.OpenBy, s.KeepUntil = b.OpenBy, b.KeepUntil
	left := b.OpenBy - s.Now
	if b.Opened < b.Leaves {
		waits := len(l.leaves) - count[decided] - count[lost] - count[open] - count[void] - count[applied]
		s.Phase = "committed"
		switch {
		case left <= 0:
			s.Phase, s.Next = "failed", "it was not open in time, and the deposit is lost; close it: ojud court proctor close "+l.dir
		case count[unposted]+count[posted]+count[claimed]+count[submitted]+count[objected] > 0:
			s.Next = fmt.Sprintf("post its cases: ojud court proctor post %s; all leaves have to be open in %d s", l.dir, left)
		case waits > 0:
			s.Next = fmt.Sprintf("%d cases are not over yet; then open all leaves: ojud court proctor open %s; %d s are left", waits, l.dir, left)
		default:
			s.Next = fmt.Sprintf("open all leaves: ojud court proctor open %s; %d s are left", l.dir, left)
		}
		return
	}
	s.Phase, s.ApplyFrom = "open", b.ApplyFrom(r.law.Config)
	switch {
	case !b.Fair():
		s.Phase = "failed"
		s.Next = fmt.Sprintf("%d of %d leaves are void and %d of the others say accept: nothing is applied, and the deposit is lost; close it: ojud court proctor close %s",
			b.Void, b.Leaves, b.Accepts, l.dir)
	case b.Applied == b.Opened-b.Void:
		s.Next = "everything is applied; close it, if no node has done so: ojud court proctor close " + l.dir
	case s.Now < s.ApplyFrom:
		s.Next = fmt.Sprintf("wait: leaves may be challenged for %d s yet; nodes apply them then", s.ApplyFrom-s.Now)
	default:
		s.Next = "nodes apply the leaves; you may, too: ojud court proctor apply " + l.dir
	}
}
