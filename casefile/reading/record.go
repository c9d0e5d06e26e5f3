// Package reading reads what the record of a case says. Its facts are those that package testimony
// establishes, as for package verify: what one judge alone says is not among them. It checks no
// signature, and reads files that package verify refuses, such as the file of a case that still
// runs. Say beside it what package verify found.
package reading

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/leaf"
	"ojud/casefile/testimony"
	"ojud/voting"
)

// Record sums up the record of a case. It has the facts that enough seats name, and in a case that
// still runs not all of them. It proves nothing, and takes files that Verify refuses: of a case
// that still runs, or not whole. Show the finding of Verify beside it.
type Record struct {
	Network casefile.Digest
	Program casefile.Address
	Case    casefile.Address
	Open    *casefile.Doc[casefile.OpenFact]    // nil: not there
	Rounds  [casefile.MaxRound]Round            // round 1 first
	Outcome *casefile.Doc[casefile.OutcomeFact] // nil: not there
	Support []testimony.Support                 // of these facts
	Leaf    *leaf.Leaf                          // of a golden case; nil: no case file, or not there

	events []casefile.Event
	bodies []casefile.Form // of the events; nil: it cannot be read, or its actor forked its chain there
	rounds []uint8         // of the bodies, which are costly to find
	blob   func(casefile.Digest) ([]byte, error)

	// Opinions that were read. Copies of the record share them.
	opinions *opinions
}

// opinions keeps opinions by hash, because pages show each several times and reading one is costly.
type opinions struct {
	sync.Mutex
	read map[casefile.Digest]*casefile.Opinion
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

// facts reads the events, and finds the facts that enough seats name.
func (r *Record) facts() error {
	r.opinions = &opinions{read: map[casefile.Digest]*casefile.Opinion{}}
	r.bodies, r.rounds = make([]casefile.Form, len(r.events)), make([]uint8, len(r.events))
	forks := forked(r.events)
	var claims []testimony.Claim
	for i, e := range r.events {
		body, err := e.ParsedBody()
		if seq, ok := forks[e.Actor]; err != nil || ok && e.Seq >= seq {
			continue
		}
		r.bodies[i], r.rounds[i] = body, casefile.RoundOf(body)
		if c, ok := testimony.ClaimOf(e, body); ok {
			claims = append(claims, c)
		}
	}
	facts, err := testimony.Heard{Network: r.Network, Program: r.Program, Case: r.Case, Claims: claims, Blob: r.blob}.Establish()
	r.Open, r.Outcome, r.Support = facts.Open, facts.Outcome, facts.Support
	for _, round := range facts.Rounds {
		r.Rounds[round.Number-1] = Round{&round.Draw, round.Settle}
	}
	return err
}

// forked returns the actors that signed two events with one number, and the first such number.
func forked(events []casefile.Event) map[casefile.DID]uint32 {
	type place struct {
		actor casefile.DID
		seq   uint32
	}
	seen, out := map[place]bool{}, map[casefile.DID]uint32{}
	for _, e := range events {
		at := place{e.Actor, e.Seq}
		if first, ok := out[e.Actor]; seen[at] && (!ok || e.Seq < first) {
			out[e.Actor] = e.Seq
		}
		seen[at] = true
	}
	return out
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

// Said returns what a judge with that node key said of a round. Of a settled round it leaves out a
// vote that does not open the commitment on the chain, and what that vote rests on.
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
				s.Vote, s.VotedAt = &b.Vote, e.At
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
	if s.Vote != nil && !r.opens(peer, round, s.Vote) {
		s.Vote = nil
	}
	if s.Vote != nil {
		s.Opinion = r.opinion(*s.Vote)
	}
	return s
}

// opens reports whether a vote opens the commitment that the settlement of its round has of the
// seat. Before the settlement every vote does.
func (r Record) opens(peer casefile.DID, round uint8, vote *casefile.Vote) bool {
	if round < 1 || int(round) > len(r.Rounds) || r.Rounds[round-1].Draw == nil || r.Rounds[round-1].Settle == nil {
		return true
	}
	draw, seats := r.Rounds[round-1].Draw.Value, r.Rounds[round-1].Settle.Value.Seats
	for i, index := range draw.Seats {
		mine := slices.ContainsFunc(draw.Candidates, func(c casefile.Candidate) bool { return c.Index == index && c.Peer == peer })
		if mine && i < len(seats) {
			return vote.Commitment() == voting.Hash(seats[i].Commitment)
		}
	}
	return false
}

// Twofolds returns the evidence against holders that gave two different answers to one question,
// the first against each, whether an event accuses them or not.
func (r Record) Twofolds() []casefile.TwofoldBody {
	var receipts, undisputed []casefile.Event
	for i, e := range r.events {
		if r.bodies[i] == nil {
			continue
		}
		undisputed = append(undisputed, e)
		if e.Kind != casefile.KindTwofold {
			receipts = append(receipts, e)
		}
	}
	out := casefile.Twofolds(receipts)
	casefile.Shown(undisputed, func(b casefile.TwofoldBody) {
		if !slices.ContainsFunc(out, func(o casefile.TwofoldBody) bool { return o.A.Holder == b.A.Holder }) {
			out = append(out, b)
		}
	})
	return out
}

// opinion is the content of the opinion on which a vote rests, or nil if it is not here or does not
// belong to the vote. Callers do not change it.
func (r Record) opinion(vote casefile.Vote) *casefile.Opinion {
	r.opinions.Lock()
	defer r.opinions.Unlock()
	read, ok := r.opinions.read[vote.OpinionHash]
	if !ok {
		content, err := r.blob(vote.OpinionHash)
		if err != nil {
			return nil // it may come later
		}
		if doc, err := casefile.ParseOpinion(content); err == nil && bytes.Equal(doc.Raw, content) {
			read = &doc.Value
		}
		r.opinions.read[vote.OpinionHash] = read
	}
	if read == nil || testimony.Differs(*read, vote) != "" {
		return nil
	}
	return read
}
