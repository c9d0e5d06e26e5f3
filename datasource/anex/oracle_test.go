package anex_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ojud/datasource/anex"
	"ojud/test/longtest"
)

// The agreement rule, implemented again with sets: an access name is the set of all paths of three
// steps below it. No name of the tests has the step z, so two narrow names never add up to a wide
// one.
type leaves map[string]bool

func leavesOf(names ...string) leaves {
	out, steps := leaves{}, []string{"a", "b", "ab", "z"}
	for _, x := range steps {
		for _, y := range steps {
			for _, z := range steps {
				leaf := "/" + x + "/" + y + "/" + z
				for _, name := range names {
					out[leaf] = out[leaf] || name == "*" || strings.HasPrefix(leaf+"/", "/"+strings.TrimPrefix(name, "/")+"/")
				}
			}
		}
	}
	return out
}

func (l leaves) within(other leaves) bool {
	for leaf, in := range l {
		if in && !other[leaf] {
			return false
		}
	}
	return true
}

func (l leaves) empty() bool { return l.within(leaves{}) }

func naiveAsked(c anex.Call) leaves {
	if len(c.Access) == 0 {
		return leavesOf("*")
	}
	return leavesOf(anex.Texts(c.Access)...)
}

func subset(a, b []string) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

func naiveCheck(c anex.Call, p anex.Proposal) error {
	granted := leavesOf(p.Access...)
	if !granted.within(naiveAsked(c)) || !subset(p.Promise, anex.Texts(c.Promise)) || c.PriceLimit != nil && *c.PriceLimit < p.Price {
		return anex.ErrBreach
	}
	for _, n := range c.Access {
		if n.Mandatory && !leavesOf(n.Text).within(granted) {
			return anex.ErrMandatory
		}
	}
	for _, n := range c.Promise {
		if n.Mandatory && !subset([]string{n.Text}, p.Promise) {
			return anex.ErrMandatory
		}
	}
	if granted.empty() {
		return anex.ErrNothing
	}
	return nil
}

// some returns a random part of a list, in random order.
func some(r *rand.Rand, all ...string) []string {
	out := slices.Clone(all)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:r.IntN(min(len(out), 4)+1)]
}

func someAccess(r *rand.Rand) []string {
	return some(r, "*", "a", "b", "ab", "/a/ab", "/a/a", "/a/b", "/b/a", "/b/b", "/a/a/a", "/a/a/b", "/b/a/b")
}

func somePromises(r *rand.Rand) []string { return some(r, "p", "q", "r") }

func suffixed(r *rand.Rand, names []string) []anex.Name {
	out := anex.Names(names...)
	for i := range out {
		out[i].Mandatory = r.IntN(3) == 0
	}
	return out
}

func someCall(r *rand.Rand) anex.Call {
	c := anex.Call{Identity: "i", RequestType: "t", Access: suffixed(r, someAccess(r)), Promise: suffixed(r, somePromises(r))}
	if r.IntN(2) == 0 {
		limit := r.Uint64N(4)
		c.PriceLimit = &limit
	}
	return c
}

func TestAgreementAgainstSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[error]int{}
	for range 50_000 {
		c := someCall(r)
		p := anex.Proposal{Access: someAccess(r), Promise: somePromises(r), Price: r.Uint64N(4)}
		want := naiveCheck(c, p)
		if got := anex.CheckProposal(c, p); !errors.Is(got, want) || (got == nil) != (want == nil) {
			t.Fatalf("%+v %+v: %v instead of %v", c, p, got, want)
		}
		seen[want]++
	}
	for _, class := range []error{nil, anex.ErrBreach, anex.ErrMandatory, anex.ErrNothing} {
		if seen[class] < 20 {
			t.Errorf("%v: only %d times", class, seen[class])
		}
	}
}

func TestMeetAgainstSets(t *testing.T) {
	longtest.Only(t)
	r := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		c := someCall(r)
		o := anex.Offer{Access: someAccess(r), Accepted: somePromises(r), Price: r.Uint64N(4)}
		if r.IntN(3) == 0 {
			o.Demand = somePromises(r)
		}
		p, err := anex.Meet(c, o)
		want := naiveMeet(c, o)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Fatalf("%+v %+v: %v instead of %v", c, o, err, want)
		}
		if err != nil {
			continue
		}
		granted, asked, offered := leavesOf(p.Access...), naiveAsked(c), leavesOf(o.Access...)
		for leaf := range asked {
			if granted[leaf] != (asked[leaf] && offered[leaf]) {
				t.Fatalf("%+v %+v: %s: granted is %t in %+v", c, o, leaf, granted[leaf], p)
			}
		}
		if err := anex.CheckProposal(c, p); err != nil && !errors.Is(err, anex.ErrMandatory) {
			t.Fatalf("an honest holder's proposal %+v for %+v: %v", p, c, err)
		}
		for _, promise := range anex.Texts(c.Promise) {
			if slices.Contains(p.Promise, promise) != slices.Contains(append(o.Accepted, o.Demand...), promise) {
				t.Fatalf("%+v %+v: promise %q in %+v", c, o, promise, p)
			}
		}
	}
}

func naiveMeet(c anex.Call, o anex.Offer) error {
	asked, offered, common := naiveAsked(c), leavesOf(o.Access...), false
	for leaf := range asked {
		common = common || asked[leaf] && offered[leaf]
	}
	switch {
	case !subset(o.Demand, anex.Texts(c.Promise)):
		return anex.ErrDemand
	case c.PriceLimit != nil && *c.PriceLimit < o.Price:
		return anex.ErrPrice
	case !common:
		return anex.ErrNothing
	}
	return nil
}

// naiveCut is the cut on decoded values, which checks the path of each.
func naiveCut(v any, at []string, access []string) any {
	leads := func(path []string, whole bool) bool {
		return slices.ContainsFunc(access, func(name string) bool {
			steps := naiveSteps(name)
			if whole {
				return len(steps) <= len(path) && slices.Equal(steps, path[:len(steps)])
			}
			return len(path) <= len(steps) && slices.Equal(path, steps[:len(path)])
		})
	}
	stays := func(v any, path []string) bool {
		_, object := v.(map[string]any)
		_, array := v.([]any)
		return leads(path, true) || (object || array) && leads(path, false)
	}
	if leads(at, true) {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, item := range v {
			if path := append(slices.Clone(at), name); stays(item, path) {
				out[name] = naiveCut(item, path, access)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if stays(item, at) {
				out = append(out, naiveCut(item, at, access))
			}
		}
		return out
	}
	return nil
}

func naiveSteps(name string) []string {
	if name == "*" {
		return nil
	}
	if name[0] != '/' {
		return []string{name}
	}
	steps := strings.Split(name[1:], "/")
	for i, s := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return steps
}

func decoded(t testing.TB, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// someJSON writes a random value with members that the access names of these tests contain.
func someJSON(r *rand.Rand, depth int) string {
	kind := r.IntN(8)
	if depth == 0 {
		kind %= 4
	}
	items := []string{}
	switch kind {
	case 0:
		return "null"
	case 1:
		return "true"
	case 2:
		return `"<ü\u00e9\n>"`
	case 3:
		return "-1.50e+3"
	case 4:
		for range r.IntN(4) {
			items = append(items, someJSON(r, depth-1))
		}
		return "[" + strings.Join(items, " ,\t") + "]"
	}
	for _, name := range some(r, "a", "b", "", "x/y", "~", "ü", `\u007a`) {
		items = append(items, `"`+name+`" : `+someJSON(r, depth-1))
	}
	return "{" + strings.Join(items, ",") + "}"
}

func checkCut(t testing.TB, data []byte, access []string) {
	t.Helper()
	got, lost, err := anex.Cut(data, access)
	if err != nil {
		return
	}
	before := decoded(t, data)
	want := naiveCut(before, nil, access)
	if after := decoded(t, got); !reflect.DeepEqual(after, want) || lost == reflect.DeepEqual(before, want) {
		t.Fatalf("cut %s to %q: %s, lost is %t", data, access, got, lost)
	}
	again, lost, err := anex.Cut(got, access)
	if err != nil || lost || !bytes.Equal(again, got) {
		t.Fatalf("cut %s to %q twice: %s, lost is %t, %v", got, access, again, lost, err)
	}
}

func TestCutAgainstPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 30_000 {
		access := some(r, "*", "a", "b", "/a/a", "/a/b", "/b/ü", "/", "/x~1y", "/~0/a", "ü", "/a/b/a")
		raw := []byte(someJSON(r, 5))
		if _, _, err := anex.Cut(raw, access); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		checkCut(t, raw, access)
	}
}
