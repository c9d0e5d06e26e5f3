package casefile

import (
	"cmp"
	"maps"
	"slices"

	"ojud/casefile/room"
)

// pack chooses content for a file: the facts, those of most actors first, the documents, and the
// rest in turns of its owners: actors, with their opinions first, and the parties with exhibits.
func pack(events []Event, r *room.Room[Digest]) {
	actors := map[Digest]map[DID]bool{}
	opens := map[Digest]bool{}
	for _, first := range []bool{true, false} {
		for _, e := range events {
			switch names := e.Names(); {
			case len(names) == 0:
			case e.Kind == KindOpen || e.Kind == KindDraw || e.Kind == KindSettle || e.Kind == KindOutcome:
				if actors[names[0]] == nil {
					actors[names[0]] = map[DID]bool{}
				}
				actors[names[0]][e.Actor] = true
				opens[names[0]] = opens[names[0]] || e.Kind == KindOpen
			case first == (e.Kind == KindOpinion || e.Kind == KindVote):
				r.Queue(e.Actor.String(), names...)
			}
		}
	}
	for _, hash := range slices.SortedFunc(maps.Keys(actors), func(a, b Digest) int {
		return cmp.Or(len(actors[b])-len(actors[a]), a.Compare(b))
	}) {
		r.Take(hash, MaxDocument)
		if f, err := read[OpenFact]("open facts", r.Content[hash], MaxDocument); opens[hash] && err == nil {
			t := f.Value.Task
			clear(opens) // the others are not those of most actors
			for i, paper := range []Digest{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash} {
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
