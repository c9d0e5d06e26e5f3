// Package reading reads what the record of a case says, without proof: of each kind and round, the
// facts that most events name. It reads files that package verify refuses, such as the file of a
// case that still runs. Say beside it what package verify found.
package reading

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/leaf"
	"ojud/voting"
)

// Record sums up the record of a case. Of each kind and round it has the facts that most events
// name, among those whose content is there. It proves nothing, and takes files that Verify refuses:
// of a case that still runs, or not whole. Show the finding of Verify beside it.
type Record struct {
	Network casefile.Digest
	Program casefile.Address
	Case    casefile.Address
	Open    *casefile.Doc[casefile.OpenFact]    // nil: not there
	Rounds  [casefile.MaxRound]Round            // round 1 first
	Outcome *casefile.Doc[casefile.OutcomeFact] // nil: not there
	Leaf    *leaf.Leaf                          // of a golden case; nil: no case file, or not there

	events []casefile.Event
	bodies []casefile.Form // of the events; nil: it cannot be read
	rounds []uint8         // of the bodies, which are costly to find
	blob   func(casefile.Digest) ([]byte, error)
}

// Round sums up the record of a round.
type Round struct {
	Draw   *casefile.Doc[casefile.DrawFact]   // nil: not there
	Settle *casefile.Doc[casefile.SettleFact] // nil: not there
}

// Statements are a judge's own statements in a round, and those of it that others showed. A
// statement that the record lacks is nil or empty.
type Statements struct {
	Committed []casefile.Event    // two prove that it equivocated
	Vote      *casefile.Vote      // its first
	VotedAt   int64               // Unix seconds of the chain's clock, by the judge
	Opinion   *casefile.Opinion   // what the vote rests on, if its content is here
	Failures  []string            // why data was not to be had, as it says
	Heard     []casefile.DataBody // what it was answered
	Shown     []casefile.EquivocationBody
}

// File reads a bundle file without verifying it. The error says what keeps it from being read:
// ErrTooLarge, ErrNotJSON, a FieldError.
func File(file []byte) (Record, error) {
	canonical, err := canon.JSON(file, casefile.MaxBundle)
	if err != nil {
		return Record{}, fmt.Errorf("casefile: read file: %w", err)
	}
	b, err := casefile.ParseBundle(canonical)
	if err != nil {
		return Record{}, err
	}
	r := Record{Network: b.Network, Program: b.Program, Case: b.Case, events: b.Events, blob: func(hash casefile.Digest) ([]byte, error) {
		content, ok := b.Blobs[hash]
		if !ok || casefile.Digest(casefile.HashOf(content)) != hash {
			return nil, casefile.ErrNoBlob
		}
		return content, nil
	}}
	if len(b.Leaf) > 0 {
		l, err := leaf.Parse(b.Leaf)
		if err != nil {
			return r, err
		}
		r.Leaf = &l
	}
	return r, r.facts()
}

// Log reads a log, with the content that blobs has. The error is that of blobs.
func Log(l *casefile.Log, blobs casefile.Blobs) (Record, error) {
	d := l.Domain()
	r := Record{Network: casefile.Digest(d.Network), Program: casefile.Address(d.Program), Case: l.Task(), events: l.Events(),
		blob: func(hash casefile.Digest) ([]byte, error) { return blobs.Blob(voting.Hash(hash)) }}
	return r, r.facts()
}

// facts reads the events, and finds the facts that most of them name.
func (r *Record) facts() (err error) {
	r.bodies, r.rounds = make([]casefile.Form, len(r.events)), make([]uint8, len(r.events))
	for i, e := range r.events {
		if body, err := e.ParsedBody(); err == nil {
			r.bodies[i], r.rounds[i] = body, casefile.RoundOf(body)
		}
	}
	if r.Open, err = mostNamed[casefile.OpenFact](r, casefile.KindOpen, 0); err != nil {
		return err
	}
	for i := range r.Rounds {
		if r.Rounds[i].Draw, err = mostNamed[casefile.DrawFact](r, casefile.KindDraw, uint8(i+1)); err != nil {
			return err
		}
		if r.Rounds[i].Settle, err = mostNamed[casefile.SettleFact](r, casefile.KindSettle, uint8(i+1)); err != nil {
			return err
		}
	}
	r.Outcome, err = mostNamed[casefile.OutcomeFact](r, casefile.KindOutcome, 0)
	return err
}

// mostNamed returns the facts of a kind and round that most events name, of those that can be read;
// nil if none can.
func mostNamed[T casefile.Fact](r *Record, kind casefile.Kind, round uint8) (*casefile.Doc[T], error) {
	claims := map[casefile.Digest]int{}
	for i, e := range r.events {
		if e.Kind != kind || r.bodies[i] == nil || r.rounds[i] != round {
			continue
		}
		switch body := r.bodies[i].(type) {
		case casefile.FactBody:
			claims[body.Facts]++
		case casefile.RoundFactBody:
			claims[body.Facts]++
		}
	}
	hashes := slices.SortedFunc(maps.Keys(claims), func(a, b casefile.Digest) int {
		return cmp.Or(cmp.Compare(claims[b], claims[a]), a.Compare(b))
	})
	for _, hash := range hashes {
		content, err := r.blob(hash)
		if errors.Is(err, casefile.ErrNoBlob) {
			continue
		}
		if err != nil {
			return nil, err
		}
		doc, err := casefile.ReadFact[T](kind, content)
		if err == nil && doc.Value.Stamped().Case == r.Case && doc.Value.About() == round {
			return &doc, nil
		}
	}
	return nil, nil //nolint:nilnil // nothing of it is in the record
}

// Content returns content that the record names. The error is casefile.ErrNoBlob if it is not
// there.
func (r Record) Content(hash casefile.Digest) ([]byte, error) {
	if r.blob == nil {
		return nil, casefile.ErrNoBlob
	}
	return r.blob(hash)
}

// Events is how many events the record has.
func (r Record) Events() int { return len(r.events) }

// Said returns what a judge with that node key said of a round.
func (r Record) Said(peer casefile.DID, round uint8) Statements {
	var s Statements
	for i, e := range r.events {
		body := r.bodies[i]
		if body == nil || r.rounds[i] != round {
			continue
		}
		if b, ok := body.(casefile.EquivocationBody); ok && b.Peer == peer {
			s.Shown = append(s.Shown, b)
		}
		if e.Actor != peer {
			continue
		}
		switch b := body.(type) {
		case casefile.CommitBody:
			s.Committed = append(s.Committed, e)
		case casefile.VoteBody:
			if s.Vote == nil {
				s.Vote, s.VotedAt, s.Opinion = &b.Vote, e.At, r.opinion(b.Vote.OpinionHash)
			}
		case casefile.DataBody:
			for _, f := range b.Failures {
				s.Failures = append(s.Failures, b.Source+": "+f.Reason)
			}
			if len(b.Receipts) > 0 {
				s.Heard = append(s.Heard, b)
			}
		}
	}
	return s
}

// Twofolds returns the evidence against holders that gave two different answers to one question,
// the first against each, whether an event accuses them or not.
func (r Record) Twofolds() []casefile.TwofoldBody {
	receipts := slices.DeleteFunc(slices.Clone(r.events), func(e casefile.Event) bool { return e.Kind == casefile.KindTwofold })
	out := casefile.Twofolds(receipts)
	casefile.Shown(r.events, func(b casefile.TwofoldBody) {
		if !slices.ContainsFunc(out, func(o casefile.TwofoldBody) bool { return o.A.Holder == b.A.Holder }) {
			out = append(out, b)
		}
	})
	return out
}

// opinion is the content of an opinion, or nil.
func (r Record) opinion(hash casefile.Digest) *casefile.Opinion {
	content, err := r.blob(hash)
	if err != nil {
		return nil
	}
	doc, err := casefile.ParseOpinion(content)
	if err != nil {
		return nil
	}
	return &doc.Value
}
