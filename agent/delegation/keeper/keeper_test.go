package keeper

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ojud/agent/delegation"
)

// disk is what was persisted.
type disk map[string][]byte

// apply persists the writes of effects and returns the others.
func (d disk) apply(effects []Effect) (rest []Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case Put:
			d[e.Key] = e.Value
		case Delete:
			delete(d, e.Key)
		default:
			rest = append(rest, e)
		}
	}
	return rest
}

func (d disk) load(t *testing.T) *Register {
	s := New()
	for k, v := range d {
		if err := s.Load(k, v); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// tree returns for each of 50 delegates the links from the root, with random budgets that only
// narrow.
func tree(r *rand.Rand) [][]delegation.Link {
	out := [][]delegation.Link{{{ID: "link-0", Budget: delegation.Amounts{1000, 500, delegation.Unlimited}}}}
	for i := 1; i < 50; i++ {
		up := out[r.IntN(len(out))]
		last := up[len(up)-1].Budget
		l := delegation.Link{ID: fmt.Sprintf("link-%d", i), Budget: delegation.Amounts{last[0] - r.Int64N(last[0]/8+1), last[1], delegation.Unlimited}}
		out = append(out, append(slices.Clone(up), l))
	}
	return out
}

// trial lets 50 delegates call at random, kills the executor at random points, and returns the most
// that any link exceeded its budget by. If forgetful, what calls reserve is not persisted.
func trial(t *testing.T, seed uint64, forgetful bool) (over int64, spentAll int64) {
	r := rand.New(rand.NewPCG(seed, 1))
	members := tree(r)
	budget := map[string]int64{}
	for _, m := range members {
		budget[m[len(m)-1].ID] = m[len(m)-1].Budget[0]
	}
	d, truth := disk{}, map[string]int64{} // what was really spent under each link
	s := New()
	running := map[string][]delegation.Link{}
	may := map[string]int64{}
	for i := range 700 {
		switch r.IntN(10) {
		case 0: // the executor dies between any two things
			s = d.load(t)
		case 1, 2, 3, 4, 5: // a delegate calls
			m := members[r.IntN(len(members))]
			id, amount := fmt.Sprintf("call-%d", i), 1+r.Int64N(40)
			effects := s.Step(Asked{Call: id, Permit: delegation.Permit{Links: m, Command: "/x", Spend: delegation.Amounts{amount, 1, 7}}, Expires: 100, Now: 1})
			if r.IntN(20) == 0 { // it dies before it persisted: nothing happened
				s = d.load(t)
				continue
			}
			if forgetful {
				effects = slices.DeleteFunc(effects, func(e Effect) bool { p, ok := e.(Put); return ok && !strings.HasPrefix(p.Key, seenKey) })
			}
			for _, e := range d.apply(effects) {
				if _, ok := e.(Admit); ok {
					running[id], may[id] = m, amount
				}
			}
			if r.IntN(20) == 0 { // it dies after it persisted; the call runs all the same
				s = d.load(t)
			}
		default: // a call ends
			if len(running) == 0 {
				continue
			}
			ids := slices.Sorted(maps.Keys(running))
			id := ids[r.IntN(len(ids))]
			spent := r.Int64N(may[id] + 1)
			for _, l := range running[id] {
				truth[l.ID] += spent
			}
			spentAll += spent
			delete(running, id)
			d.apply(s.Step(Settled{id, delegation.Amounts{spent, 1, 0}}))
		}
	}
	for id, n := range truth {
		over = max(over, n-budget[id])
	}
	return over, spentAll
}

// TestTreeStaysWithinBudget: 50 delegates and random kills never spend more than the budget of any
// link. The control forgets reservations in a crash, and then they do.
func TestTreeStaysWithinBudget(t *testing.T) {
	broken := 0
	for seed := range uint64(8) {
		over, all := trial(t, seed, false)
		if over > 0 || all < 300 {
			t.Errorf("seed %d: %d over a budget; %d spent in all", seed, over, all)
		}
		if over, _ := trial(t, seed, true); over > 0 {
			broken++
		}
	}
	if broken < 6 {
		t.Errorf("the control exceeds a budget for %d of 8 seeds only: this test finds little", broken)
	}
}

// kinds are the types of effects that are no writes.
func kinds(effects []Effect) string {
	var out []string
	for _, e := range (disk{}).apply(effects) {
		switch e := e.(type) {
		case Refuse:
			out = append(out, string(e.Why.Name)+" "+e.Why.Field)
		default:
			out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", e), "keeper."))
		}
	}
	return strings.TrimSpace(strings.Join(out, ","))
}

// TestSteps: replays, budgets, revocations and answers, one after the other.
func TestSteps(t *testing.T) {
	s := New()
	ask := func(id string, spend, now, expires int64, domains ...string) Asked {
		links := []delegation.Link{{ID: "A", Budget: delegation.Amounts{100, delegation.Unlimited, delegation.Unlimited}, Until: 5000}, {ID: "B", Budget: delegation.Amounts{60, 0, 5}, Until: 5000}}
		return Asked{Call: id, Permit: delegation.Permit{Links: links, Command: "/x", Spend: delegation.Amounts{spend}, Approval: []string{"finance"}}, Expires: expires, Domains: domains, Now: now}
	}
	for i, c := range []struct {
		event Occurrence
		want  string
	}{
		{ask("1", 50, 0, 100), "Admit"},
		{ask("1", 5, 0, 100), "Replayed nonce"},
		{ask("2", 11, 0, 100), "OverBudget budget.lamports"},
		{ask("2", 10, 0, 100), "Admit"},
		{Settled{"1", delegation.Amounts{51}}, "OverBudget spend.lamports"},
		{Settled{"1", delegation.Amounts{0, 1}}, "OverBudget spend.tokens"},
		{Settled{"1", delegation.Amounts{20}}, ""},
		{Settled{"1", delegation.Amounts{20}}, "InvalidClaim call"},
		{ask("3", 31, 0, 100), "OverBudget budget.lamports"},
		{ask("3", 30, 0, 100, "pii"), "Admit"},
		{Settled{"3", delegation.Amounts{}}, ""},
		{ask("4", 30, 0, 1000, "finance"), "Wait"},
		{ask("5", 1, 0, 1000), "OverBudget budget.lamports"}, // what waits is reserved
		{Settled{"4", delegation.Amounts{}}, "InvalidClaim call"},
		{Answered{"4", false, 1}, "NotApproved approval"},
		{Answered{"4", true, 1}, "InvalidClaim call"},
		{ask("6", 30, 0, 2000, "finance"), "Wait"},
		{Answered{"6", true, 1}, "Admit"},
		{Settled{"6", delegation.Amounts{}}, ""},
		{ask("7", 1, 0, 2000, "finance"), "Wait"},
		{Answered{"7", true, answerTime}, "NotApproved approval"},
		{ask("8", 1, 0, 2000, "finance"), "Wait"},
		{Passed{answerTime - 1}, ""},
		{Passed{answerTime}, "NotApproved approval"},
		{ask("9", 1, 0, 2000, "finance"), "Wait"},
		{Revoked{"B", 5000}, "Stop,Revoked"}, // 2 runs, and 9 waits
		{Answered{"9", true, 1}, "InvalidClaim call"},
		{Revoked{"B", 5000}, "Stop"}, // a crash left the file
		{ask("10", 1, 0, 2000), "Revoked"},
		{ask("11", 1, 0, 2*maxLife), "InvalidClaim exp"},
		{ask("3", 1, 0, 100), "Expired exp"}, // the call is forgotten, and nobody knows any more that it was made
		{ask("12", 1, 0, 2000), "Revoked"},
	} {
		if got := kinds(s.Step(c.event)); got != c.want {
			t.Errorf("step %d %+v: %q, want %q", i, c.event, got, c.want)
		}
	}
	if spent, reserved := s.Spent("A"); spent[0] != 20 || reserved[0] != 10 {
		t.Errorf("%v, %v", spent, reserved)
	}
	if open := s.Open(); len(open) != 1 || open["2"].Command != "/x" {
		t.Errorf("%v", open)
	}
}

// TestLoad: a damaged value, or one of another version, is an error.
func TestLoad(t *testing.T) {
	for _, key := range []string{"", "x", "c/1", "s/1", "n/1", "r/1", "t/", "z/1"} {
		if err := New().Load(key, []byte("{")); err == nil {
			t.Errorf("%q was taken", key)
		}
	}
}
