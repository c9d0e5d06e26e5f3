package shell

import (
	"encoding/json"
	"testing"

	"ojud/agent/delegation"
	"ojud/agent/host"
)

// TestForget: the operator erases what an agent remembers of one guest, and the guest's calls.
// Those of others stay, and nobody else may erase anything.
func TestForget(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	owner, carol, dave := operatorKey(t, dir), stranger(t), stranger(t)
	do := host.Target{Agent: "a2", Capability: "do"}
	chains := map[Signer][]*delegation.Delegation{carol: permits(t, owner, carol, "/a2/do"), dave: permits(t, owner, dave, "/a2/do")}
	var orders []order
	for by, chain := range chains {
		o := signed(t, h, by, chain, do, "x")
		if c, err := h.visit(t.Context(), o); err != nil || c.Stage != host.Over {
			t.Fatalf("%+v, %v", c, err)
		}
		if by == carol {
			orders = append(orders, o)
		}
	}
	of := func(by Signer) (memories, calls int) {
		t.Helper()
		all, err := h.Recall(operator, "a2", "", "", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			if m.Of == by.Principal().String() {
				memories++
			}
		}
		if err := h.disk.Ended("a2", func(c host.Invocation) bool {
			if c.Guest == by.Principal().String() {
				calls++
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return memories, calls
	}
	input, err := json.Marshal(forgetting{"a2", carol.Principal().String()})
	if err != nil {
		t.Fatal(err)
	}
	if m, c := of(carol); m != 1 || c != 1 {
		t.Fatalf("a control: %d memories and %d calls", m, c)
	}
	raw, err := h.Use(t.Context(), operator, "agent.forget", input)
	var gone Forgotten
	if err != nil || json.Unmarshal(raw, &gone) != nil || gone.Memories != 1 || gone.Calls != 1 {
		t.Errorf("%s, %v", raw, err)
	}
	if m, c := of(carol); m != 0 || c != 0 {
		t.Errorf("%d memories and %d calls are there", m, c)
	}
	if m, c := of(dave); m != 1 || c != 1 {
		t.Errorf("of another guest %d memories and %d calls are there", m, c)
	}
	if _, err := h.visit(t.Context(), orders[0]); refusedAs(err) != string(delegation.Replayed) {
		t.Errorf("a call that was erased is made again: %v", err)
	}
	if _, err := forget(h, Caller{ID: "a2"}, forgetting{"a2", carol.Principal().String()}); err == nil {
		t.Error("an agent erases what is remembered")
	}
	if _, err := forget(h, operator, forgetting{"a2", "carol"}); err == nil {
		t.Error("a name that is no key is taken")
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
