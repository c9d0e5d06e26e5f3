package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/node/cluster"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// gathering starts three judges. The second and the third hold posts that differ.
func gathering(t *testing.T) (p *person, nodes func(n int) string, court string) {
	t.Helper()
	cfg := cluster.DefaultConfig().Sized(3).Fast()
	cfg.Dir = t.TempDir()
	c := startCourt(t, cfg)
	nodes = func(n int) string { return filepath.Join(cfg.Dir, "nodes", fmt.Sprintf("%02d", n)) }
	p = &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_HOME=" + nodes(1)}, shapes: map[string]any{}}
	for n, likes := range map[int]int{2: 12, 3: 13} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "7.json"), fmt.Sprintf(`{"likes":%d}`, likes))
		add := []string{"source", "add", "posts", "--home", nodes(n), "--files", dir, "--allow", "*.json", "--format", "json", "--who", "roster", "--access", "content"}
		p.text("added", add...)
		add[2] = "seats"
		p.text("added", append(add, "--who", "seated")...)
	}
	for _, source := range []string{"posts", "seats"} {
		p2ptest.Eventually(t, 2*time.Minute, "both nodes have read their folders and announced "+source, func() bool {
			_, out, _ := lineIn(t.Context(), p.environ, "source", "query", source, "--list", "--json")
			return strings.Count(out, `"card"`) == 2
		})
	}
	return p, nodes, c.Chain().RPC()
}

// TestSourceQuery asks peers through the running node, and checks that the output shows each
// answer, its terms, and the next step if there was no answer.
func TestSourceQuery(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	p, nodes, court := gathering(t)
	all := p.json("source", "query", "posts", "--list")
	if len(all) != 2 || all[0]["card"].(map[string]any)["terms"].(map[string]any)["who"] != "roster" {
		t.Errorf("%v", all)
	}
	v := p.json("source", "query", "posts", `{"name":"7.json"}`)[0]
	answers := v["answers"].([]any)
	if len(answers) != 2 {
		t.Fatal(v)
	}
	for _, a := range answers {
		a := a.(map[string]any)
		if likes := fmt.Sprint(a["answer"]); a["check"] != "good" || a["disputed"] != true || likes != "map[content:map[likes:12]]" && likes != "map[content:map[likes:13]]" {
			t.Errorf("%v", a)
		}
	}
	holder := answers[0].(map[string]any)["holder"].(string)
	p.text("the fields /content; nothing promised", "source", "query", "posts", `{"name":"7.json"}`, "--holder", holder)
	for _, says := range []string{"THE 2 HOLDERS CONTRADICT EACH OTHER", "besides any case", "signed by the holder over this request and this answer", "free; ", `{"content":{"likes":12}}`} {
		p.text(says, "source", "query", "posts", `{"name":"7.json"}`)
	}
	p.text("every judge on the roster", "source", "query", "posts", "--list")
	p.text("no peer says that it has nothing", "source", "query", "nothing", "--list")
	if found := p.json("source", "find", "post", "--network", court); len(found) != 1 || found[0]["source"] != "posts" || found[0]["staked"] != 2.0 || found[0]["others"] != 0.0 {
		t.Errorf("found %v", found)
	}
	p.text("no judge with a stake offers such data", "source", "find", "nothing", "--network", court)
	for _, c := range []struct {
		code int
		args []string
		says []string
	}{
		{1, []string{"posts", "--case", "11111111111111111111111111111112"}, []string{"the node says: not possible now: this node does not follow that case"}},
		{1, []string{"posts", "--holder", "bob"}, []string{"holder"}},
		{1, []string{"posts", "--home", t.TempDir()}, []string{"no node is running here", "ojud run"}},
		{2, []string{"posts", "--case", "bob"}, []string{`the case "bob" is not an address`}},
		{2, []string{"posts", "[]"}, []string{"REQUEST is not a JSON object"}},
		{2, []string{"posts", "--timeout", "1s"}, []string{"2s to 5m"}},
		{2, []string{"posts", "--max-price", "much"}, []string{"--max-price"}},
		{2, []string{"posts", "{}", "--list"}, []string{"--list takes the name"}},
		{2, []string{}, []string{"needs the source's name"}},
	} {
		p.bad(strings.Join(c.args, " "), append([]string{"source", "query"}, c.args...), c.code, c.says)
	}
	for _, c := range []struct {
		args      []string
		out, errs string
	}{
		{[]string{"seats", `{"name":"7.json"}`}, "refused: only judges of a live round may ask for the source", "every holder of the source refuses; name a live case in which this node sits"},
		{[]string{"nothing"}, "nobody who has the source was found", "no holder of the source answered"},
		{[]string{"posts", `{"nam":"7.json"}`}, "does not take the request", "see what the source takes with --list --json"},
	} {
		code, out, errs := lineIn(t.Context(), p.environ, append([]string{"source", "query"}, c.args...)...)
		if code != 1 || !strings.Contains(out, "no data   ") || !strings.Contains(unwrapped(out), c.out) || !strings.Contains(errs, c.errs) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit %d: %s, %s", c.args, code, out, errs)
		}
	}
	if v := p.json("source", "log", "--home", nodes(2), "--result", "answered", "--limit", "1")[0]; v["round"] != 0.0 {
		t.Errorf("%v", v)
	}
	p.text("posts   answered", "source", "log", "--home", nodes(2), "--source", "posts", "--result", "answered")
	delete(p.shapes, "source log")
	p.golden("TestSourceQuery", "testdata/query.golden")
}

// TestSourceQueryLies checks that the node is not believed: a receipt that does not fit the answer
// is reported, and the exit status is 1.
func TestSourceQueryLies(t *testing.T) {
	t.Parallel()
	p, nodes, _ := gathering(t)
	code, out, errs := lineIn(t.Context(), p.environ, "source", "query", "posts", `{"name":"7.json"}`, "--json")
	if code != 0 {
		t.Fatal(errs)
	}
	home := t.TempDir()
	key := strings.Repeat("k", 26)
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			t.Error("no key")
		}
		if _, err := fmt.Fprint(w, strings.Replace(out, `"likes":12`, `"likes":9`, 1)); err != nil {
			t.Error(err)
		}
	}))
	defer liar.Close()
	network, err := os.ReadFile(filepath.Join(nodes(1), "network.json"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "network.json"), string(network))
	write(t, filepath.Join(home, "api"), liar.Listener.Addr().(*net.TCPAddr).String())
	write(t, filepath.Join(home, "api.key"), key)
	code, shown, errs := lineIn(t.Context(), p.environ, "source", "query", "posts", `{"name":"7.json"}`, "--home", home)
	if code != 1 || !strings.Contains(unwrapped(shown), "DOES NOT HOLD: is of another answer") || !strings.Contains(errs, "does not hold") {
		t.Errorf("exit %d: %s %s", code, shown, errs)
	}
	var v struct {
		Answers []struct{ Receipt map[string]any }
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || len(v.Answers) != 2 || v.Answers[0].Receipt["signature"] == "" {
		t.Error(v, err)
	}
}
