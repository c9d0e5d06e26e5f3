package agents

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
)

// TestScreen: the pieces of a step are one line, whatever they have in them, and what comes between
// is on lines of its own.
func TestScreen(t *testing.T) {
	t.Parallel()
	piece := func(minion, text string) channel.Body {
		return channel.Body{Chunk: &channel.Piece{StepBegin: channel.StepBegin{Minion: minion, N: 1}, Text: text}}
	}
	var b strings.Builder
	var s screen
	for _, m := range []channel.Body{
		{Begin: &channel.StepBegin{N: 1}}, piece("", "An "), piece("", "owl\n\x1b[2J"), piece("7", "a dog"), piece("", " sat"),
		{Chunk: &channel.Piece{StepBegin: channel.StepBegin{N: 1}, Call: &agent.ToolCall{ID: "1", Name: "look"}}}, {Stop: &channel.StepStop{}}, piece("", "x"),
		channel.Body{Call: &agent.ClientCall{ToolCall: agent.ToolCall{ID: "1", Name: "look", Input: []byte("7")}}}.Beneath("m"),
	} {
		if err := s.say(&b, m); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.end(&b); err != nil {
		t.Fatal(err)
	}
	want := "step 1  An owl\\u000a\\u001b[2J\n7 step 1  a dog\nstep 1   sat\ncall 1  look\nstep 1  x\nrun m/1  look 7\n"
	if got := b.String(); got != want {
		t.Errorf("%q\nnot %q", got, want)
	}
}

// TestCallable: an address that nobody can call is not printed as one.
func TestCallable(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{"[::]:4800": "HOST:4800", "0.0.0.0:1": "HOST:1", "127.0.0.1:2": "127.0.0.1:2", "[::1]:3": "[::1]:3"} {
		if got := callable(at); got != want {
			t.Errorf("%s is printed as %s, not %s", at, got, want)
		}
	}
}

// TestBrief: of the result of a call of an agent, a person reads status, result and key; any other
// result is shown whole.
func TestBrief(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		`{"status":"ok","result":{"words":2},"did":"did:key:z6Mk","delegation":{"links":["AAAA"]},"attestation":{"signature":"BBBB"}}`: `ok {"words":2}, by did:key:z6Mk`,
		`{"status":"error","error":"no owl","did":"did:key:z6Mk","attestation":{"signature":"BBBB"}}`:                                  `error no owl, by did:key:z6Mk`,
		`{"status":"ok"}`: `{"status":"ok"}`, `"an owl"`: `"an owl"`, ``: ``,
	} {
		if got := brief([]byte(output)); got != want {
			t.Errorf("%s: %q, not %q", output, got, want)
		}
	}
}

// TestCheck: check fails about a home without agents, and says how many files it has read.
func TestCheck(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	check := func() (string, error) {
		var out bytes.Buffer
		a := cli.New(nil, &out, &out)
		a.Home = home
		cmd := newCheck(a)
		cmd.SetArgs(nil)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		err := cmd.Execute()
		return out.String(), err
	}
	if out, err := check(); err == nil || !strings.Contains(err.Error(), "there is no folder agents") {
		t.Errorf("a home that is not there: %q, %v", out, err)
	}
	folder := filepath.Join(home, shell.Folder)
	good := "[mind]\nkind = \"executable\"\nrun = [\"cat\"]\n[[capabilities]]\nname = \"echo\"\n"
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "a.toml"), []byte(good), 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := check(); err != nil || !strings.Contains(out, "1, and none is wrong") {
		t.Errorf("%q, %v", out, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "b.toml"), []byte("x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := check(); err == nil || !strings.Contains(out, "b.toml:1") {
		t.Errorf("%q, %v", out, err)
	}
}
