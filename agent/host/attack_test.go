package host

import "testing"

// TestAttackAllPlaces: one delegate, by whatever keys it calls, has at most half of the calls of an
// agent at once. Another one and the operator still get in.
func TestAttackAllPlaces(t *testing.T) {
	t.Parallel()
	c, _ := New(0, known(def("a", func(d *Definition) { d.Quota.Concurrent = 4 })), nil, nil)
	call := func(id, guest, delegate string) string {
		v := invoke(id, Operator, "a", 0)
		if guest != "" {
			v.Caller, v.Admitted, v.Behalf = guest, true, Behalf{guest, delegate}
		}
		for _, a := range c.Step(v).Acts {
			if s, ok := a.(Settle); ok && s.Refusal != nil {
				return s.Refusal.Code
			}
		}
		return "yes"
	}
	for _, k := range []struct{ id, guest, delegate, want string }{
		{"1", "did:key:m", "did:key:m", "yes"},
		{"2", "did:key:m2", "did:key:m", "yes"},
		{"3", "did:key:m3", "did:key:m", Busy},
		{"4", "did:key:c", "did:key:c", "yes"},
		{"5", "", "", "yes"},
		{"6", "", "", Busy},
	} {
		if got := call(k.id, k.guest, k.delegate); got != k.want {
			t.Errorf("call %s of %q: %s, want %s", k.id, k.guest, got, k.want)
		}
	}
	c.Step(Ended{Call: "1", Status: OK})
	if got := call("7", "did:key:m3", "did:key:m"); got != "yes" {
		t.Errorf("a place that is free again: %s", got)
	}
}
