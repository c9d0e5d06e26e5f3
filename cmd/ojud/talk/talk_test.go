package talk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/cmd/ojud/cli"
	"ojud/node/library"
)

// output is what a command wrote so far. ready is closed when it has written a text; without one,
// when it has said where it listens.
type output struct {
	until string
	mu    sync.Mutex
	text  bytes.Buffer
	ready chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(p)
	if o.ready != nil && strings.Contains(o.text.String(), cmp.Or(o.until, "\n")) {
		close(o.ready)
		o.ready = nil
	}
	return n, err
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// command runs a command of the group.
func command(ctx context.Context, home string, out io.Writer, in string, args ...string) error {
	return reading(ctx, home, out, strings.NewReader(in), args...)
}

// reading runs a command of the group that reads what is typed.
func reading(ctx context.Context, home string, out io.Writer, in io.Reader, args ...string) error {
	a := cli.New(nil, out, io.Discard)
	a.Home, a.Key, a.JSON = home, filepath.Join(home, "key.json"), true
	cmd := Command(a)
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	return cmd.ExecuteContext(ctx)
}

// TestSubscription: a subscriber hears of a change of the file of --data, without a person, and
// only what the agreement grants.
func TestSubscription(t *testing.T) {
	t.Parallel()
	joe, ann := t.TempDir(), t.TempDir()
	data := filepath.Join(joe, "joe.json")
	write := func(text string) {
		if err := os.WriteFile(data+".new", []byte(text), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(data+".new", data); err != nil {
			t.Error(err)
		}
	}
	write(`{"email":"joe@example.org","schedule":["10:00"]}`)
	ctx, stop := context.WithCancel(t.Context())
	served, said := &output{ready: make(chan struct{})}, &output{ready: make(chan struct{}), until: "10:00"}
	ready, first, over := served.ready, said.ready, make(chan error, 1)
	go func() {
		over <- command(ctx, joe, served, "", "serve", "--create-key", "--talk", "yes", "--terms", "yes", "--for", "calendar", "--access", "schedule",
			"--data", data, "--alone", "--listen", "127.0.0.1:0")
	}()
	select {
	case <-ready:
	case err := <-over:
		t.Fatal(err)
	}
	var at started
	if err := json.NewDecoder(strings.NewReader(served.String())).Decode(&at); err != nil {
		t.Fatal(err)
	}
	lines, typed := io.Pipe()
	go func() {
		script := "greet\nrequest Ok?\nawait agree\ncall request_type=calendar access=schedule(m)\nawait proposal\naccept\nawait signature\nsubscribe schedule\nawait update\n"
		_, err := io.WriteString(typed, script)
		select {
		case <-first:
		case <-ctx.Done():
		}
		write(`{"email":"other@example.org","schedule":["11:00"]}`)
		if err == nil {
			_, err = io.WriteString(typed, "await update\nend\n")
		}
		if err = errors.Join(err, typed.Close()); err != nil {
			t.Error(err)
		}
	}()
	if err := reading(ctx, ann, said, lines, "to", at.At[0], "--peer", at.Agent, "--create-key"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if text := said.String(); !strings.Contains(text, "11:00") || strings.Contains(text, "example.org") {
		t.Errorf("the subscriber heard %s", text)
	}
}

// TestTwoHomes plays the page docs/talking.md: two commands, two homes, one agreement. What was
// said is deleted, the audit logs verify, and the agreement can be the terms of a dispute.
func TestTwoHomes(t *testing.T) {
	t.Parallel()
	joe, ammon := t.TempDir(), t.TempDir()
	data := filepath.Join(joe, "joe.json")
	if err := os.WriteFile(data, []byte(`{"name":"Joe","email":"joe@example.org","schedule":["10:00"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served, said := &output{ready: make(chan struct{})}, &output{}
	ready, over := served.ready, make(chan error, 1)
	go func() {
		over <- command(ctx, joe, served, "", "serve", "--create-key", "--talk", "yes", "--terms", "yes", "--for", "calendar", "--access", "name,schedule",
			"--promise", talk.NoRetention, "--data", data, "--alone", "--listen", "127.0.0.1:0")
	}()
	select {
	case <-ready:
	case err := <-over:
		t.Fatal(err)
	}
	var at started
	if err := json.NewDecoder(strings.NewReader(served.String())).Decode(&at); err != nil {
		t.Fatal(err)
	}
	script := `greet
request Set up time. Ok?
await agree
call request_type=calendar access=name(m),schedule promise="no data retention(m)"
await proposal
accept
await signature
ask {"what":"schedule"}
await data
end
`
	if err := command(ctx, ammon, said, script, "to", at.At[0], "--peer", at.Agent, "--create-key"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	// A command that was killed left one of these, and another agent of the home is not done.
	made, err := filepath.Glob(filepath.Join(ammon, "agreements", "*.json"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	v, err := ReadAgreement(made[0], true)
	if err != nil {
		t.Fatal(err)
	}
	left, other := filepath.Join(ammon, "talks", dated+"-"+ending(v.Asker)+"-1.jsonl"+erased), filepath.Join(ammon, "talks", dated+"-other-"+ending(v.Asker)+"-1.jsonl"+erased)
	if err := errors.Join(os.WriteFile(left, []byte("secret"), 0o600), os.WriteFile(other, []byte("secret"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := command(ctx, ammon, said, "greet\nrequest Hm?\nawait agree\ncancel\n", "to", at.At[0], "--peer", at.Agent); err == nil {
		t.Error("a conversation that was cancelled is reported as completed")
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was promised to be deleted is there: %v", err)
	}
	if err := os.Remove(other); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if strings.Contains(said.String(), "joe@example.org") {
		t.Error("the terms do not grant the email address")
	}
	for _, home := range []string{joe, ammon} {
		agreements, err := filepath.Glob(filepath.Join(home, "agreements", "*.json"))
		if err != nil || len(agreements) != 1 {
			t.Fatalf("%v, %v", agreements, err)
		}
		v, err := ReadAgreement(agreements[0], true)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := v.Task(v.Asker, v.Holder)
		if err == nil {
			_, err = library.ReadTask(raw)
		}
		if err != nil {
			t.Errorf("it cannot be the terms of a dispute: %v\n%s", err, raw)
		}
		logs, err := audit.Files(filepath.Join(home, "audit"))
		if err != nil || len(logs) != 1 {
			t.Fatalf("%v, %v", logs, err)
		}
		names := map[string]int{}
		if s, err := audit.Read(logs[0], func(l audit.LogLine) { names[l.Act.Conversation]++ }); err != nil || s.Entries < 14 || len(names) != 2 || names[""] > 0 || names[audit.Conversation(v.Conversation)] < 8 {
			t.Errorf("%+v, %v, lines by conversation: %v", s, err, names)
		}
		// The second conversation has no agreement, so what was said in it stays.
		if kept, err := filepath.Glob(filepath.Join(home, "talks", "*")); err != nil || len(kept) != 1 {
			t.Errorf("kept: %v, %v", kept, err)
		}
	}
}

type key ed25519.PrivateKey

func (k key) Principal() delegation.Principal { return delegation.Principal(k[32:]) }
func (k key) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(ed25519.PrivateKey(k), message))
}

// TestDeal: a deal with the members of a task decides what judges read, and one with other members
// does not break the terms of the dispute.
func TestDeal(t *testing.T) {
	t.Parallel()
	for deal, want := range map[string]string{
		`{"instruction":["Paint an owl."],"output_schema":{"owl":"string"}}`: `"instruction":["Paint an owl."]`,
		`{"price":"1 SOL"}`: `Two agents signed`,
	} {
		a := talk.Agreement{Format: "anex-agreement/1", Identity: "x", RequestType: "y", Access: []string{}, Promise: []string{}, Deal: json.RawMessage(deal)}
		for i := range byte(2) {
			k := key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{i}, 32)))
			if i == 0 {
				a.Asker = k.Principal().String()
			} else {
				a.Holder = k.Principal().String()
			}
		}
		raw, err := a.Task(a.Asker, a.Holder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := library.ReadTask(raw); err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	var fault *cli.Fault
	if _, err := ReadAgreement(filepath.Join(t.TempDir(), "none"), true); !errors.As(err, &fault) {
		t.Error(err)
	}
}
