package verify

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/testimony"
	"ojud/voting"
)

// events checks every event by itself and in its chain.
func (v *verifier) events() (int, *fault) {
	v.chains, v.paths = map[casefile.DID]*casefile.ActorChain{}, map[casefile.Digest]string{}
	var last casefile.CheckedEvent
	for i, e := range v.bundle.Events {
		path := fmt.Sprintf("$.events[%d]", i)
		next, f := v.event(e, path)
		if f != nil {
			return 0, f
		}
		if i > 0 && !sorted(last, next) {
			return 0, faultAt(path, "is out of order: events are sorted by actor, seq, id, and none stands twice")
		}
		if f := v.link(next, path); f != nil {
			return 0, f
		}
		last = next
	}
	return len(v.bundle.Events), nil
}

// event checks the event's own fields and its signature.
func (v *verifier) event(e casefile.Event, path string) (casefile.CheckedEvent, *fault) {
	if e.Case != v.bundle.Case {
		return casefile.CheckedEvent{}, faultAt(path+".case", "is another case than the bundle's")
	}
	body, err := e.Check()
	if err != nil {
		var f *casefile.FieldError
		if errors.As(err, &f) {
			return casefile.CheckedEvent{}, faultAt(path+"."+f.Field, "%s", f.Problem)
		}
		return casefile.CheckedEvent{}, faultAt(path, "%v", err)
	}
	id, err := e.Verify(v.domain)
	if err != nil {
		return casefile.CheckedEvent{}, faultAt(path+".sig", "%v", err)
	}
	return casefile.CheckedEvent{Event: e, Hash: id, Parsed: body}, nil
}

// link puts the event into its actor's chain.
func (v *verifier) link(e casefile.CheckedEvent, path string) *fault {
	c := v.chains[e.Actor]
	if c == nil {
		c = &casefile.ActorChain{}
		v.chains[e.Actor] = c
	}
	where, err := c.Place(e.Event, e.Hash)
	if err != nil {
		return faultAt(path+".prev", "%v", err)
	}
	v.paths[e.Hash] = path
	if where == casefile.Surplus {
		return faultAt(path, "is a third event with the number %d; two prove the fork", e.Seq)
	}
	if where == casefile.Rival {
		c.Oppose(e)
		v.report.note(NoteSignedTwice, path, "%s forked its chain at event %d: two different events are signed with that number", e.Actor, e.Seq)
		v.order = v.order[:len(v.order)-1] // neither of the two counts
		return nil
	}
	if err := (casefile.Court{}).Repeated(c, e.Event, e.Parsed); err != nil {
		return faultAt(path, "%v", err)
	}
	c.Events = append(c.Events, e)
	v.order = append(v.order, e)
	return nil
}

// sorted reports whether b may stand after a in a bundle.
func sorted(a, b casefile.CheckedEvent) bool {
	if c := strings.Compare(a.Actor.String(), b.Actor.String()); c != 0 {
		return c < 0
	}
	return a.Seq < b.Seq || a.Seq == b.Seq && a.Hash.Compare(b.Hash) < 0
}

// seats checks that every actor sits where it says, and knows the keys of the judges if the
// verifier does.
func (v *verifier) seats() (int, *fault) {
	for _, e := range v.order {
		if err := v.court().Seated(nil, e.Event, e.Parsed); err != nil {
			return 0, faultAt(v.paths[e.Hash]+".actor", "%v", err)
		}
	}
	if v.known.Judges == nil {
		return len(v.chains), nil
	}
	for _, round := range v.rounds {
		for i, s := range round.seats {
			if peer, ok := v.known.Judges[s.Judge]; !ok || peer != s.Peer {
				return 0, faultAt(inBlob(round.draw.Hash, fmt.Sprintf("seats[%d]", i)), "%s with that node key is no judge that is known here (round %d)", casefile.Address(s.Judge), round.number)
			}
		}
	}
	return len(v.chains), nil
}

// commitments checks the signed statements of commitments.
func (v *verifier) commitments() (int, *fault) {
	count, f := each[casefile.CommitBody](v, v.court().Statement)
	if f != nil {
		return 0, f
	}
	for e, b := range bodies[casefile.CommitBody](v) {
		if seat, ok := v.seatEnd(b.Round, e.Actor); ok && seat.Commitment != b.Commitment {
			v.report.note(NoteUncounted, v.paths[e.Hash], "the commitment is not the one on the chain")
		}
	}
	return count, nil
}

// votes checks votes by themselves, and against what the settlement says of their seats.
func (v *verifier) votes() (int, *fault) {
	count, f := each[casefile.VoteBody](v, v.court().Vote)
	if f != nil {
		return 0, f
	}
	proven := map[[2]any]bool{}
	for e, b := range bodies[casefile.VoteBody](v) {
		path := v.paths[e.Hash] + ".body.vote"
		seat, ok := v.seatEnd(b.Round, e.Actor)
		switch {
		case !ok:
			return 0, faultAt(path, "the settlement of round %d has no such seat", b.Round)
		case b.Vote.Commitment() != voting.Hash(seat.Commitment):
			v.report.note(NoteUncounted, path, "the vote does not open the commitment on the chain")
		case seat.Choice == casefile.Choice(voting.NoChoice):
			v.report.note(NoteUncounted, path, "the vote was not revealed on the chain")
		case seat.Choice != b.Vote.Choice:
			return 0, faultAt(path+".choice", "opens the commitment on the chain, but the settlement says %s", voting.Choice(seat.Choice))
		default:
			proven[[2]any{b.Round, seat.Judge}] = true
		}
	}
	v.unproven(proven)
	return count, nil
}

// unproven notes the revealed choices for which no vote stands in the file: they rest on the
// testimony of the seats alone.
func (v *verifier) unproven(proven map[[2]any]bool) {
	for _, round := range v.rounds {
		for i, s := range round.settle.Value.Seats {
			if s.Choice != casefile.Choice(voting.NoChoice) && !proven[[2]any{round.number, s.Judge}] {
				v.report.note(NoteTestimony, inBlob(round.settle.Hash, fmt.Sprintf("seats[%d].choice", i)), "no vote in the file opens the commitment: this choice rests on testimony alone")
			}
		}
	}
}

// opinions checks the opinions on which votes rest. One that is missing or does not belong to its
// vote is a fault of the judge, not of the file.
func (v *verifier) opinions() (int, *fault) {
	if _, f := each[casefile.OpinionBody](v, v.court().Opinion); f != nil {
		return 0, f
	}
	count := 0
	for e, b := range bodies[casefile.VoteBody](v) {
		path := v.paths[e.Hash] + ".body.vote.opinion_hash"
		if _, ok := v.blob(b.Vote.OpinionHash); !ok {
			v.report.note(NoteMissing, path, "the opinion is not in the file")
			continue
		}
		count++
		if _, problem := voted(v, b.Vote); problem != "" {
			v.report.note(NoteUnreadable, path, "%s", problem)
		}
	}
	return count, nil
}

// voted returns the opinion that a vote names, which is in the file, and says how it does not
// belong to the vote. Nobody changes an opinion: it is read once.
func voted(v *verifier, vote casefile.Vote) (casefile.Opinion, string) {
	o := opinionAt(v, vote.OpinionHash)
	err := o.err
	if err == nil && !o.exact {
		err = canon.ErrNotCanonical
	}
	if err != nil {
		return casefile.Opinion{}, fmt.Sprintf("the opinion cannot be read: %v", err)
	}
	return o.value, testimony.Differs(o.value, vote)
}

// opened is content that was read as an opinion.
type opened struct {
	value casefile.Opinion
	err   error
	exact bool // the content is canonical JSON
}

// opinionAt reads content of the file as an opinion.
func opinionAt(v *verifier, hash casefile.Digest) opened {
	if o, ok := v.opened[hash]; ok {
		return o
	}
	content, _ := v.blob(hash)
	doc, err := casefile.ParseOpinion(content)
	o := opened{doc.Value, err, bytes.Equal(doc.Raw, content)}
	if v.opened == nil {
		v.opened = map[casefile.Digest]opened{}
	}
	v.opened[hash] = o
	return o
}

// seatEnd returns what the settlement says of an actor's seat.
func (v *verifier) seatEnd(round uint8, actor casefile.DID) (casefile.SeatEnd, bool) {
	r, ok := roundOf(v, round)
	if !ok {
		return casefile.SeatEnd{}, false
	}
	for i, s := range r.seats {
		if casefile.DID(s.Peer) == actor && i < len(r.settle.Value.Seats) {
			return r.settle.Value.Seats[i], true
		}
	}
	return casefile.SeatEnd{}, false
}
