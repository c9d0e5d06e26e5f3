package talk

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/audit"
	"ojud/cmd/ojud/cli"
	keys "ojud/cmd/ojud/delegation"
	"ojud/node/library"
)

// meet runs a command of the group meet.
func meet(ctx context.Context, home string, out io.Writer, in string, args ...string) error {
	a := cli.New(nil, out, io.Discard)
	a.Home, a.Key, a.JSON = home, filepath.Join(home, "key.json"), true
	cmd := Meet(a)
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(in))
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	return cmd.ExecuteContext(ctx)
}

// created makes the key of a home, and returns its name.
func created(t *testing.T, home string) string {
	t.Helper()
	a := cli.New(nil, io.Discard, io.Discard)
	a.Home, a.Key = home, filepath.Join(home, "key.json")
	if err := a.CreateKey(); err != nil {
		t.Fatal(err)
	}
	k, err := keys.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	return k.Principal().String()
}

// person types its first lines, and accepts the terms that it is shown.
type person struct {
	output
	typed *io.PipeWriter
	then  string
	did   bool
}

func (p *person) Write(raw []byte) (int, error) {
	n, err := p.output.Write(raw)
	if _, after, found := strings.Cut(p.String(), ": accept "); found && !p.did {
		p.did = true
		go func() { _, _ = io.WriteString(p.typed, "accept "+after[:8]+"\n"+p.then) }()
	}
	return n, err
}

// takes runs a command for a person.
func (p *person) takes(ctx context.Context, home, first string, args ...string) error {
	in, typed := io.Pipe()
	p.typed = typed
	go func() { _, _ = io.WriteString(typed, first) }()
	a := cli.New(nil, p, io.Discard)
	a.Home, a.Key, a.JSON = home, filepath.Join(home, "key.json"), true
	cmd := Meet(a)
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.ExecuteContext(ctx)
	_ = in.Close()
	return err
}

// TestMeet plays the meeting of docs/talking.md: three commands, three homes, one agreement of all,
// and minutes that are the same.
func TestMeet(t *testing.T) {
	t.Parallel()
	homes := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	var names []string
	for _, home := range homes {
		names = append(names, created(t, home))
	}
	ctx := t.Context()
	ann, over := &person{then: "await agreed\nend\n"}, make(chan error, 3)
	ready := make(chan struct{})
	ann.ready = ready
	go func() {
		over <- ann.takes(ctx, homes[0], `await joined
await joined
say Where shall we go?
await spoke
sing
propose promise="pay a third" deal={"rooms":3}
`, "open", "--topic", "A trip", "--member", names[1], "--member", names[2], "--listen", "127.0.0.1:0")
	}()
	select {
	case <-ready:
	case err := <-over:
		t.Fatal(err, ann)
	}
	var at started
	if err := json.NewDecoder(strings.NewReader(ann.String())).Decode(&at); err != nil {
		t.Fatal(err)
	}
	others := []*person{{}, {}}
	for i, p := range others {
		first := "await opening\n"
		if i == 0 {
			first = "await spoke\nsay To the sea.\n"
		}
		go func() { over <- p.takes(ctx, homes[i+1], first, "join", at.At[0], "--peer", names[0]) }()
	}
	for range 3 {
		if err := <-over; err != nil {
			t.Errorf("%v\n%s\n%s\n%s", err, ann, others[0], others[1])
		}
	}
	if !strings.Contains(ann.String(), `sing\" is no command`) || !strings.Contains(ann.String(), "nobody is bound before you sign, too") {
		t.Error(ann)
	}
	for i, p := range append(others, ann) {
		own := `"event":"accept","from":"` + names[(i+1)%3] + `"`
		if text := p.String(); !strings.Contains(text, `"event":"sign"`) || !strings.Contains(text, `"event":"terms"`) || !strings.Contains(text, own) || strings.Index(text, `"event":"sign"`) > strings.Index(text, own) {
			t.Errorf("%d signs what it does not show: %s", i, text)
		}
	}
	var minutes []string
	for _, home := range homes {
		made, err := filepath.Glob(filepath.Join(home, "agreements", "*.json"))
		if err != nil || len(made) != 1 {
			t.Fatalf("%v, %v", made, err)
		}
		a, err := ReadAgreement(made[0], true)
		if err != nil || len(a.Names()) != 3 {
			t.Errorf("%v, %v", a, err)
		}
		raw, err := a.Task(names[1], names[0])
		if err == nil {
			_, err = library.ReadTask(raw)
		}
		if err != nil {
			t.Errorf("it cannot be the terms of a dispute: %v", err)
		}
		kept, err := filepath.Glob(filepath.Join(home, "meetings", "*.jsonl"))
		if err != nil || len(kept) != 1 {
			t.Fatalf("%v, %v", kept, err)
		}
		minutes = append(minutes, kept[0])
		logs, err := audit.Files(filepath.Join(home, "audit"))
		if err != nil || len(logs) != 1 {
			t.Fatalf("%v, %v", logs, err)
		}
		names := map[string]int{}
		if s, err := audit.Read(logs[0], func(l audit.LogLine) { names[l.Act.Conversation]++ }); err != nil || s.Entries < 10 || len(names) != 1 || names[audit.Conversation(a.Conversation)] < 10 {
			t.Errorf("%+v, %v, lines by meeting: %v", s, err, names)
		}
	}
	shown := &output{}
	if err := meet(ctx, homes[0], shown, "", "verify", minutes[0], minutes[2]); err != nil || !strings.Contains(shown.String(), `"closed":true`) {
		t.Errorf("%v, %s", err, shown)
	}
	raw, err := os.ReadFile(minutes[1])
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(homes[1], "changed.jsonl")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(raw), "To the sea.", "To the lee.", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := meet(ctx, homes[1], shown, "", "verify", changed); err == nil || !strings.Contains(err.Error(), "does not verify") {
		t.Error(err)
	}
	for _, args := range [][]string{{"open", "--topic", "x"}, {"open", "--member", names[1]}, {"open", "--topic", "x", "--member", names[1], "--for", "1s"}, {"join", "https://x"}, {"verify", homes[0]}} {
		if err := meet(ctx, homes[0], shown, "", args...); err == nil {
			t.Errorf("%q is done", args)
		}
	}
}
