package delegation

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/cmd/ojud/cli"
	"ojud/node/client"
)

// guest signs for an agent of another home.
type guest struct{ ed25519.PrivateKey }

func (k guest) Principal() delegation.Principal {
	return delegation.Principal(k.Public().(ed25519.PublicKey))
}

func (k guest) Sign(m []byte) [64]byte { return [64]byte(ed25519.Sign(k.PrivateKey, m)) }

// TestAuditShow: a person sees the lines that are asked for, in text of 100 columns, while the host
// has the log open; and a line that somebody changed ends the list.
func TestAuditShow(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "agents", "keys"), 0o700); err != nil {
		t.Fatal(err)
	}
	key, _, err := client.LoadOrCreateKey(filepath.Join(home, "agents", "keys", "counter.json"))
	if err != nil {
		t.Fatal(err)
	}
	// It is an agent of the court, whose file names its key.
	const front = "key = \"../wallet.json\"\n[mind]\nkind = \"executable\"\nrun = [\"cat\"]\n[[capabilities]]\nname = \"serve\"\n"
	if err := os.WriteFile(filepath.Join(home, "agents", "front.toml"), []byte(front), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := client.LoadOrCreateKey(filepath.Join(home, "wallet.json")); err != nil {
		t.Fatal(err)
	}
	self, carol := signer{key}, guest{ed25519.NewKeyFromSeed(make([]byte, 32))}
	at := int64(1_800_000_000)
	trail, err := audit.Open(filepath.Join(home, "audit"), self, func() int64 { at += 60; return at })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	})
	lines := []audit.AgentInvoke{
		{From: carol.Principal(), To: self.Principal(), Capability: "/counter/words", Call: "bafyreifirst", Chain: []string{"l1"}, Result: "asked"},
		{From: carol.Principal(), To: self.Principal(), Capability: "/counter/words", Call: "bafyreifirst", Chain: []string{"l1"}, Result: "refused", Reason: "InvalidCommand: " + strings.Repeat("it allows less ", 12) + "\x1b[2J"},
		{From: self.Principal(), To: self.Principal(), Capability: "/counter/wordsmith", Call: "bafyreisecond", Result: "settled"},
		{To: self.Principal(), Capability: "anex.heard", Call: "sha256:0011", Result: "heard", Conversation: audit.Conversation("trip-1")},
		{Capability: "/ucan/revoke", Chain: []string{"l1"}, Result: "revoked"},
	}
	for _, act := range lines {
		if err := trail.Append(act); err != nil {
			t.Fatal(err)
		}
	}
	show := func(json bool, args ...string) (string, error) {
		var out bytes.Buffer
		a := cli.New(nil, &out, &out)
		a.Home, a.JSON = home, json
		cmd := newAuditShow(a)
		cmd.SetArgs(args)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		err := cmd.Execute()
		return out.String(), err
	}
	text, err := show(false)
	if err != nil || strings.Contains(text, "\x1b") {
		t.Errorf("%q, %v", text, err)
	}
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 100 {
			t.Errorf("a line is too long: %s", line)
		}
	}
	for _, want := range []string{"log    counter did:key:", "5 of 5 lines", "2027-01-15 08:01:00  asked", "to counter", "from somebody without a key to counter, message sha256:0011, conversation sha256:", "link l1"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("it does not say %q: %s", want, text)
		}
	}
	did := carol.Principal().String()
	for args, want := range map[string]string{
		"": "asked refused settled heard revoked", "counter": "asked refused settled heard revoked",
		"--result refused": "refused", "--with " + did: "asked refused", "--with counter": "asked refused settled heard",
		"--capability counter.words": "asked refused", "--capability counter": "asked refused settled", "--capability anex": "heard",
		"--conversation bafyreif": "asked refused", "--conversation trip-1": "heard", "--conversation " + audit.Conversation("trip-1")[:14]: "heard",
		"--limit 2": "heard revoked", "--limit 1 --result settled": "settled", "--limit 1": "revoked",
		"--since 2027-01-15T08:04:00Z": "heard revoked", "--until 2027-01-15T08:01:00Z": "asked", "--conversation none": "",
	} {
		raw, err := show(true, strings.Fields(args)...)
		if err != nil {
			t.Errorf("%s: %v", args, err)
		}
		var got []string
		for line := range strings.Lines(raw) {
			var e struct{ Act audit.AgentInvoke }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Act.Result)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	if text, err := show(false, "--conversation", "none"); err != nil || !strings.Contains(text, "none is of this kind") {
		t.Errorf("%s, %v", text, err)
	}
	for args, want := range map[string]string{"nobody": "agents of this home: counter, front", "front": "there is no audit log of", "--since noon": "--since", "--limit 0": "--limit", did: "there is no audit log of", "--with x": "--with"} {
		if _, err := show(true, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	file := audit.File(filepath.Join(home, "audit"), self.Principal())
	raw, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "copy.audit"), append(bytes.Replace(raw, []byte(`"settled"`), []byte(`"refused"`), 1), raw[:9]...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := show(true, filepath.Join(home, "copy.audit")); err == nil || !strings.Contains(err.Error(), "line 3: the agent did not sign it") || strings.Count(out, "\n") != 2 {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(home, "copy.audit"), raw[:len(raw)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := show(false, filepath.Join(home, "copy.audit")); err != nil || !strings.Contains(out, "unfinished") || !strings.Contains(out, "4 of 4 lines") {
		t.Errorf("%v: %s", err, out)
	}
}
