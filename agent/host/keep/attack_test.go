package keep

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/agent/host"
)

// TestAttackMemory: what an agent knows of one guest it does not know in the calls of another, nor
// the operator's. One guest does not push out what the operator's calls left or taught, and a
// delegate that calls by ever new keys pushes out none but its own.
func TestAttackMemory(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	at := int64(0)
	learn := func(of, kind, when string) {
		t.Helper()
		at++
		if err := d.Learn("a", Recollection{Kind: kind, Of: of, When: when, Then: "then", At: at}, 30); err != nil {
			t.Fatal(err)
		}
	}
	show := func(circles ...string) string {
		t.Helper()
		found, err := d.Recall("a", circles, "", "", 10_000)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range found {
			out = append(out, r.When)
		}
		slices.Sort(out)
		return strings.Join(slices.Compact(out), " ")
	}
	carol := host.Behalf{Guest: "did:key:zCarol", Delegate: "did:key:zCarol"}
	helper := host.Behalf{Guest: "did:key:zHelper", Delegate: "did:key:zCarol"}
	learn("", Working, "own")
	learn("", Pattern, "own-pattern")
	learn(Taught, Pattern, "taught")
	learn(carol.Circle(), Working, "carol")
	learn(helper.Circle(), Pattern, "helper")
	for _, k := range []struct {
		of   host.Behalf
		want string
	}{
		{host.Behalf{}, "own own-pattern taught"},
		{carol, "carol taught"},
		{helper, "helper taught"},
		{host.Behalf{Guest: "did:key:zC", Delegate: "did:key:zC"}, "taught"},
	} {
		if got := show(Known(k.of)...); got != k.want {
			t.Errorf("%+v knows %q, not %q", k.of, got, k.want)
		}
	}
	if got := show(); got != "carol helper own own-pattern taught" {
		t.Errorf("the operator sees %q", got)
	}
	for n := range 40 {
		b := host.Behalf{Guest: fmt.Sprint("did:key:z", n), Delegate: "did:key:zMallory"}
		learn(b.Circle(), Working, "junk")
	}
	mallory := host.Behalf{Guest: "did:key:zMallory", Delegate: "did:key:zMallory"}
	for range 3 * ofGuest {
		learn(mallory.Circle(), Working, "junk")
		learn(mallory.Circle(), Pattern, "junk")
	}
	if got := show(); got != "carol helper junk own own-pattern taught" {
		t.Errorf("after many calls of another: %q", got)
	}
	all, err := d.Recall("a", nil, "", "", 10_000)
	if err != nil || len(all) > 5+2*ofGuest+underOne {
		t.Errorf("%d memories are kept, %v", len(all), err)
	}
	for n := range guests + 10 {
		b := host.Behalf{Guest: fmt.Sprint("did:key:y", n), Delegate: fmt.Sprint("did:key:y", n)}
		learn(b.Circle(), Working, "new")
	}
	all, err = d.Recall("a", nil, Working, "", 10_000)
	if err != nil || len(all) > 1+guests+ofGuest {
		t.Errorf("%d memories of guests are kept, %v", len(all), err)
	}
	if got := show(Known(host.Behalf{})...); got != "own own-pattern taught" {
		t.Errorf("the operator's calls know %q", got)
	}
	if err := d.Learn("a", Recollection{Kind: Working, Of: "x/y"}, 3); err == nil {
		t.Error("a circle reaches into other keys")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestAttackPushOut: calls that end for guests push out no call of the operator, so that a call of
// the operator that is repeated is not made twice. The control is pushed out by the operator's own.
func TestAttackPushOut(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	mine := ended(0)
	save := func(guest string, from int) {
		t.Helper()
		p := host.Consequence{}
		for n := range keptCalls + 150 {
			c := ended(from + n)
			if c.Guest, c.Delegate = guest, guest; guest != "" {
				c.Caller = guest
			}
			p.Calls = append(p.Calls, c)
		}
		if err := errors.Join(d.Save(p), d.Save(host.Consequence{Calls: p.Calls[:1]})); err != nil {
			t.Fatal(err)
		}
	}
	known := func(want bool) {
		t.Helper()
		if _, found, err := d.Given(mine); err != nil || found != want {
			t.Errorf("the operator's call is known: %t, %v", found, err)
		}
	}
	if err := d.Save(host.Consequence{Calls: []host.Invocation{mine}}); err != nil {
		t.Fatal(err)
	}
	save("did:key:zMallory", 10_000)
	known(true)
	seen := 0
	last := int64(1 << 62)
	if err := d.Ended("a", func(c host.Invocation) bool {
		if seen++; c.Ended > last {
			t.Errorf("the call of %d comes after that of %d", c.Ended, last)
		}
		last = c.Ended
		return true
	}); err != nil || seen < keptCalls || last != mine.Ended {
		t.Errorf("%d ended calls are listed, the last of %d, %v", seen, last, err)
	}
	save("", 20_000)
	known(false)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
