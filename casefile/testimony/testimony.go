// Package testimony establishes the facts of a case: what enough judges in its seats say that the
// chain decided. Package verify checks the facts that it finds, and packages reading and picture
// show those and no others, so that a page cannot say of a case what verify did not check.
//
// A judge counts once for the facts of a kind and round, and only for a round that it sat in. One
// judge must be able neither to invent a round nor to hold a case file back.
package testimony

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// Claim is the word of an actor that certain facts are those of a case. An actor has one for each
// kind and round.
type Claim struct {
	Actor casefile.DID
	Kind  casefile.Kind
	Round uint8 // 0: of the whole case
	Facts casefile.Digest
}

// ClaimOf returns the claim that an event makes, and whether it makes one. The body is the event's.
func ClaimOf(e casefile.Event, body casefile.Form) (Claim, bool) {
	switch b := body.(type) {
	case casefile.FactBody:
		return Claim{e.Actor, e.Kind, 0, b.Facts}, true
	case casefile.RoundFactBody:
		return Claim{e.Actor, e.Kind, b.Round, b.Facts}, true
	}
	return Claim{}, false
}

// Heard is what was said of a case, from which its facts are established.
type Heard struct {
	Network casefile.Digest
	Program casefile.Address
	Case    casefile.Address
	Claims  []Claim // of undisputed events
	// Blob returns content, or casefile.ErrNoBlob. Another error ends the search.
	Blob func(casefile.Digest) ([]byte, error)
}

// Support says how many seats of a round stand for a fact document.
type Support struct {
	Fact   string          `json:"fact"` // open, draw, settle, outcome
	Round  uint8           `json:"round,omitempty"`
	Hash   casefile.Digest `json:"hash"`
	Seats  int             `json:"seats"`  // that name it
	Of     int             `json:"of"`     // seats of the round
	Weight casefile.Amount `json:"weight"` // of those that name it
	Total  casefile.Amount `json:"total"`  // of the round
	Others int             `json:"others"` // seats that name other facts
}

// Round is a round that took place.
type Round struct {
	Number uint8
	Draw   casefile.Doc[casefile.DrawFact]
	Settle *casefile.Doc[casefile.SettleFact] // nil: not established. Then it is the last round
	appeal bool
}

// Doubt is why facts are not established. More testimony may remove it if Pending.
type Doubt struct {
	Path, Detail string
	Pending      bool
}

// Facts are those that are established.
type Facts struct {
	Open    *casefile.Doc[casefile.OpenFact] // nil: not established
	Rounds  []Round
	Outcome *casefile.Doc[casefile.OutcomeFact] // nil: not established
	Support []Support                           // of each of them
	Notes   []Doubt                             // what some seats say and what does not count
	Doubt   *Doubt                              // the first reason why facts are missing; nil: the case is whole
}

// Establish finds the facts of the case. The error is that of Blob.
func (s Heard) Establish() (Facts, error) {
	f := &search{Heard: s}
	f.rounds()
	f.ending()
	return f.out, f.err
}

// search carries what was established to the next facts.
type search struct {
	Heard
	out    Facts
	opened Support // of Open
	err    error
}

// rounds establishes the rounds and the opening. A later round without established facts did not
// take place, and neither did one that cannot follow the round before it.
func (f *search) rounds() {
	for r := uint8(1); r <= casefile.MaxRound && f.err == nil && f.out.Doubt == nil; r++ {
		claims := f.claims(casefile.KindDraw, r)
		if len(claims) == 0 && r > 1 {
			continue
		}
		draw, support, fault := establish(f, casefile.KindDraw, r, nil, f.follows)
		switch {
		case fault != nil && r > 1:
			f.out.Notes = append(f.out.Notes, *fault)
			continue
		case fault != nil:
			f.out.Doubt = fault
			return
		}
		f.supported(support)
		f.out.Rounds = append(f.out.Rounds, Round{Number: r, Draw: draw, appeal: len(f.out.Rounds) > 0 && f.appealed(r)})
		f.settled(&f.out.Rounds[len(f.out.Rounds)-1])
	}
}

// settled establishes the settlement of the last round, and the opening if it is not yet.
func (f *search) settled(last *Round) {
	panel := panelOf(last.Draw.Value)
	if f.out.Open == nil {
		if open, support, fault := establish[casefile.OpenFact](f, casefile.KindOpen, 0, panel, nil); fault == nil {
			f.out.Open, f.opened = &open, support
		}
	}
	settle, support, fault := establish[casefile.SettleFact](f, casefile.KindSettle, last.Number, panel, nil)
	if fault != nil {
		f.out.Doubt = fault
		return
	}
	f.supported(support)
	last.Settle = &settle
}

// ending establishes how the case ended, and says why the opening is not established.
func (f *search) ending() {
	if len(f.out.Rounds) == 0 || f.err != nil {
		return
	}
	last := f.out.Rounds[len(f.out.Rounds)-1]
	panel := panelOf(last.Draw.Value)
	if f.out.Open != nil {
		f.supported(f.opened)
	} else if _, _, fault := establish[casefile.OpenFact](f, casefile.KindOpen, 0, panel, nil); fault != nil && f.out.Doubt == nil {
		f.out.Doubt = fault
	}
	if last.Settle == nil {
		return
	}
	outcome, support, fault := establish[casefile.OutcomeFact](f, casefile.KindOutcome, 0, panel, nil)
	if fault != nil {
		f.out.Doubt = cmp.Or(f.out.Doubt, fault)
		return
	}
	f.supported(support)
	f.out.Outcome = &outcome
}

func (f *search) supported(s Support) {
	if s.Others > 0 {
		f.out.Notes = append(f.out.Notes, Doubt{Path: "$.events", Detail: fmt.Sprintf("%d seats testify to another %s than the other %d", s.Others, name(s.Fact, s.Round), s.Seats)})
	}
	f.out.Support = append(f.out.Support, s)
}

// appealed reports whether the last round ended its level, so that the given one can only be of an
// appeal.
func (f *search) appealed(round uint8) bool {
	last := f.out.Rounds[len(f.out.Rounds)-1]
	return last.appeal || ended(last) || f.skips(round, last)
}

// ended reports whether a round was the last of its level: it has a verdict, or decided nothing.
func ended(r Round) bool { return voting.Verdict(r.Settle.Value.Verdict) != voting.NoVerdict }

// follows says why a draw cannot follow the last round that is established; empty: it can. A round
// follows a void one, and an appeal the last of the first panel.
func (f *search) follows(d casefile.DrawFact) string {
	if len(f.out.Rounds) == 0 {
		return ""
	}
	last := f.out.Rounds[len(f.out.Rounds)-1]
	least := last.Draw.Value.MinSeats
	switch {
	case ended(last) && last.appeal:
		return fmt.Sprintf("round %d ended the appeal", last.Number)
	case ended(last), f.skips(d.Round, last):
		if why := f.appealable(d); why != "" {
			return why
		}
		least = rules.MinAppealSeats
	case d.Round != last.Number+1:
		return fmt.Sprintf("round %d is the next after round %d, which was void", last.Number+1, last.Number)
	}
	if len(d.Seats) < int(least) || d.MinSeats != least {
		return fmt.Sprintf("it has %d seats, and a panel of this case has at least %d", len(d.Seats), least)
	}
	return ""
}

// skips reports whether a draw is that of an appeal after a void round: the next one of the first
// panel was not drawn in time.
func (f *search) skips(round uint8, last Round) bool {
	if f.out.Open == nil || last.appeal {
		return false
	}
	appeals := f.out.Open.Value.Rules.Timing().MaxRounds + 1
	return round == appeals && last.Number+1 < appeals
}

// appealable says why a draw is not that of an appeal against the first verdict; empty: it may be.
func (f *search) appealable(d casefile.DrawFact) string {
	if f.out.Open == nil {
		return ""
	}
	r := f.out.Open.Value.Rules
	if r.Second == nil || r.Second.AppealSeconds == 0 {
		return "a round before it ended the case, because nothing in it can be appealed"
	}
	if want := r.Timing().MaxRounds + 1; d.Round != want {
		return fmt.Sprintf("a round before it was the last of its panel, and round %d is the first of an appeal", want)
	}
	return ""
}

// seatWeights are the weights of the seats of a round, by node key.
type seatWeights map[casefile.DID]uint64

func (p seatWeights) total() (sum uint64) {
	for _, w := range p {
		sum += w // voting.MaxSeats · voting.MaxSeatWeight fits
	}
	return sum
}

// panelOf returns the seats of a draw; nil if they are not candidates.
func panelOf(f casefile.DrawFact) seatWeights {
	p := seatWeights{}
	for _, index := range f.Seats {
		i, ok := slices.BinarySearchFunc(f.Candidates, index, func(c casefile.Candidate, index uint16) int { return cmp.Compare(c.Index, index) })
		if !ok {
			return nil
		}
		p[f.Candidates[i].Peer] = uint64(f.Candidates[i].Weight)
	}
	return p
}

// claims returns the actors that name facts of a kind and round, by facts. An actor counts once.
func (f *search) claims(kind casefile.Kind, r uint8) map[casefile.Digest][]casefile.DID {
	out, heard := map[casefile.Digest][]casefile.DID{}, map[casefile.DID]bool{}
	for _, c := range f.Claims {
		if c.Kind == kind && c.Round == r && !heard[c.Actor] {
			heard[c.Actor] = true
			out[c.Facts] = append(out[c.Facts], c.Actor)
		}
	}
	return out
}

// name names facts for people.
func name(kind string, r uint8) string {
	if r == 0 {
		return kind
	}
	return fmt.Sprintf("%s of round %d", kind, r)
}

// establish chooses the facts of a kind and round. Without a panel the facts name it themselves (a
// draw). Facts that refuse has a reason against do not count.
func establish[T casefile.Fact](f *search, kind casefile.Kind, r uint8, seats seatWeights, refuse func(T) string) (doc casefile.Doc[T], best Support, fault *Doubt) {
	what, claims := name(string(kind), r), f.claims(kind, r)
	if len(claims) == 0 {
		return doc, best, &Doubt{"$.events", fmt.Sprintf("no seat testifies to the %s: it did not take place yet, or it was left out", what), true}
	}
	problem := &Doubt{Path: "$.events", Detail: "no seat testifies to the " + what}
	heard := 0
	for _, hash := range slices.SortedFunc(maps.Keys(claims), casefile.Digest.Compare) {
		d, bad := read[T](f, kind, r, hash)
		p := seats
		if bad == nil && p == nil {
			p = panelOf(any(d.Value).(casefile.DrawFact))
		}
		t := weigh(claims[hash], p)
		if bad == nil && refuse != nil {
			if why := refuse(d.Value); why != "" {
				problem = &Doubt{Path: "$.events", Detail: fmt.Sprintf("%d seats testify to a %s, which cannot have taken place: %s", len(claims[hash]), what, why)}
				continue
			}
		}
		heard += t.Seats
		switch {
		case bad != nil && (p == nil || 2*t.Seats > t.Of):
			problem = bad // enough seats may name it, but it cannot be read
		case bad == nil && t.Seats > best.Seats:
			t.Fact, t.Round, t.Hash = string(kind), r, hash
			best, doc = t, d
		case bad == nil && t.Seats == best.Seats && t.Seats > 0:
			return doc, best, &Doubt{Path: "$.events", Detail: fmt.Sprintf("the seats contradict each other: %d name one %s and %d another", t.Seats, what, best.Seats)}
		}
	}
	switch {
	case best.Seats == 0:
		return doc, best, problem
	case 2*best.Seats <= best.Of || 2*best.Weight <= best.Total:
		return doc, best, &Doubt{"$.events", fmt.Sprintf("only %d of %d seats, with %d of %d lamports of weight, testify to the %s; more than half of both is needed",
			best.Seats, best.Of, best.Weight, best.Total, what), heard == best.Seats}
	}
	best.Others = heard - best.Seats
	return doc, best, nil
}

// weigh counts the seats of a panel among the actors.
func weigh(actors []casefile.DID, p seatWeights) Support {
	t := Support{Of: len(p), Total: casefile.Amount(p.total())}
	for _, actor := range actors {
		if w, ok := p[actor]; ok {
			t.Seats++
			t.Weight += casefile.Amount(w)
		}
	}
	return t
}

// read reads the fact document with that hash.
func read[T casefile.Fact](f *search, kind casefile.Kind, r uint8, hash casefile.Digest) (casefile.Doc[T], *Doubt) {
	content, err := f.Blob(hash)
	if err != nil {
		if !errors.Is(err, casefile.ErrNoBlob) {
			f.err = cmp.Or(f.err, err)
		}
		return casefile.Doc[T]{}, &Doubt{Path: "$.blobs", Detail: fmt.Sprintf("the %s facts %s are not in the file", kind, hash)}
	}
	path := "$.blobs." + hash.String()
	doc, err := casefile.ReadFact[T](kind, content)
	if err != nil {
		return doc, &Doubt{Path: path, Detail: err.Error()}
	}
	if s := doc.Value.Stamped(); s.Network != f.Network || s.Program != f.Program || s.Case != f.Case {
		return doc, &Doubt{Path: path, Detail: "the facts are of another case, program or network"}
	}
	if doc.Value.About() != r {
		return doc, &Doubt{Path: path, Detail: "the facts are of another round"}
	}
	return doc, nil
}
