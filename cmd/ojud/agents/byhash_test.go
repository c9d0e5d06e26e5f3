package agents

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/agents"
)

// TestAttackImportByHash: a card names a file of its agent. A stranger who names that file in a
// card of its own, or another file under that hash, gets nobody to take in anything else.
func TestAttackImportByHash(t *testing.T) {
	t.Parallel()
	home, folder := hosted(t), t.TempDir()
	file := filepath.Join(folder, "friend.agent")
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			http.ServeFile(w, r, filepath.Join(folder, "card"))
			return
		}
		http.ServeFile(w, r, file)
	}))
	t.Cleanup(site.Close)
	run := func(words ...string) error {
		var out bytes.Buffer
		a := cli.New(os.Environ(), &out, &out)
		a.Home = home
		cmd := Command(a)
		cmd.SetArgs(words)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		return cmd.ExecuteContext(t.Context())
	}
	at := site.URL + "/friend.agent"
	card := []string{"card", "friend", "--at", "h.example:4800", "--file", file, "--out", filepath.Join(folder, "card"), "--url"}
	if err := run("export", "friend", "--out", file); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string][]string{"give both": card[:6], "no https address": append(card, "http://h.example/x"), "leave it out": {"import", strings.Repeat("a", 64), "--sha256", "b"}} {
		if err := run(want...); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v: %v; want %q", want, err, words)
		}
	}
	if err := run(append(card, at)...); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(folder, "card"))
	if err != nil {
		t.Fatal(err)
	}
	mallory, _, err := transact.LoadOrCreateKeypair(filepath.Join(folder, "key.json"))
	if err != nil {
		t.Fatal(err)
	}
	friend, err := transact.LoadKeypair(filepath.Join(home, shell.Folder, "keys", "friend.json"))
	if err != nil {
		t.Fatal(err)
	}
	profile := func(key *transact.Keypair, raw []byte) agents.Profile {
		signed, err := agentcard.Sign(raw, casefile.Address(key.Address()), func(m []byte) [64]byte { return key.Sign(m) })
		if err != nil {
			t.Fatal(err)
		}
		s, err := agentcard.Parse(signed)
		if err != nil {
			t.Fatal(err)
		}
		return agents.Profile{Agent: &program.Agent{Authority: key.Address()}, Card: &s}
	}
	own, stolen := profile(friend, raw), profile(mallory, raw)
	moved := profile(mallory, bytes.Replace(raw, []byte("/friend.agent"), []byte("/other"), 1))
	f, ok := fileIn(*own.Card)
	if !ok {
		t.Fatalf("%s", own.Card.Content)
	}
	byCard := casefile.Digest(own.Card.Hash).String()
	var crowd []agents.Profile // it says that each of its files is the one with the hash of this card
	for n := range mostFiles {
		other := bytes.Replace(raw, []byte("/friend.agent"), fmt.Appendf(nil, "/other%d", n), 1)
		crowd = append(crowd, profile(mallory, bytes.Replace(other, []byte(f.SHA256.String()), []byte(byCard), 1)))
	}
	for _, v := range []struct {
		agents []agents.Profile
		hash   string
		want   string // of the error; empty: the file comes
	}{
		{[]agents.Profile{{Agent: &program.Agent{}}, own}, f.SHA256.String(), ""},
		{[]agents.Profile{own}, byCard, ""},
		{append(crowd, own), byCard, ""},
		{[]agents.Profile{moved, stolen, own}, f.SHA256.String(), ""},
		{[]agents.Profile{stolen}, f.SHA256.String(), "and the card by"},
		{[]agents.Profile{moved}, f.SHA256.String(), "not that of the card"},
		{[]agents.Profile{own}, strings.Repeat("0", 64), "no card in the court"},
	} {
		got, from, sum, err := ofCards(t.Context(), site.Client().Transport, agents.Directory{Agents: v.agents}, v.hash)
		if v.want != "" {
			if err == nil || !strings.Contains(err.Error(), v.want) {
				t.Errorf("%v; want %q", err, v.want)
			}
			continue
		}
		if whole, bad := os.ReadFile(file); err != nil || bad != nil || !bytes.Equal(got, whole) || from != at || sum != f.SHA256.String() {
			t.Errorf("%s %s, %v, %v", from, sum, err, bad)
		}
	}
}
