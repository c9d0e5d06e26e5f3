package keeper

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ojud/agent/delegation"
)

// visit is a call under a chain that begins with a link to a delegate. The second link is the
// delegate's own work, and may be a new one for each call.
func visit(to byte, call, second string, spend, expires, until, now int64, domains ...string) Asked {
	free := delegation.Amounts{delegation.Unlimited, delegation.Unlimited, delegation.Unlimited}
	return Asked{
		Call: call, Expires: expires, Now: now, Domains: domains,
		Permit: delegation.Permit{
			Links:   []delegation.Link{{ID: fmt.Sprint("root-", to), To: delegation.Principal{to}, Budget: free, Until: until}, {ID: second, To: delegation.Principal{9, to}, Budget: free, Until: until}},
			Command: "/x", Spend: delegation.Amounts{0, spend}, Approval: []string{"finance"},
		},
	}
}

// smaller is a Register for fewer of each, so that a test fills it soon.
func smaller() *Register {
	s := New()
	s.ofSeen.most, s.ofCalls.most, s.ofSpent.most = maxSeen/100, maxOpen/20, maxLinks/100
	return s
}

// TestAttackOneDelegateFillsTheRegister: one delegate, that makes itself ever new links and never
// asks twice, fills nothing that others need: not the calls that are remembered, not the links with
// spending, not the calls that run, and not those that wait for a person. It hears which limit it
// has reached. The control counts nobody apart, and then others are refused.
func TestAttackOneDelegateFillsTheRegister(t *testing.T) {
	t.Parallel()
	const now, late = 1_000, 1_000 + maxLife
	for name, k := range map[string]struct {
		spend    int64
		settles  bool
		domains  []string
		limit    int
		mentions string
	}{
		"remembered": {0, true, nil, maxSeen / 500, "remembered"},
		"spending":   {1, true, nil, maxLinks/500 - 1, "spending"},
		"running":    {0, false, nil, maxOpen / 100, "run or wait"},
		"waiting":    {0, false, []string{"finance"}, maxWaits / 5, "wait for a person"},
	} {
		for _, apart := range []bool{true, false} {
			s, mallory, carol := smaller(), byte(1), byte(2)
			var why *delegation.Refusal
			taken := 0
			for ; why == nil && taken <= maxSeen; taken++ {
				id := fmt.Sprint(name, taken)
				ask := visit(mallory, id, "link-"+id, k.spend, late, late, now, k.domains...)
				if !apart {
					ask.Permit.Links[0].To = delegation.Principal{}
				}
				for _, e := range s.Step(ask) {
					if r, refused := e.(Refuse); refused {
						why = r.Why
					}
				}
				if !apart { // as if the whole register were one delegate's
					s.ofSeen.of, s.ofCalls.of, s.ofWaits.of, s.ofSpent.of = map[delegate]int{}, map[delegate]int{}, map[delegate]int{}, map[delegate]int{}
				}
				if k.settles && why == nil {
					s.Step(Settled{id, delegation.Amounts{0, k.spend}})
				}
			}
			if why == nil || why.Name != delegation.Busy || !strings.Contains(why.Why, k.mentions) || apart && taken-1 != k.limit {
				t.Errorf("%s: refused after %d calls: %v", name, taken-1, why)
			}
			if got := kinds(s.Step(visit(carol, "carol", "link-carol", 1, late, late, now))); apart && got != "Admit" {
				t.Errorf("%s: another delegate is not served: %s", name, got)
			} else if !apart && name != "waiting" && !strings.HasPrefix(got, "Busy") {
				t.Errorf("%s: the control serves another delegate: %s", name, got)
			}
		}
	}
}

// TestAttackManyDelegates: twenty delegates that each take all they get leave room for one more.
func TestAttackManyDelegates(t *testing.T) {
	t.Parallel()
	const now, late = 1_000, 1_000 + maxLife
	s := smaller()
	for d := range byte(20) {
		for n, got := 0, "Admit"; got == "Admit"; n++ {
			id := fmt.Sprint(d, "-", n)
			got = kinds(s.Step(visit(d+1, id, "link-"+id, 0, late, late, now)))
			s.Step(Settled{id, delegation.Amounts{}})
		}
	}
	for n := range 2 {
		if got := kinds(s.Step(visit(99, fmt.Sprint("last-", n), "link", 1, late, late, now))); got != "Admit" {
			t.Fatalf("call %d of the last delegate: %s", n, got)
		}
	}
}

// TestAttackForgottenIsNotRepeated: everything in the register has an end, and what is forgotten is
// refused, also if the clock is set back to a time at which it was good, and after each restart.
func TestAttackForgottenIsNotRepeated(t *testing.T) {
	t.Parallel()
	s, d := New(), disk{}
	step := func(e Occurrence) string {
		t.Helper()
		effects := s.Step(e)
		out := kinds(effects)
		d.apply(effects)
		s = d.load(t)
		return out
	}
	first := visit(1, "first", "a", 5, 1_100, 2_000, 1_000)
	first.Permit.Links[1].Budget[1] = 5
	if got := step(first); got != "Admit" {
		t.Fatal(got)
	}
	step(Passed{1_100 + late + 1}) // it still runs, so it is remembered
	if got := step(first); got != "Replayed nonce" {
		t.Error(got)
	}
	step(Settled{"first", delegation.Amounts{0, 5}})
	step(Revoked{"b", 2_000})
	again := first
	again.Call, again.Expires, again.Now = "again", 2_200, 1_250
	if got := step(again); got != "OverBudget budget.tokens" {
		t.Error(got)
	}
	step(Passed{1_100 + late + 1})
	if len(s.seen) != 0 {
		t.Errorf("%v", s.seen)
	}
	first.Now = 1_010 // the clock went back
	if got := step(first); got != "Expired exp" {
		t.Errorf("a call is made twice: %s", got)
	}
	step(Passed{2_000 + late + 1})
	if len(s.spent)+len(s.revoked)+len(s.calls) != 0 {
		t.Errorf("%v, %v, %v", s.spent, s.revoked, s.calls)
	}
	if left := slices.Sorted(maps.Keys(d)); len(left) != 1 || left[0] != horizonKey {
		t.Errorf("the disk has %q", left)
	}
	again.Now = 1_500
	if got := step(again); got != "Expired exp" {
		t.Errorf("the budget of a link is spent twice: %s", got)
	}
	if got := step(visit(1, "b", "b", 0, 2_200, 2_000, 1_500)); got != "Expired exp" {
		t.Errorf("a link that was taken back is good again: %s", got)
	}
	if got := step(visit(1, "c", "c", 1, 2_400, 9_000, 2_300)); got != "Admit" {
		t.Errorf("a control: %s", got)
	}
}

// TestEarlierVersion: what an earlier version kept is taken over: a number for a call, and spending
// without an end, which gets one when its link is used.
func TestEarlierVersion(t *testing.T) {
	t.Parallel()
	d := disk{
		"n/old": []byte("1220"), "s/a": []byte(`{"spent":[0,4,0],"reserved":[0,0,0]}`), "s/zero": []byte(`{"spent":[0,0,0],"reserved":[0,0,0]}`), "r/x": []byte("true"),
		"c/open": []byte(`{"caller":"` + delegation.Principal{3}.String() + `","executor":"` + delegation.Principal{4}.String() + `","links":["zero"],"spend":[0,0,0]}`),
	}
	s := d.load(t)
	ask := visit(1, "old", "a", 1, 1_100, 2_000, 1_000)
	ask.Permit.Links[1].Budget[1] = 4
	if got := kinds(s.Step(ask)); got != "Replayed nonce" {
		t.Error(got)
	}
	if ask.Call = "new"; kinds(s.Step(ask)) != "OverBudget budget.tokens" {
		t.Error("the budget of an earlier version is spent again")
	}
	ask.Permit.Links[1].Budget[1] = 5
	d.apply(s.Step(ask))
	d.apply(s.Step(Settled{"new", delegation.Amounts{0, 1}}))
	d.apply(s.Step(Settled{"open", delegation.Amounts{}}))
	d.apply(s.Step(Passed{2_000 + late + 1}))
	if left := slices.Sorted(maps.Keys(d)); strings.Join(left, " ") != "r/x t/" {
		t.Errorf("the disk has %q", left)
	}
	if !d.load(t).IsRevoked("x") {
		t.Error("a revocation is forgotten")
	}
}
