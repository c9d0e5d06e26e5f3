package casefile

import (
	"cmp"
	"encoding/base64"
	"errors"
	"maps"
	"slices"

	"ojud/voting"
)

// packing chooses the content of a file, because events may name far more than a file has room for:
// first the facts, those of most actors first, then the documents of the case, and then the rest,
// in which the owner with the least so far always has the next turn. So one actor cannot take the
// room of the others. An actor owns what its events name, and a party the exhibits of its pleading.
type packing struct {
	get     func(Digest) ([]byte, error)
	room    int
	seen    map[Digest]bool
	out     map[Digest]Content
	missing []voting.Hash
	err     error
	queues  map[string][]Digest // of what is left, by owner
}

// pack chooses content for events. The error is one of get other than ErrNoBlob.
func pack(events []Event, room int, get func(Digest) ([]byte, error)) (out map[Digest]Content, missing []voting.Hash, err error) {
	p := &packing{get: get, room: room, seen: map[Digest]bool{{}: true}, out: map[Digest]Content{}, queues: map[string][]Digest{}}
	p.facts(events)
	for _, first := range []bool{true, false} { // an actor's opinions before what it was told
		for _, e := range events {
			if isFact := e.Kind == KindOpen || e.Kind == KindDraw || e.Kind == KindSettle || e.Kind == KindOutcome; !isFact && first == (e.Kind == KindOpinion || e.Kind == KindVote) {
				p.queue(e.Actor.String(), e.Names()...)
			}
		}
	}
	p.share()
	return p.out, p.missing, p.err
}

// take puts content into the file if it is here and has room, and returns what it costs.
func (p *packing) take(hash Digest, most int) (cost int) {
	if p.seen[hash] || p.err != nil {
		return 0
	}
	p.seen[hash] = true
	content, err := p.get(hash)
	cost = base64.StdEncoding.EncodedLen(len(content)) + 128
	switch {
	case errors.Is(err, ErrNoBlob), err == nil && (len(content) > most || cost > p.room):
		p.missing = append(p.missing, voting.Hash(hash))
		return 0
	case err != nil:
		p.err = err
		return 0
	}
	p.room -= cost
	p.out[hash] = content
	return cost
}

func (p *packing) queue(owner string, hashes ...Digest) {
	if len(hashes) > 0 {
		p.queues[owner] = append(p.queues[owner], hashes...)
	}
}

// facts takes the facts that events name, and the documents of the opening that most actors name.
// Those of other openings, which are not established, belong to the actors that name them.
func (p *packing) facts(events []Event) {
	type claim struct {
		kind  Kind
		facts Digest
	}
	actors := map[claim]map[DID]bool{}
	for _, e := range events {
		body, err := e.ParsedBody()
		if err != nil {
			continue
		}
		c := claim{kind: e.Kind}
		switch b := body.(type) {
		case FactBody:
			c.facts = b.Facts
		case RoundFactBody:
			c.facts = b.Facts
		default:
			continue
		}
		if actors[c] == nil {
			actors[c] = map[DID]bool{}
		}
		actors[c][e.Actor] = true
	}
	opened := false
	for _, c := range slices.SortedFunc(maps.Keys(actors), func(a, b claim) int {
		return cmp.Or(len(actors[b])-len(actors[a]), a.facts.Compare(b.facts), cmp.Compare(a.kind, b.kind))
	}) {
		p.take(c.facts, MaxDocument)
		f, err := read[OpenFact]("open facts", p.out[c.facts], MaxDocument)
		if c.kind != KindOpen || err != nil {
			continue
		}
		if !opened {
			opened = true
			p.documents(f.Value.Task)
			continue
		}
		for actor := range actors[c] {
			p.queue(actor.String(), f.Value.Task.TaskHash, f.Value.Task.ResultHash, f.Value.Task.ObjectionHash, f.Value.Task.CounterHash)
		}
	}
}

// documents takes the documents of the case, and queues the exhibits of its parties.
func (p *packing) documents(t TaskTerms) {
	for i, hash := range []Digest{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash} {
		p.take(hash, MaxBlob)
		if o, err := ParseObjection(p.out[hash]); i >= 2 && err == nil {
			for _, e := range o.Value.Evidence {
				p.queue([]string{"creator", "worker"}[i-2], e.SHA256)
			}
		}
	}
}

// share gives the rest of the room to the owners.
func (p *packing) share() {
	owners := slices.Sorted(maps.Keys(p.queues))
	used := map[string]int{}
	for len(owners) > 0 && p.err == nil {
		next := slices.MinFunc(owners, func(a, b string) int { return cmp.Compare(used[a], used[b]) })
		used[next] += p.take(p.queues[next][0], MaxBlob)
		if p.queues[next] = p.queues[next][1:]; len(p.queues[next]) == 0 {
			owners = slices.DeleteFunc(owners, func(o string) bool { return o == next })
		}
	}
}
