package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host/shell"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// hosts runs "agents run" for a home until the test ends, and returns where others reach it.
func (p *person) hosts(home string) (public string) {
	p.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	from, to := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		a := newApp(p.environ, to, &errs)
		code := execute(ctx, a, []string{"agents", "run", "--home", home, "--public", "127.0.0.1:0", "--json"})
		ended <- code
		_ = to.Close() // of a pipe; it never fails
	}()
	out := bufio.NewReader(from)
	line, err := out.ReadBytes('\n')
	p.t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			p.t.Errorf("agents run ends with %d: %s", code, &errs)
		}
	})
	var at struct{ Public string }
	if err != nil || json.Unmarshal(line, &at) != nil {
		p.t.Fatalf("agents run says %s: %v", line, err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(at.Public, "agent://"), "/ID/CAPABILITY")
}

// TestNames: a caller who knows the name of an agent, or its address in the court, and no host,
// calls it: at the host of the home, or where the card of the agent says. Who takes the name of an
// agent in a card of another operator, or copies the address of its card, gets no call and keeps
// nobody from calling, not even while the copy is the only card.
func TestNames(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	c := startCourt(t, cluster.DefaultConfig().Sized(3).Fast())
	dir := t.TempDir()
	p := &person{t: t, environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "OJUD_NETWORK=" + c.Chain().RPC(), "OJUD_HOME=" + filepath.Join(dir, "nobody")}, shapes: map[string]any{}}
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	const file = "[mind]\nkind = \"executable\"\nrun = [\"/bin/sh\", \"-c\", \"echo 7\"]\n[[capabilities]]\nname = \"words\"\n"
	// publish runs an agent "counter" of an operator, and puts its card on the chain.
	publish := func(name string) (key string) {
		if err := os.MkdirAll(at(name, shell.Folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name, shell.Folder, "counter.toml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		public := p.hosts(at(name))
		_, where, _ := strings.Cut(public, "@")
		p.json("agents", "card", "counter", "--at", where, "--home", at(name), "--out", at(name, "card"))
		return at(name, shell.Folder, "keys", "counter.json")
	}
	sign := func(name, key, card string) (address string) {
		p.json("agent", "card", "sign", card, "--key", key, "--out", at(name, "signed"))
		p.json("agent", "register", "--airdrop", "--card", at(name, "signed"), "--key", key)
		return p.json("agent", "delegation", "key", "--key", key)[0]["address"].(string)
	}
	sign("mallory", publish("mallory"), at("mallory", "card"))
	worker := publish("worker")
	// Mallory copies the card of the worker, with the key of its operator in the address.
	if err := os.MkdirAll(at("copy"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.json("agent", "delegation", "key", "--create-key", "--key", at("copy", "key.json"))
	sign("copy", at("copy", "key.json"), at("worker", "card"))
	did := p.json("agent", "delegation", "key", "--key", at("worker", shell.Folder, "keys", "counter.json"))[0]["did"].(string)
	carols := p.json("agent", "delegation", "key", "--create-key", "--key", at("carol.json"))[0]
	carol, carolDID := carols["address"].(string), carols["did"].(string)
	p.json("agent", "delegate", "--to", carol, "--allow", "counter.words", "--key", at("worker", shell.Folder, "keys", "operator.json"), "--out", at("carol.chain"))

	says := func(want string, args ...string) {
		t.Helper()
		code, out, errs := lineIn(t.Context(), p.environ, append(args, "--key", at("carol.json"), "--json")...)
		if !strings.Contains(out+errs, want) || (code == 0) != strings.HasPrefix(want, `"`) {
			t.Errorf("%v: %d, not %s: %s%s", args, code, want, out, errs)
		}
	}
	under := []string{"--under", at("carol.chain")}
	// The copy is the only card yet, and the agent of the worker signs the result.
	says(`"did":"`+did+`"`, append([]string{"agents", "invoke", "agent://counter/words", "1"}, under...)...)
	address := sign("worker", worker, at("worker", "card"))
	for _, id := range []string{"counter", address, strings.TrimPrefix(did, "did:key:")} {
		says(`"did":"`+did+`"`, append([]string{"agents", "invoke", "agent://" + id + "/words", "1"}, under...)...)
	}
	says(`"attested":true`, append([]string{"agents", "talk", "agent://counter/words", "1"}, under...)...)
	says(`"did":"`+did+`"`, append([]string{"agents", "status", "agent://counter"}, under...)...)
	says("leave --did out", append([]string{"agents", "invoke", "agent://" + address + "/words", "1", "--did", carolDID}, under...)...)
	says("no card in the court", append([]string{"agents", "invoke", "agent://other/words", "1"}, under...)...)
	says("is no agent of this home", "agents", "invoke", "agent://"+address+"/words", "1")
	says("no agent host is running here", "agents", "invoke", "agent://counter/words", "1")
	p.json("agent", "delegation", "key", "--create-key", "--key", at("other.json"))
	p.json("agent", "delegate", "--to", carol, "--allow", "counter.words", "--key", at("other.json"), "--out", at("other.chain"))
	says("no card in the court", "agents", "invoke", "agent://counter/words", "1", "--under", at("other.chain"))

	// At the host of the home, a name is that of an agent there, and so is the key.
	home := append(p.environ, "OJUD_HOME="+at("worker"))
	for _, id := range []string{"counter", address} {
		if code, out, errs := lineIn(t.Context(), home, "agents", "invoke", "agent://"+id+"/words", "1", "--json"); code != 0 || !strings.Contains(out, did) || strings.Contains(errs, "card") {
			t.Errorf("%s at home: %d %s%s", id, code, out, errs)
		}
	}
}
