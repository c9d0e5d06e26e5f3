package casefile

import (
	"cmp"
	"maps"
	"slices"

	"ojud/casefile/room"
)

// about is facts that are named as those of a kind and round, or a document that is named as what
// kind says.
type about struct {
	facts Digest
	kind  Kind
	round uint8
}

// about says as what the event names facts.
func (e Event) about(facts Digest) about {
	body, _ := e.ParsedBody() // it can be read, because Names found a hash in it
	return about{facts, e.Kind, RoundOf(body)}
}

// pack chooses content for a file: the facts, those of most actors first, the documents, and the
// rest in turns of its owners: actors, with their opinions first, and the parties with exhibits.
// The lists of candidates of a round are those of the draw that most actors name.
func pack(events []Event, r *room.Room[Digest]) {
	actors := map[about]map[DID]bool{}
	said, opens, drawn := map[about]Event{}, true, map[uint8]bool{}
	for _, first := range []bool{true, false} {
		for _, e := range events {
			switch names := e.Names(); {
			case len(names) == 0:
			case e.Kind == KindOpen || e.Kind == KindDraw || e.Kind == KindSettle || e.Kind == KindOutcome:
				one := e.about(names[0])
				if actors[one] == nil {
					actors[one] = map[DID]bool{}
				}
				actors[one][e.Actor], said[one] = true, e
			case first == (e.Kind == KindOpinion || e.Kind == KindVote):
				r.Queue(e.Actor.String(), names...)
			}
		}
	}
	for _, one := range slices.SortedFunc(maps.Keys(actors), func(a, b about) int {
		return cmp.Or(len(actors[b])-len(actors[a]), a.facts.Compare(b.facts), cmp.Compare(a.kind, b.kind), cmp.Compare(a.round, b.round))
	}) {
		r.Take(one.facts, MaxDocument)
		if one.kind == KindDraw && !drawn[one.round] {
			drawn[one.round] = true
			for _, list := range said[one].Lists(r.Content[one.facts]) {
				r.Take(list, MaxDocument)
			}
		}
		if one.kind != KindOpen || !opens {
			continue
		}
		if f, err := read[OpenFact]("open facts", r.Content[one.facts], MaxDocument); err == nil {
			opens = false // the others are not those of most actors
			for i, paper := range f.Value.Task.papers() {
				r.Take(paper, MaxBlob)
				if task, err := ParseTask(r.Content[paper]); i == 0 && err == nil {
					r.Queue("creator", task.Value.Modules()...)
				}
				if o, err := ParseObjection(r.Content[paper]); i >= 2 && err == nil {
					for _, e := range o.Value.Evidence {
						r.Queue([]string{"creator", "worker"}[i-2], e.SHA256)
					}
				}
			}
		}
	}
	r.Share(MaxBlob)
}
