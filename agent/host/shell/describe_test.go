package shell

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/host"
)

// TestAttackDescribe: what an agent says of itself is for those whom a chain that holds allows
// something. A link that was taken back, or that denies it, shows nothing.
func TestAttackDescribe(t *testing.T) {
	t.Parallel()
	dir := home(t)
	h := open(t, dir)
	owner, carol, dave := operatorKey(t, dir), stranger(t), stranger(t)
	to := host.Target{Agent: "a2", Capability: host.Describe}
	link := func(from, to Signer, before []*delegation.Delegation, s delegation.Scope) []*delegation.Delegation {
		t.Helper()
		s.Budget, s.Until, s.NotBefore = delegation.Amounts{-1, -1, -1}, time.Now().Unix()+3600, time.Now().Unix()-1
		d, err := delegation.Issue(from, to.Principal(), s, before, nil, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return append(before, d)
	}
	see := func(by Signer, chain []*delegation.Delegation) (v Description, err error) {
		t.Helper()
		c, err := h.visit(t.Context(), signed(t, h, by, chain, to, "x"))
		if err == nil {
			err = json.Unmarshal(c.Result, &v)
		}
		return v, err
	}
	good := link(owner, carol, nil, delegation.Scope{Allow: []string{"/a2/do"}})
	if v, err := see(carol, good); err != nil || len(v.Capabilities) != 1 {
		t.Fatalf("a control: %+v, %v", v, err)
	}
	for what, k := range map[string]struct {
		by    Signer
		chain []*delegation.Delegation
		want  string
	}{
		"a link that denies it":            {carol, link(owner, carol, nil, delegation.Scope{Allow: []string{"/a2"}, Deny: []string{"/a2/agent"}}), "InvalidCommand"},
		"a link that allows nothing of it": {carol, link(owner, carol, nil, delegation.Scope{Allow: []string{"/a1"}}), "InvalidCommand"},
		"a link of one who owns nothing":   {dave, link(carol, dave, nil, delegation.Scope{Allow: []string{"/a2"}}), "InvalidSubject"},
	} {
		if v, err := see(k.by, k.chain); refusedAs(err) != k.want {
			t.Errorf("%s shows %+v, %v; want %s", what, v, err, k.want)
		}
	}
	inv, err := delegation.Revoke(owner, good, 0, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := delegation.BundleRevocation(inv, good)
	if err == nil {
		err = errors.Join(keep.Mail(filepath.Join(dir, "delegations"), "back", raw), h.look())
	}
	if err != nil {
		t.Fatal(err)
	}
	if v, err := see(carol, good); refusedAs(err) != "Revoked" {
		t.Errorf("a link that was taken back shows %+v, %v", v, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestEndpoints: an agent that can be called has the address of each capability, on its host and
// for callers of other machines. A terminated one has none.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	h := open(t, home(t))
	Reached(h, []string{"agent://z6Mk@h.example:4800", "agent://12D3@1.2.3.4:4801"})
	v, err := h.Look(operator, "a1")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"agent://a1/do", "agent://z6Mk@h.example:4800/a1/do", "agent://12D3@1.2.3.4:4801/a1/do"}
	if len(v.Capabilities) != 1 || !slices.Equal(v.Endpoints, want) {
		t.Errorf("%v; want %v", v.Endpoints, want)
	}
	if err := h.Ask(t.Context(), operator, "a1", host.Terminate); err != nil {
		t.Fatal(err)
	}
	if v, err := h.Look(operator, "a1"); err != nil || len(v.Endpoints) > 0 {
		t.Errorf("%v, %v", v.Endpoints, err)
	}
}
