package keep

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/agent/audit"
	"ojud/agent/delegation"
)

type key struct{ ed25519.PrivateKey }

func newKey(b byte) key {
	return key{ed25519.NewKeyFromSeed(append(make([]byte, 31), b))}
}

func (k key) Principal() delegation.Principal {
	return delegation.Principal(k.Public().(ed25519.PublicKey))
}

func (k key) Sign(m []byte) [64]byte { return [64]byte(ed25519.Sign(k.PrivateKey, m)) }

// book is an audit log in memory. A crash comes before its line number dies, from 1; 0 is never.
type book struct {
	lines []audit.AgentInvoke
	dies  int
}

var errKilled = errors.New("killed")

// Append implements Logbook.
func (b *book) Append(a audit.AgentInvoke) error {
	if b.dies == len(b.lines)+1 {
		return errKilled
	}
	b.lines = append(b.lines, a)
	return nil
}

// Complete implements Logbook.
func (b *book) Complete(a audit.AgentInvoke) error {
	if slices.ContainsFunc(b.lines, func(o audit.AgentInvoke) bool { return reflect.DeepEqual(o, a) }) {
		return nil
	}
	return b.Append(a)
}

func (b *book) results() (out []string) {
	for _, a := range b.lines {
		out = append(out, a.Result)
	}
	return out
}

// TestKilledBeforeLine: a process dies after a decision is on the disk and before its line is in
// the log, or just after that. The next one writes the line, once.
func TestKilledBeforeLine(t *testing.T) {
	alice := newKey(1)
	now := time.Unix(1_767_225_600, 0)
	const all = "asked admitted settled asked"
	for dies := 1; dies <= 4; dies++ {
		dir, log := t.TempDir(), &book{dies: dies}
		var k *Keep
		open := func() {
			var err error
			if k, err = Open(dir, func() time.Time { return now }, func(delegation.Principal) bool { return false }, log); err != nil {
				t.Fatal(err)
			}
		}
		open()
		killed := func(err error) bool {
			if err == nil {
				return false
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if err := k.db.Close(); err != nil { // without a word, as a kill does
				t.Fatal(err)
			}
			log.dies = 0
			open()
			if err := errors.Join(k.Complete(), k.Complete()); err != nil {
				t.Fatal(err)
			}
			return true
		}
		first := call(t, alice, 1, now)
		admit := func(inv *delegation.Invocation) error {
			_, err := k.Admit(Incoming{Invocation: inv, Executor: alice.Principal()})
			return err
		}
		if killed(admit(first)) && dies == 1 {
			killed(admit(first)) // it was not decided, and may be asked again
		}
		_, err := k.Settle(first.ID(), delegation.Amounts{}, "")
		killed(err)
		killed(k.log.Append(audit.AgentInvoke{Result: "asked"}))
		if err := k.db.Close(); err != nil { // the line of the last decision is in the log already
			t.Fatal(err)
		}
		open()
		if err := errors.Join(k.Complete(), k.Close()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(log.results(), " "); got != all && (dies != 4 || got != strings.TrimSuffix(all, " asked")) {
			t.Errorf("killed before line %d: the log says %q", dies, got)
		}
	}
}

func call(t *testing.T, of key, n byte, now time.Time) *delegation.Invocation {
	t.Helper()
	inv, err := delegation.Invoke(of, of.Principal(), delegation.Call("/x", delegation.Amounts{}, nil), nil, []byte{n}, now, now.Add(time.Hour/2))
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

// TestKeep: a call, its replay, its spending, a call that waits, its answer and a revocation, with
// the folder opened again before each step.
func TestKeep(t *testing.T) {
	alice, bob, dir := newKey(1), newKey(2), t.TempDir()
	now := time.Unix(1_767_225_600, 0)
	scope := delegation.Scope{Allow: []string{"/x"}, Budget: delegation.Amounts{100, -1, -1}, Until: now.Unix() + 3600, Approval: []string{"finance"}}
	d, err := delegation.Issue(alice, bob.Principal(), scope, nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	links := []*delegation.Delegation{d}
	log := &book{}
	var k *Keep
	open := func() {
		t.Helper()
		if k != nil {
			if err := k.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if k, err = Open(dir, func() time.Time { return now }, func(p delegation.Principal) bool { return p == alice.Principal() }, log); err != nil {
			t.Fatal(err)
		}
	}
	open()
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	call := func(n byte, spend int64) *delegation.Invocation {
		inv, err := delegation.Invoke(bob, alice.Principal(), delegation.Call("/x", delegation.Amounts{spend}, nil), links, []byte{n}, now, now.Add(time.Hour/2))
		if err != nil {
			t.Fatal(err)
		}
		return inv
	}
	admit := func(inv *delegation.Invocation, want CallState, name delegation.RefusalName, domains ...string) {
		t.Helper()
		open()
		v, err := k.Admit(Incoming{Invocation: inv, Executor: alice.Principal(), Domains: domains, Find: func(string) ([]byte, bool) { return d.Bytes(), true }})
		if err != nil || v.State != want || want == Refused && v.Why.Name != name {
			t.Fatalf("%+v, %v, want %s %s", v, err, want, name)
		}
	}
	mail := func(name string, content []byte, err error) {
		t.Helper()
		if err == nil {
			err = Mail(dir, name, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	first := call(1, 60)
	admit(first, Admitted, "")
	admit(first, Refused, delegation.Replayed)
	admit(call(2, 41), Refused, delegation.OverBudget)
	open()
	if v, err := k.Settle(first.ID(), delegation.Amounts{10}, ""); err != nil || v.State != "" {
		t.Fatalf("%+v, %v", v, err)
	}
	second := call(3, 50)
	admit(second, Waiting, "", "finance")

	if asked, err := Asked(dir); err != nil || len(asked) != 1 || asked[second.ID()].Command != "/x" {
		t.Fatalf("%+v, %v", asked, err)
	}
	asked, err := Asked(dir)
	if q := asked[second.ID()]; err != nil || string(q.Input) != "null" || q.Problem != "" || q.By() != bob.Principal() || q.Root() != alice.Principal() {
		t.Fatalf("%+v, %v", q, err)
	}
	answer, err := delegation.Approve(bob, second.ID(), true, nil, now) // the caller is no person that may answer
	mail("bob", answer, err)
	open()
	if v, err := k.Look(); err != nil || len(v) > 0 || len(k.Open()) != 1 {
		t.Fatalf("%+v, %v, %v", v, err, k.Open())
	}
	answer, err = delegation.Approve(alice, second.ID(), true, nil, now)
	mail("alice", answer, err)
	mail("alice", answer, err)
	mail("junk", []byte("junk"), nil)
	if err := Mail(dir, "../x", nil); err == nil {
		t.Error("mail outside the folder")
	}
	open()
	if v, err := k.Look(); err != nil || len(v) != 1 || v[0].State != Admitted || v[0].Call != second.ID() {
		t.Fatalf("%+v, %v", v, err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, inboxDir)); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, askedDir)); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	admit(call(4, 1), Waiting, "", "finance")
	now = now.Add(20 * time.Minute)
	open()
	if v, err := k.Look(); err != nil || len(v) != 1 || v[0].Why.Name != delegation.NotApproved {
		t.Fatalf("%+v, %v", v, err)
	}
	if spent, reserved := k.Spent(d.ID()); spent[0] != 10 || reserved[0] != 50 {
		t.Errorf("%v, %v", spent, reserved)
	}
	inv, err := delegation.Revoke(alice, links, 0, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := delegation.BundleRevocation(inv, links)
	mail("revoked", raw, err)
	admit(call(5, 1), Refused, delegation.Revoked)
	if got := strings.Join(log.results(), " "); got != "asked admitted asked refused asked refused settled asked waiting admitted asked waiting refused revoked stopped asked refused" {
		t.Errorf("the audit log says: %s", got)
	}
	if _, err := Open(dir, time.Now, nil, log); err == nil {
		t.Error("two processes have one folder")
	}
}

// TestStranger: a call that begins at a stranger is refused, and a revocation of a link in a chain
// that a stranger begins is none.
func TestStranger(t *testing.T) {
	alice, bob, mallory := newKey(1), newKey(2), newKey(3)
	now := time.Unix(1_767_225_600, 0)
	k, err := Open(t.TempDir(), func() time.Time { return now }, func(delegation.Principal) bool { return false }, &book{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	inv, err := delegation.Invoke(mallory, alice.Principal(), delegation.Call("/x", delegation.Amounts{}, nil), nil, nil, now, now.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	c := Incoming{Invocation: inv, Executor: alice.Principal(), Find: func(string) ([]byte, bool) { return nil, false }}
	if v, err := k.Admit(c); err != nil || v.State != Refused || v.Why.Name != delegation.InvalidSubject {
		t.Errorf("%+v, %v", v, err)
	}
	scope := delegation.Scope{Allow: []string{"/x"}, Budget: delegation.Amounts{-1, -1, -1}, Until: now.Unix() + 3600}
	bait, err := delegation.Issue(mallory, alice.Principal(), scope, nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	good, err := delegation.Issue(alice, bob.Principal(), scope, nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := delegation.Revoke(mallory, []*delegation.Delegation{bait, good}, 1, nil, now); err == nil {
		t.Error("a stranger takes a link back")
	}
	if _, err := delegation.Revoke(alice, []*delegation.Delegation{good}, 0, nil, now); err != nil {
		t.Error(err)
	}
}

// TestQuestion: a person sees the payload that the call binds by its hash. One that somebody put in
// its place, that of another call, or none is named as a problem.
func TestQuestion(t *testing.T) {
	alice, bob := newKey(1), newKey(2)
	now, dir := time.Unix(1_767_225_600, 0), t.TempDir()
	open := func() *Keep {
		t.Helper()
		k, err := Open(dir, func() time.Time { return now }, func(delegation.Principal) bool { return false }, &book{})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	k := open()
	d, err := delegation.Issue(alice, bob.Principal(), delegation.Scope{Allow: []string{"/x"}, Approval: []string{"finance"}, Budget: delegation.Amounts{-1, -1, -1}, Until: now.Unix() + 3600}, nil, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	admit := func(n byte, payload string, domains ...string) (Decision, string) {
		t.Helper()
		sum := sha256.Sum256([]byte(payload))
		inv, err := delegation.Invoke(bob, alice.Principal(), delegation.Call("/x", delegation.Amounts{}, map[string]any{"sha256": hex.EncodeToString(sum[:])}), []*delegation.Delegation{d}, []byte{n}, now, now.Add(time.Hour/2))
		if err != nil {
			t.Fatal(err)
		}
		v, err := k.Admit(Incoming{Invocation: inv, Executor: alice.Principal(), Domains: domains, Payload: []byte(payload), Asker: "bob", Find: func(string) ([]byte, bool) { return d.Bytes(), true }})
		if err != nil {
			t.Fatal(err)
		}
		return v, filepath.Join(dir, askedDir, inv.ID()+asksSuffix)
	}
	if v, path := admit(1, `"public"`, "pii"); v.State != Admitted {
		t.Errorf("%+v", v)
	} else if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a call asks is kept after it was admitted: %v", err)
	}
	const payload = `"send 5000 <euro> to Mallory"`
	v, path := admit(2, payload, "finance")
	other, _ := admit(3, `"other"`, "finance")
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	orphan := filepath.Join(dir, askedDir, "orphan"+asksSuffix)
	if err := os.WriteFile(orphan, []byte("{}"), 0o600); err != nil { // as a crash leaves it
		t.Fatal(err)
	}
	if k = open(); !reflect.DeepEqual(k.asked, map[string]bool{v.Call: true, other.Call: true}) {
		t.Errorf("%v", k.asked)
	}
	if _, err := os.Stat(orphan); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	defer func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}()
	see := func() AskedCall {
		t.Helper()
		asked, err := Asked(dir)
		if err != nil {
			t.Fatal(err)
		}
		return asked[v.Call]
	}
	if q := see(); string(q.Input) != payload || q.Problem != "" || q.Asker != "bob" || q.By() != bob.Principal() || q.Root() != alice.Principal() {
		t.Errorf("%+v", q)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	another, err := os.ReadFile(filepath.Join(dir, askedDir, other.Call+asksSuffix))
	if err != nil {
		t.Fatal(err)
	}
	var about contents
	if err := json.Unmarshal(good, &about); err != nil {
		t.Fatal(err)
	}
	about.Payload = []byte(`"send 5 euro to Carol"`)
	changed, err := json.Marshal(about)
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"another payload": changed, "another call": another, "junk": []byte("junk")} {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if q := see(); q.Problem == "" || q.Input != nil || q.Command != "/x" {
			t.Errorf("%s: %+v", name, q)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if q := see(); q.Problem == "" {
		t.Errorf("none: %+v", q)
	}
}
