package blob

import (
	"cmp"

	"ojud/voting"
)

// Rank says what the content of an owner is for. If room is needed, content without an owner goes
// first, and then content of the lowest rank. Content never displaces content of a higher rank.
type Rank uint8

// The ranks.
const (
	free  Rank = iota // it has no owner
	Stray             // an earlier run of the node pinned it, and its use is not known yet
	File              // of a case that is over, in which this node had a seat
	Card              // an agent's card
	Offer             // of a task that is to be had
	Work              // of a task that somebody works on, or that is disputed
	Court             // of a case in which others sit
	Seat              // of a case in which this node sits
	Own               // of this node itself, such as the cards of its sources
	ranks
)

// shares are the parts of the quota, in percent, that content of a rank may take. Together they
// leave a part to the files of own cases. What matters to the own seat has no share of its own: it
// displaces all the others.
var shares = [ranks]uint64{Card: 6, Offer: 12, Work: 12, Court: 50}

// rankNames name the ranks in metrics.
var rankNames = [ranks]string{
	free: "none", Stray: "unknown", File: "own_file", Card: "agent_card", Offer: "offer", Work: "work", Court: "case", Seat: "own_seat", Own: "own",
}

// Merit is what the content of an owner is worth, and how much of it is kept.
type Merit struct {
	Rank Rank
	// Value orders the owners of a rank: the lower one goes first.
	Value uint64
	// Budget is how many bytes the owner may have; 0: no bound.
	Budget uint64
	// Payer answers for the owner, such as the creator of a task. All its owners of one rank have
	// PayerBudget bytes together; 0: no bound.
	Payer       voting.Key
	PayerBudget uint64
}

// worth orders content.
type worth struct {
	rank  Rank
	value uint64
}

func (s Merit) worth() worth { return worth{s.Rank, s.Value} }

func (w worth) less(o worth) bool {
	return cmp.Or(cmp.Compare(w.rank, o.rank), cmp.Compare(w.value, o.value)) < 0
}

// Rate says what the content of owner is worth from now on. It is not remembered after a restart:
// until then the owner's content is Stray.
func (s *Store) Rate(owner voting.Key, as Merit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.rate(owner, as)
}

// Owners returns who has pins or a merit, with their ranks.
func (s *Store) Owners() map[voting.Key]Rank {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[voting.Key]Rank, len(s.index.owners))
	for key, o := range s.index.owners {
		out[key] = o.Rank
	}
	return out
}

// Pinned reports whether owner has pinned content that is here.
func (s *Store) Pinned(owner voting.Key, hash voting.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.has(hash) && s.index.pins[hash][owner]
}
