package warden

import (
	"errors"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
)

// TestAttackPace: a delegate that asks without end, by whatever keys, is refused before a line is
// written. Others are not, and in the next hour it may ask again.
func TestAttackPace(t *testing.T) {
	t.Parallel()
	operator, mallory, helper, carol, executor := newKey(0), newKey(1), newKey(2), newKey(3), newKey(4)
	w, err := Open(t.TempDir(), operator)
	if err != nil {
		t.Fatal(err)
	}
	now, target, payload := time.Now(), host.Target{Agent: "a", Capability: "do"}, []byte("1")
	link := func(by key, to key, before ...*delegation.Delegation) []*delegation.Delegation {
		t.Helper()
		d, err := delegation.Issue(by, to.Principal(), delegation.Scope{Allow: []string{"/a/do"}, Budget: delegation.Amounts{-1, -1, -1}, Until: now.Unix() + 3600, NotBefore: now.Unix() - 1}, before, nil, now)
		if err != nil {
			t.Fatal(err)
		}
		return append(before, d)
	}
	ask := func(by key, chain []*delegation.Delegation) string {
		t.Helper()
		v, err := Sign(by, chain, executor.Principal(), target, payload, delegation.Amounts{}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var refused *host.Refused
		if _, err := w.Receive(v); err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		} else if err != nil {
			return refused.Name
		}
		return "yes"
	}
	ofMallory, ofCarol := link(operator, mallory), link(operator, carol)
	if got := ask(mallory, ofMallory); got != "yes" {
		t.Fatal(got)
	}
	w.pace.of[mallory.Principal()] = hourly
	if got := ask(mallory, ofMallory); got != "Busy" {
		t.Error(got)
	}
	if got := ask(helper, link(mallory, helper, ofMallory...)); got != "Busy" {
		t.Errorf("another key of the delegate: %s", got)
	}
	if got := ask(carol, ofCarol); got != "yes" {
		t.Errorf("another delegate: %s", got)
	}
	w.pace.hour--
	if got := ask(mallory, ofMallory); got != "yes" {
		t.Errorf("in the next hour: %s", got)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
