package attest

import (
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/casefile"
)

// attested returns a call with its order, its attestation and the key of the agent.
func attested(t testing.TB) (host.Invocation, Commission, casefile.DID) {
	t.Helper()
	private := ed25519.NewKeyFromSeed(make([]byte, 32))
	did := casefile.DID(private.Public().(ed25519.PublicKey))
	o := Commission{Caller: "operator", Target: "agent://a/do", Correlation: "c", Payload: json.RawMessage(`{"b":1,"a":[2]}`), Timeout: 5}
	c := host.Invocation{ID: "1", Target: host.Target{Agent: "a", Capability: "do"}, Status: host.OK, Result: json.RawMessage(`"x"`),
		Allowance: host.Allowance{Chain: json.RawMessage(`{"format":"ojud-delegation/1","links":["AA=="]}`)}}
	var err error
	if c.Task, err = o.Hash(); err != nil {
		t.Fatal(err)
	}
	if c.Attestation, err = Sign(c, 9, did, func(text []byte) [64]byte { return [64]byte(ed25519.Sign(private, text)) }); err != nil {
		t.Fatal(err)
	}
	return c, o, did
}

// TestCheck: an attestation holds for what was signed, however its JSON is written, and for nothing
// else.
func TestCheck(t *testing.T) {
	c, o, did := attested(t)
	o.Payload = json.RawMessage(`{"a": [2], "b": 1}`)
	if err := Check(c, o, did); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*host.Invocation, *Commission, *casefile.DID){
		"another task": func(_ *host.Invocation, o *Commission, _ *casefile.DID) {
			o.Payload = json.RawMessage(`{"a":[2],"b":2}`)
		},
		"another call":       func(c *host.Invocation, _ *Commission, _ *casefile.DID) { c.ID = "2" },
		"another outcome":    func(c *host.Invocation, _ *Commission, _ *casefile.DID) { c.Result = json.RawMessage(`"y"`) },
		"another agent":      func(_ *host.Invocation, _ *Commission, d *casefile.DID) { d[0]++ },
		"another delegation": func(c *host.Invocation, _ *Commission, _ *casefile.DID) { c.Chain = nil },
		"there is none":      func(c *host.Invocation, _ *Commission, _ *casefile.DID) { c.Attestation = nil },
		"cannot be read":     func(c *host.Invocation, _ *Commission, _ *casefile.DID) { c.Attestation = json.RawMessage(`[]`) },
		"not the agent's": func(c *host.Invocation, _ *Commission, _ *casefile.DID) {
			c.Attestation = json.RawMessage(strings.Replace(string(c.Attestation), `"at":9`, `"at":8`, 1))
		},
	} {
		c, o, did := attested(t)
		change(&c, &o, &did)
		if err := Check(c, o, did); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// FuzzCheck: no text but the one that was signed is an attestation of the call.
func FuzzCheck(f *testing.F) {
	c, o, did := attested(f)
	f.Add([]byte(c.Attestation))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"version":1,"agent":"did:key:z"}`))
	var mine attestation
	if err := json.Unmarshal(c.Attestation, &mine); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c.Attestation = raw
		if Check(c, o, did) != nil {
			return
		}
		var a attestation
		if err := json.Unmarshal(raw, &a); err != nil || a != mine {
			t.Errorf("%s", raw)
		}
	})
}
