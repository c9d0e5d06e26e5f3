package megabrain

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// TestAttackManyTasks: thousands of tasks of a stranger came before the reveal of the key's own
// result, and the results of their outcomes were fetched and kept.
func TestAttackManyTasks(t *testing.T) {
	d, class := &Desk{self: onchain.Address{1}}, onchain.Address{8}
	task := func(n byte, deadline int64, worker byte) Seen {
		k := &brain.TaskAccount{Parties: brain.Parties{Requester: onchain.Address{9}, Class: class}, Counts: brain.Counts{Drawn: 1}}
		k.Status = brain.Working
		k.Clock.Deadline, k.Work[0].Agent = deadline, onchain.Address{worker}
		return Seen{At: onchain.Address{n}, Task: k}
	}
	all := []Seen{task(1, 10, 2), task(2, 90, 1), task(3, 5, 3), task(4, 50, 1), task(5, 5, 4)}
	program, asked := onchain.Address{5}, 0
	own := places{}
	for range 2 { // what was read once is not read again
		heads := make([]Seen, len(all))
		for i, s := range all { // a list has no seats
			k := *s.Task
			k.Work = [brain.MaxSeats]brain.WorkSeat{}
			heads[i] = Seen{At: s.At, Task: &k}
		}
		if err := own.read(t.Context(), d.self, program, heads, func(_ context.Context, at []onchain.Address) (out []*ledger.Account, err error) {
			asked += len(at)
			for _, one := range at {
				k := all[slices.IndexFunc(all, func(s Seen) bool { return s.At == one })].Task
				k.Head.Kind, k.Head.Version = brain.Kind("Task"), brain.Version
				data, err := binary.Append(nil, binary.LittleEndian, k)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, &ledger.Account{Owner: program, Data: data})
			}
			return out, nil
		}); err != nil || asked != len(all) {
			t.Fatalf("%v, %d were read", err, asked)
		}
	}
	own.first(all)
	var got []byte
	for _, s := range all {
		got = append(got, s.At[0])
	}
	if want := []byte{4, 2, 3, 5, 1}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	mine, other := all[0].Task, all[4].Task
	wanted := *other
	wanted.Parties.Requester = d.self
	for what, c := range map[string]struct {
		task  *brain.TaskAccount
		crank Crank
		want  bool
	}{
		"its own": {mine, Crank{}, true}, "a stranger's": {other, Crank{}, false}, "one that it asked for": {&wanted, Crank{}, true},
		"of a class that it names": {other, Crank{Classes: []onchain.Address{class}}, true},
	} {
		if got := c.crank.concerns(d, c.task); got != c.want {
			t.Errorf("%s: looked at %t, want %t", what, got, c.want)
		}
	}
}

// TestDueLinks: a member's record in a near class is shown once, in each role that it has in both.
func TestDueLinks(t *testing.T) {
	t.Parallel()
	self, one, two := onchain.Address{1}, onchain.Address{7}, onchain.Address{8}
	in := func(r brain.Role) brain.Member { return brain.Member{Agent: self, Role: r, State: 1} }
	c := &brain.ClassAccount{Near: []onchain.Address{one, two}, Members: []brain.Member{in(brain.WorkerRole), in(brain.EvaluatorRole), {Agent: onchain.Address{9}, Role: brain.WorkerRole, State: 1}}}
	near := []*brain.ClassAccount{{Members: []brain.Member{in(brain.EvaluatorRole)}}, nil}
	args, to := due(c, near, self)
	if len(args) != 1 || args[0] != (brain.LinkArgs{Role: brain.EvaluatorRole, Agent: self}) || to[0] != one {
		t.Errorf("%+v, %v", args, to)
	}
	c.Members[1].Links[0].Place = 1
	if args, _ := due(c, near, self); len(args) != 0 {
		t.Errorf("a second link: %+v", args)
	}
	near[0].Members = append([]brain.Member{{}}, near[0].Members...) // it left, and came back
	if args, _ := due(c, near, self); len(args) != 1 {
		t.Errorf("a link to an old place: %+v", args)
	}
}
