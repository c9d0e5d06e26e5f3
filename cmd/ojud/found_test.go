package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/node/client"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// staying is a command that goes on until the test ends.
type staying struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (s *staying) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *staying) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// stay types a command that stays, and returns what it prints at the first match.
func stay(t *testing.T, environ []string, words []string, wanted string) string {
	t.Helper()
	out, done := &staying{}, make(chan int, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- execute(ctx, newApp(environ, out, out), words) }()
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != cli.ExitOK {
			t.Errorf("%s: exit %d: %s", words, code, out)
		}
	})
	find, found := regexp.MustCompile(wanted), ""
	p2ptest.Eventually(t, time.Minute, strings.Join(words, " ")+" says "+wanted, func() bool {
		if m := find.FindStringSubmatch(out.String()); m != nil {
			found = m[1]
		}
		return found != "" || len(done) > 0
	})
	if found == "" {
		t.Fatalf("%s ended: %s", words, out)
	}
	return found
}

// TestCourtsPage types the commands of docs/courts.md in order: from nothing to a court of three
// judges, on a chain to which the program is deployed. The test replaces the chain's address, the
// places of files, and ports that may be in use.
func TestCourtsPage(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	const page = "../../docs/courts.md"
	text := texts(t, ".md")[page]
	_, rules, _ := strings.Cut(text, "```\npanel_seats")
	rules, _, _ = strings.Cut("panel_seats"+rules, "```")
	dir := t.TempDir()
	p := &person{t: t, environ: []string{"HOME=" + dir}, shapes: map[string]any{}}
	file := filepath.Join(dir, "rules.txt")
	if err := cli.Save(file, func(w io.Writer) error { _, err := io.WriteString(w, rules); return err }); err != nil || !strings.Contains(rules, "min_seats") {
		t.Fatal(err, "the page has no rules")
	}
	_, panel, _ := strings.Cut(text, "```\nstake")
	panel, _, _ = strings.Cut("stake"+panel, "```")
	if err := os.WriteFile(filepath.Join(dir, "panel.toml"), []byte(panel), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(free.Addr().String())
	if err := errors.Join(err, free.Close()); err != nil {
		t.Fatal(err)
	}
	url, address, ran := "", "", map[string]int{}
	for _, c := range typedIn(t, page, text) {
		name := strings.Join(c.words[:2], " ")
		words := slices.Clone(c.words)
		for i, w := range words {
			switch {
			case w == "http://127.0.0.1:8899":
				words[i] = url
			case strings.HasPrefix(w, "/ip4/127.0.0.1/"):
				words[i] = "/ip4/127.0.0.1/tcp/" + port
			case w == "VAULT":
				words[i] = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
			case w == "MULTIADDR":
				words[i] = address
			case strings.HasSuffix(w, ".json") || strings.HasSuffix(w, ".txt") || i > 0 && strings.HasSuffix(w, ".toml") || i > 0 && (words[i-1] == "--home" || words[i-1] == "--homes"):
				words[i] = filepath.Join(dir, w)
			}
		}
		ran[name]++
		switch {
		case name == "chain run":
			url = stay(t, p.environ, []string{"chain", "run", "--rpc-port", "0"}, `The chain is at (\S+)`)
		case name == "join "+c.words[1]:
			if said := stay(t, p.environ, words, `address +(\S+)`); address == "" {
				address = said
			}
		default:
			if words[1] == "create" {
				words = append(words, "--file", filepath.Join(dir, "network.json"))
			}
			code, out, errs := lineIn(t.Context(), p.environ, words...)
			if code != cli.ExitOK {
				t.Fatalf("%s: exit %d: %s", c, code, errs)
			}
			t.Logf("%s\n%s", c, out)
		}
	}
	if ran["join network.json"] != 3 || ran["court create"] != 3 {
		t.Errorf("typed %v", ran)
	}
	p.environ = append(p.environ, "OJUD_NETWORK="+filepath.Join(dir, "network.json"))
	if judges := p.json("judge", "list"); len(judges) != 5 {
		t.Errorf("judges: %v", judges)
	}
	p.keep(dir)
}

// keep changes who may replace the program of the court.
func (p *person) keep(dir string) {
	key, next := filepath.Join(dir, "id.json"), filepath.Join(dir, "next.json")
	address := p.json("chain", "airdrop", "1sol", "--key", next, "--create-key", "--rpc", p.network(dir))[0]["address"].(string)
	refused := func(want string, args ...string) {
		p.t.Helper()
		if code, _, errs := lineIn(p.t.Context(), p.environ, args...); code == cli.ExitOK || !strings.Contains(errs, want) {
			p.t.Errorf("%v: exit %d: %s", args, code, errs)
		}
	}
	network, founder := filepath.Join(dir, "network.json"), addressOf(p.t, key)
	raw, err := os.ReadFile(network)
	if err != nil || !strings.Contains(string(raw), founder) {
		p.t.Errorf("%s, %v", raw, err)
	}
	if made := p.json("init", "--network", network, "--home", filepath.Join(dir, "signed"), "--signed-by", founder)[0]; made["signed_by"] != founder {
		p.t.Errorf("%v", made)
	}
	changed := filepath.Join(dir, "changed.json")
	if err := os.WriteFile(changed, bytes.Replace(raw, []byte("127.0.0.1"), []byte("127.0.0.2"), 1), 0o600); err != nil {
		p.t.Fatal(err)
	}
	refused("and not by "+address, "init", "--network", network, "--home", filepath.Join(dir, "other"), "--signed-by", address)
	refused("somebody changed the file", "init", "--network", changed, "--home", filepath.Join(dir, "other"))
	refused("somebody changed the file", "join", changed, "--home", filepath.Join(dir, "signed"))
	refused("has no power over the court", "court", "sign", network, "--key", next)
	refused("name its file with --key", "court", "sign", network)
	refused("somebody changed it after it was signed", "court", "sign", changed, "--key", key, "--rpc", p.network(dir))
	if done := p.json("court", "sign", changed, "--key", key, "--edited", "--rpc", p.network(dir))[0]; done["signer"] != founder || done["wrote"] != true {
		p.t.Errorf("%v", done)
	}
	if made := p.json("init", "--network", changed, "--home", filepath.Join(dir, "other"))[0]; made["signed_by"] != founder {
		p.t.Errorf("%v", made)
	}
	refused("and the new one earlier", "init", "--network", network, "--home", filepath.Join(dir, "other"))
	if _, out, _ := lineIn(p.t.Context(), p.environ, "court", "doctor"); !strings.Contains(out, "network.json is signed by "+founder) {
		p.t.Error(out)
	}
	refused("only", "court", "freeze", "--key", next, "--yes")
	for _, dead := range []string{"SysvarC1ock11111111111111111111111111111111", "11111111111111111111111111111112", "BPFLoaderUpgradeab1e11111111111111111111111",
		"Stake11111111111111111111111111111111111111", "Vote111111111111111111111111111111111111111", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"} {
		refused("nobody can ever sign", "court", "hand-over-program", dead, "--key", key, "--yes")
	}
	refused("may upgrade it already", "court", "hand-over-program", p.json("court", "freeze", "--dry-run")[0]["signer"].(string), "--key", key)
	_, plan, _ := lineIn(p.t.Context(), p.environ, "court", "freeze", "--unsigned")
	if tx, err := base64.StdEncoding.DecodeString(strings.TrimSpace(plan)); err != nil || len(tx) < 200 {
		p.t.Errorf("unsigned: %q, %v", plan, err)
	}
	if done := p.json("court", "hand-over-program", address, "--key", key, "--yes")[0]; done["upgrade"] != address {
		p.t.Errorf("%v", done)
	}
	refused("only "+address, "court", "freeze", "--key", key, "--yes")
	if done := p.json("court", "freeze", "--key", next, "--yes")[0]; done["upgrade"] != "" {
		p.t.Errorf("%v", done)
	}
	refused("nobody may upgrade it already", "court", "freeze", "--key", next, "--yes")
	if _, out, _ := lineIn(p.t.Context(), p.environ, "court", "doctor"); !strings.Contains(out, "nobody can replace the program") {
		p.t.Error(out)
	}
}

// network returns the URL of the chain of the court in a folder.
func (p *person) network(dir string) string {
	p.t.Helper()
	d, err := client.LoadNetwork(p.t.Context(), filepath.Join(dir, "network.json"), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return d.RPC
}
