package shell

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/warden"
	"ojud/ledger/transact"
)

// counting writes a line for each run. It sleeps if the payload says so.
const counting = `#!/bin/sh
in=$(cat)
echo run >> runs
case "$in" in
*'"payload":"sleep"'*) sleep 600 ;;
*'"payload":"slow"'*) sleep 0.3 ;;
esac
echo '"done"'
`

// stranger makes a key that this host does not have.
func stranger(t *testing.T) Signer {
	t.Helper()
	key, _, err := transact.LoadOrCreateKeypair(filepath.Join(t.TempDir(), "key.json"))
	if err != nil {
		t.Fatal(err)
	}
	return Signer{key}
}

// permits gives a key a link of the operator.
func permits(t *testing.T, owner, to Signer, allow ...string) []*delegation.Delegation {
	t.Helper()
	now := time.Now()
	d, err := delegation.Issue(owner, to.Principal(), delegation.Scope{Allow: allow, Budget: delegation.Amounts{-1, -1, -1}, Until: now.Unix() + 3600, NotBefore: now.Unix() - 1}, nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return []*delegation.Delegation{d}
}

// signed makes the order of a signed call.
func signed(t *testing.T, h *Host, by Signer, chain []*delegation.Delegation, target host.Target, payload string) order {
	t.Helper()
	raw, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	v, err := warden.Sign(by, chain, Signer{h.keys[target.Agent]}.Principal(), target, raw, delegation.Amounts{}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return order{Target: target.String(), Payload: raw, Invocation: v.Call, Onward: v.Onward}
}

// counter makes a home with an agent that counts its runs.
func counter(t *testing.T) (dir string, runs func() int) {
	t.Helper()
	dir = home(t)
	if err := os.WriteFile(filepath.Join(dir, Folder, "program.sh"), []byte(counting), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, func() int {
		raw, err := os.ReadFile(filepath.Join(dir, Folder, "work", "a2", "runs"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(raw), "run")
	}
}

func refusedAs(err error) string {
	var r *host.Refused
	if errors.As(err, &r) {
		return r.Name
	}
	return ""
}

// TestAttackSentAgain: a signed call that is sent again, eight times at once, after its end, or
// after a restart, gives each sender the end of the one call. It is made once. When its link was
// taken back, nobody hears its end any more.
func TestAttackSentAgain(t *testing.T) {
	t.Parallel()
	dir, runs := counter(t)
	h := open(t, dir)
	carol, do := stranger(t), host.Target{Agent: "a2", Capability: "do"}
	chain := permits(t, operatorKey(t, dir), carol, "/a2/do")
	o := signed(t, h, carol, chain, do, "slow")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c, err := h.visit(t.Context(), o)
			if err != nil || c.Status != host.OK {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
	all.Wait()
	again := func(want string) {
		t.Helper()
		c, err := h.visit(t.Context(), o)
		if want == "" && (err != nil || c.Status != host.OK) || refusedAs(err) != want {
			t.Errorf("%+v, %v; want %q", c, err, want)
		}
	}
	again("")
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = open(t, dir)
	again("")
	other := o
	other.Payload = json.RawMessage(`"x"`)
	if c, err := h.visit(t.Context(), other); err == nil {
		t.Errorf("the call is taken for another payload: %+v", c)
	}
	late := time.Now().Add(2 * time.Hour)
	v := warden.Visit{Call: o.Invocation, Executor: Signer{h.keys["a2"]}.Principal()}
	if err := h.warden.Again(v, late); refusedAs(err) != "Expired" {
		t.Errorf("a control: the call has not expired: %v", err)
	}
	inv, err := delegation.Revoke(operatorKey(t, dir), chain, 0, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := delegation.BundleRevocation(inv, chain)
	if err == nil {
		err = errors.Join(keep.Mail(filepath.Join(dir, "delegations"), "back", raw), h.look())
	}
	if err != nil {
		t.Fatal(err)
	}
	again("Revoked")
	if n := runs(); n != 1 {
		t.Errorf("the call was made %d times", n)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestAttackRevokedDuring: a call under way ends when a link of it is taken back, and its budget is
// settled. The call of another delegate goes on.
func TestAttackRevokedDuring(t *testing.T) {
	t.Parallel()
	dir, _ := counter(t)
	h := open(t, dir)
	carol, dave, do := stranger(t), stranger(t), host.Target{Agent: "a2", Capability: "do"}
	chain := permits(t, operatorKey(t, dir), carol, "/a2/do")
	begin := func(by Signer, chain []*delegation.Delegation) <-chan host.Invocation {
		t.Helper()
		var end <-chan host.Invocation
		if err := received(h, signed(t, h, by, chain, do, "sleep"), nil, func(c host.Invocation, waits bool) (err error) {
			end, err = enter(h, &c, waits, nil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return end
	}
	stopped, goes := begin(carol, chain), begin(dave, permits(t, operatorKey(t, dir), dave, "/a2/do"))
	inv, err := delegation.Revoke(operatorKey(t, dir), chain, 0, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := delegation.BundleRevocation(inv, chain)
	if err == nil {
		err = errors.Join(keep.Mail(filepath.Join(dir, "delegations"), "back", raw), h.look())
	}
	if err != nil {
		t.Fatal(err)
	}
	if c := <-stopped; c.Status != host.Cancelled || !strings.Contains(c.Problem, "Revoked") {
		t.Errorf("%+v", c)
	}
	select {
	case c := <-goes:
		t.Errorf("the call of another delegate ended: %+v", c)
	default:
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestAttackRevokedLease: what was deployed under a link ends when that is taken back, also after a
// restart of the host. The copy of another delegate lives on.
func TestAttackRevokedLease(t *testing.T) {
	t.Parallel()
	dir, _ := counter(t)
	h := open(t, dir)
	chains := map[string][]*delegation.Delegation{}
	for _, id := range []string{"carol-1", "dave-1"} {
		chains[id] = permits(t, operatorKey(t, dir), stranger(t), "/"+id)
		raw, err := delegation.Bundle(chains[id])
		if err != nil {
			t.Fatal(err)
		}
		lease, err := warden.Lease(raw)
		if err == nil {
			err = h.Spawn(Caller{ID: host.Operator}, Seed{ID: id, Like: "a2", lease: lease})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = open(t, dir)
	inv, err := delegation.Revoke(operatorKey(t, dir), chains["carol-1"], 0, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := delegation.BundleRevocation(inv, chains["carol-1"])
	if err = errors.Join(err, keep.Mail(filepath.Join(dir, "delegations"), "back", raw), h.look(), h.look()); err != nil {
		t.Fatal(err)
	}
	for id, gone := range map[string]bool{"carol-1": true, "dave-1": false} {
		v, err := h.Look(Caller{ID: host.Operator}, id)
		if err != nil || (v.Life == host.Terminated) != gone {
			t.Errorf("%s: %+v, %v", id, v, err)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestAttackWithoutOnward: a guest that leaves out the link to the agent does not get more than
// with it: what the chain of its call does not allow, the agent may not use. The control allows it.
func TestAttackWithoutOnward(t *testing.T) {
	t.Parallel()
	dir, _ := counter(t)
	h := open(t, dir)
	do := host.Target{Agent: "a2", Capability: "do"}
	for _, k := range []struct {
		allow  []string
		onward bool
		want   string
	}{
		{[]string{"/a2/do"}, true, "InvalidCommand"},
		{[]string{"/a2/do"}, false, "InvalidCommand"},
		{[]string{"/a2/do", "/agent/recall"}, true, ""},
		{[]string{"/a2/do", "/agent/recall"}, false, ""},
	} {
		carol := stranger(t)
		o := signed(t, h, carol, permits(t, operatorKey(t, dir), carol, k.allow...), do, "sleep")
		if !k.onward {
			o.Onward = nil
		}
		ctx, leave := context.WithCancel(t.Context())
		leave() // the call goes on without its caller
		c, err := h.visit(ctx, o)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%+v, %v", c, err)
		}
		if _, err := h.Use(t.Context(), Caller{"a2", c.ID}, "agent.recall", nil); refusedAs(err) != k.want || (err == nil) != (k.want == "") {
			t.Errorf("%+v: %v", k, err)
		}
		if toolAllowed(c)("search") {
			t.Errorf("%+v: a tool may be used that no link allows", k)
		}
		h.mu.Lock()
		err = h.step(host.TakenBack{Call: c.ID, Now: now()})
		h.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestAttackErrorsOfGuests: the errors of a program name files and servers of the host. The
// operator reads them, and a guest does not.
func TestAttackErrorsOfGuests(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	carol, do := stranger(t), host.Target{Agent: "a2", Capability: "do"}
	chain := permits(t, operatorKey(t, dir), carol, "/a2/do")
	own, err := h.Invoke(t.Context(), operator, attest.Commission{Target: "a2/do", Payload: json.RawMessage(`"fail"`)})
	if err != nil || !strings.Contains(own.Problem, "no such luck") {
		t.Errorf("a control: %+v, %v", own, err)
	}
	c, err := h.visit(t.Context(), signed(t, h, carol, chain, do, "fail"))
	if err != nil || c.Status != host.Failed || c.Problem == "" || strings.Contains(c.Problem, "luck") || strings.Contains(c.Problem, "program") {
		t.Errorf("%+v, %v", c, err)
	}
	if err := os.Remove(filepath.Join(dir, Folder, "program.sh")); err != nil {
		t.Fatal(err)
	}
	if err := h.Ask(t.Context(), operator, "a2", host.Hibernate); err != nil {
		t.Fatal(err)
	}
	c, err = h.visit(t.Context(), signed(t, h, carol, chain, do, "x"))
	if err != nil || c.Status != host.Failed || !strings.Contains(c.Problem, "cannot be woken") || strings.Contains(c.Problem, "program.sh") {
		t.Errorf("%+v, %v", c, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
