package delegation

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata/invocation.json again")

// vectors is a file of the form of the specification's own fixtures/1.0.0/invocation.json.
type vectors struct {
	Version  string   `json:"version"`
	Comments string   `json:"comments"`
	Valid    []vector `json:"valid"`
	Invalid  []vector `json:"invalid"`
}

type vector struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Invocation  dagBytes   `json:"invocation"`
	Proofs      []dagBytes `json:"proofs"`
	Time        int64      `json:"time"`
	Error       *struct {
		Name string `json:"name"`
	} `json:"error,omitempty"`
}

// dagBytes are bytes in DAG-JSON.
type dagBytes []byte

func (b *dagBytes) UnmarshalJSON(raw []byte) error {
	var v map[string]map[string]string
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	out, err := base64.RawStdEncoding.DecodeString(v["/"]["bytes"])
	*b = out
	return err
}

func (b dagBytes) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]map[string]string{"/": {"bytes": base64.RawStdEncoding.EncodeToString(b)}})
}

// key is a signer for tests.
type key struct{ private ed25519.PrivateKey }

func testKey(name string) key {
	return key{ed25519.NewKeyFromSeed(append(bytes.Repeat([]byte{7}, 32-len(name)), name...))}
}

func (k key) Principal() Principal { return Principal(k.private.Public().(ed25519.PublicKey)) }

func (k key) Sign(m []byte) [64]byte { return [64]byte(ed25519.Sign(k.private, m)) }

// TestVectors: each of the 7 valid invocations passes and each of the 13 invalid ones is refused by
// the name of its error. The cases are those of UCAN 1.0.0; UCAN_FIXTURES names another file of the
// same form, such as the specification's own.
func TestVectors(t *testing.T) {
	if *update {
		write(t)
	}
	raw, err := os.ReadFile(cmp.Or(os.Getenv("UCAN_FIXTURES"), "testdata/invocation.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Valid) != 7 || len(all.Invalid) != 13 {
		t.Fatalf("%d valid and %d invalid, want 7 and 13", len(all.Valid), len(all.Invalid))
	}
	for _, v := range all.Valid {
		if err := v.run(); err != nil {
			t.Errorf("valid %s: %v", v.Name, err)
		}
	}
	for _, v := range all.Invalid {
		var r *Refusal
		if err := v.run(); !errors.As(err, &r) || string(r.Name) != v.Error.Name {
			t.Errorf("invalid %s: %v, want %s", v.Name, err, v.Error.Name)
		}
	}
}

func (v vector) run() error {
	inv, err := parseInvocation(v.Invocation)
	if err != nil {
		return err
	}
	_, err = Verify(inv, Check{Now: time.Unix(v.Time, 0), Executor: inv.Audience, Find: v.find})
	return err
}

func (v vector) find(id string) ([]byte, bool) {
	for _, p := range v.Proofs {
		if c, err := identify(p); err == nil && c.String() == id {
			return p, true
		}
	}
	return nil, false
}

// write makes the vectors of this repository, with keys that everybody can make.
func write(t *testing.T) {
	alice, bob, carol, dave := testKey("alice"), testKey("bob"), testKey("carol"), testKey("dave")
	const now = 1_767_225_600
	n := byte(0)
	link := func(from, to key, edit func(*Delegation)) *Delegation {
		n++
		d := &Delegation{Audience: to.Principal(), policy: []any{}}
		d.Issuer, d.Subject, d.Command, d.Nonce, d.Expires = from.Principal(), alice.Principal(), "/msg/send", []byte{n, 1, 2, 3}, never
		if edit != nil {
			edit(d)
		}
		d, err := d.sign(from)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	call := func(from key, subject Principal, edit func(*Invocation), proofs ...*Delegation) dagBytes {
		n++
		i := &Invocation{Audience: subject, Args: map[string]any{}, Issued: now - 100}
		i.Issuer, i.Subject, i.Command, i.Nonce, i.Expires = from.Principal(), subject, "/msg/send", []byte{n, 4, 5, 6}, never
		for _, p := range proofs {
			i.Proofs = append(i.Proofs, p.id)
		}
		if edit != nil {
			edit(i)
		}
		i, err := i.sign(from)
		if err != nil {
			t.Fatal(err)
		}
		return i.Bytes()
	}
	sub := func(k key) func(*Delegation) { return func(d *Delegation) { d.Subject = k.Principal() } }
	all := vectors{Version: "1.0.0", Comments: "The cases of UCAN 1.0.0, made by agent/delegation/vectors_test.go -update. Bytes are DAG-JSON; time is when the validation happens, in Unix seconds."}
	add := func(name, description string, fails RefusalName, invocation dagBytes, proofs ...*Delegation) {
		v := vector{Name: name, Description: description, Invocation: invocation, Proofs: []dagBytes{}, Time: now}
		for _, p := range proofs {
			v.Proofs = append(v.Proofs, p.Bytes())
		}
		if fails == "" {
			all.Valid = append(all.Valid, v)
			return
		}
		v.Error = &struct {
			Name string `json:"name"`
		}{string(fails)}
		all.Invalid = append(all.Invalid, v)
	}
	a := alice.Principal()
	ab, bc, cd := link(alice, bob, nil), link(bob, carol, nil), link(carol, dave, nil)
	old := link(alice, bob, func(d *Delegation) { d.Expires = now - 1 })
	early := link(alice, bob, func(d *Delegation) { d.NotBefore = now + 1 })
	active := link(alice, bob, func(d *Delegation) { d.NotBefore, d.Expires = now-1, now+1 })
	activeNext := link(bob, carol, func(d *Delegation) { d.NotBefore = now - 1 })
	power := link(bob, carol, func(d *Delegation) { d.Powerline = true })
	rootPower := link(alice, bob, func(d *Delegation) { d.Powerline = true })
	strict := link(alice, bob, func(d *Delegation) { d.policy = []any{[]any{"==", ".answer", int64(42)}} })
	other := link(bob, carol, sub(dave))
	forged := *link(alice, bob, nil)
	forgedRaw, err := encodeValue([]any{[]byte{1, 2, 3}, must(decodeValue(forged.signed))})
	if err != nil {
		t.Fatal(err)
	}
	bad, err := parseDelegation(forgedRaw)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(n int64) func(*Invocation) { return func(i *Invocation) { i.Args["answer"] = n } }

	add("self signed", "the subject calls", "", call(alice, a, nil))
	add("single non-time bounded proof", "one link that never expires", "", call(bob, a, nil, ab), ab)
	add("single active non-expired proof", "one link in its time", "", call(bob, a, nil, active), active)
	add("multiple proofs", "two links", "", call(carol, a, nil, ab, bc), ab, bc)
	add("multiple active proofs", "two links, one with a beginning", "", call(carol, a, nil, ab, activeNext), ab, activeNext)
	add("powerline", "a later link about any subject", "", call(carol, a, nil, ab, power), ab, power)
	add("policy match", "the arguments fulfil the policy", "", call(bob, a, answer(42), strict), strict)
	add("no proof", "another than the subject calls without a link", InvalidClaim, call(bob, a, nil))
	add("missing proof", "a link is not there", UnavailableProof, call(bob, a, nil, ab))
	add("expired proof", "a link expired", Expired, call(bob, a, nil, old), old)
	add("inactive proof", "a link has not begun", TooEarly, call(bob, a, nil, early), early)
	add("proof principal alignment", "a link is not of whom the link before it allows", InvalidAudience, call(dave, a, nil, ab, cd), ab, cd)
	add("invocation principal alignment", "another than the last audience calls", InvalidAudience, call(dave, a, nil, ab, bc), ab, bc)
	add("proof subject alignment", "the links have two subjects", InvalidSubject, call(carol, a, nil, ab, other), ab, other)
	add("invocation subject alignment", "the call is about another subject than the links", InvalidSubject, call(carol, dave.Principal(), nil, ab, bc), ab, bc)
	add("expired invocation", "the call expired", Expired, call(bob, a, func(i *Invocation) { i.Expires = now - 1 }, ab), ab)
	add("invalid proof signature", "the signature of a link is wrong", InvalidSignature, call(bob, a, nil, bad), bad)
	self := call(alice, a, nil)
	parts := must(decodeValue(self)).([]any)
	parts[0] = []byte{1, 2, 3}
	add("invalid invocation signature", "the signature of the call is wrong", InvalidSignature, must(encodeValue(parts)))
	add("invalid powerline", "the first link names no subject", InvalidClaim, call(bob, a, nil, rootPower), rootPower)
	add("policy violation", "the arguments do not fulfil the policy", MatchError, call(bob, a, answer(41), strict), strict)

	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/invocation.json", append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
