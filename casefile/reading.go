package casefile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ojud/voting"
)

// Reading is what the record of a case says: of each kind and round the facts that most events name, of those whose content is there. It
// proves nothing, and takes what Verify refuses: a case that still runs, a file that is not whole. Say beside it what Verify found.
type Reading struct {
	Network Digest
	Program Address
	Case    Address
	Open    *Doc[OpenFact]         // nil: not there
	Rounds  [MaxRound]RoundReading // round 1 first
	Outcome *Doc[OutcomeFact]      // nil: not there

	events []Event
	blob   func(Digest) ([]byte, error)
}

// RoundReading is what the record says of a round.
type RoundReading struct {
	Draw   *Doc[DrawFact]   // nil: not there
	Settle *Doc[SettleFact] // nil: not there
}

// Statements are what a judge said of a round, and what others showed of it. What is not in the record is nil or empty.
type Statements struct {
	Committed []Event  // two prove that it equivocated
	Vote      *Vote    // its first
	VotedAt   int64    // Unix seconds of the chain's clock, by the judge
	Opinion   *Opinion // what the vote rests on, if its content is here
	Failures  []string // why data was not to be had, as it says
	Shown     []EquivocationBody
}

// ReadFile reads a bundle file without verifying it. The error says what keeps it from being read: ErrTooLarge, ErrNotJSON, a FieldError.
func ReadFile(file []byte) (Reading, error) {
	canonical, err := Canonical(file, MaxBundle)
	if err != nil {
		return Reading{}, fmt.Errorf("casefile: read file: %w", err)
	}
	var b Bundle
	if err := decode("bundle", canonical, &b, ""); err != nil {
		return Reading{}, err
	}
	r := Reading{Network: b.Network, Program: b.Program, Case: b.Case, events: b.Events, blob: func(hash Digest) ([]byte, error) {
		content, ok := b.Blobs[hash]
		if !ok || Digest(HashOf(content)) != hash {
			return nil, ErrNoBlob
		}
		return content, nil
	}}
	return r, r.facts()
}

// ReadLog reads a log, with the content that blobs has. The error is that of blobs.
func ReadLog(l *Log, blobs Blobs) (Reading, error) {
	d := l.court.Domain
	r := Reading{Network: Digest(d.Network), Program: Address(d.Program), Case: l.court.Task, events: l.Events(),
		blob: func(hash Digest) ([]byte, error) { return blobs.Blob(voting.Hash(hash)) }}
	return r, r.facts()
}

// facts finds the facts that most events name.
func (r *Reading) facts() (err error) {
	if r.Open, err = mostNamed[OpenFact](r, KindOpen, 0); err != nil {
		return err
	}
	for i := range r.Rounds {
		if r.Rounds[i].Draw, err = mostNamed[DrawFact](r, KindDraw, uint8(i+1)); err != nil {
			return err
		}
		if r.Rounds[i].Settle, err = mostNamed[SettleFact](r, KindSettle, uint8(i+1)); err != nil {
			return err
		}
	}
	r.Outcome, err = mostNamed[OutcomeFact](r, KindOutcome, 0)
	return err
}

// mostNamed returns the facts of a kind and round that most events name, of those that can be read; nil if none can.
func mostNamed[T Fact](r *Reading, kind Kind, round uint8) (*Doc[T], error) {
	claims := map[Digest]int{}
	for _, e := range r.events {
		if e.Kind != kind {
			continue
		}
		if body, err := e.body(); err == nil && topicOf(kind, body).round == round {
			claims[e.Names()[0]]++
		}
	}
	hashes := slices.SortedFunc(maps.Keys(claims), func(a, b Digest) int {
		return cmp.Or(cmp.Compare(claims[b], claims[a]), a.Compare(b))
	})
	for _, hash := range hashes {
		content, err := r.blob(hash)
		if errors.Is(err, ErrNoBlob) {
			continue
		}
		if err != nil {
			return nil, err
		}
		doc, err := read[T](string(kind)+" facts", content, MaxDocument)
		if err == nil && doc.Value.Stamped().Case == r.Case && doc.Value.About() == round {
			return &doc, nil
		}
	}
	return nil, nil //nolint:nilnil // nothing of it is in the record
}

// Events is how many events the record has.
func (r Reading) Events() int { return len(r.events) }

// Said returns what a judge with that node key said of a round.
func (r Reading) Said(peer DID, round uint8) Statements {
	var s Statements
	for _, e := range r.events {
		body, err := e.body()
		if err != nil || topicOf(e.Kind, body).round != round {
			continue
		}
		if b, ok := body.(EquivocationBody); ok && b.Peer == peer {
			s.Shown = append(s.Shown, b)
		}
		if e.Actor != peer {
			continue
		}
		switch b := body.(type) {
		case CommitBody:
			s.Committed = append(s.Committed, e)
		case VoteBody:
			if s.Vote == nil {
				s.Vote, s.VotedAt, s.Opinion = &b.Vote, e.At, r.opinion(b.Vote.OpinionHash)
			}
		case DataBody:
			for _, f := range b.Failures {
				s.Failures = append(s.Failures, b.Source+": "+f.Reason)
			}
		}
	}
	return s
}

// opinion is the content of an opinion, or nil.
func (r Reading) opinion(hash Digest) *Opinion {
	content, err := r.blob(hash)
	if err != nil {
		return nil
	}
	doc, err := ParseOpinion(content)
	if err != nil {
		return nil
	}
	return &doc.Value
}
