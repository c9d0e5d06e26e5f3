package doctor

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/node"
	"ojud/node/status"
)

// testHome makes a home of a court at an RPC URL, with source files.
func testHome(t *testing.T, rpc string, files map[string]string) node.Home {
	t.Helper()
	home, _, err := node.Init(filepath.Join(t.TempDir(), "home"), node.Descriptor{
		Format: node.DescriptorFormat, Name: "test", Network: casefile.Digest{1}.String(), Program: casefile.Address{2}.String(),
		RPC: rpc, WS: "ws://127.0.0.1:1", Bootstrap: []string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, upstream := range files {
		raw := fmt.Sprintf(`{"name":%q,"description":"d","inputSchema":{"type":"object","properties":{}},"outputSchema":{},
			"terms":{"promises":{"freshness_seconds":60}},"upstream":%s}`, name, upstream)
		s, err := datasource.Parse([]byte(raw))
		if err == nil {
			err = datasource.Write(home.Path("sources"), s)
		}
		if err != nil {
			t.Fatal(name, err)
		}
	}
	return home
}

// TestSources: Solana sources use the court's RPC node. A missing target is found, whether it can
// be asked or not.
func TestSources(t *testing.T) {
	t.Parallel()
	asked := 0
	court := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		if _, err := fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":{"data":["","base64"],"executable":false,"lamports":1,"owner":"11111111111111111111111111111111","rentEpoch":0,"space":0}}}`); err != nil {
			t.Error(err)
		}
	}))
	defer court.Close()
	empty := t.TempDir()
	post := func(port string) string {
		return `{"kind":"http","method":"POST","url":"http://127.0.0.1:` + port + `/","body":{"a":"{a}"},"hosts":["127.0.0.1:` + port + `"],"allow_private":true}`
	}
	_, port, err := net.SplitHostPort(court.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	home := testHome(t, court.URL, map[string]string{
		"chain.account":  `{"kind":"solana","read":"account","address":"11111111111111111111111111111111"}`,
		"files.empty":    `{"kind":"files","dir":"` + empty + `","allow":["*.json"],"format":"json"}`,
		"files.missing":  `{"kind":"files","dir":"/nowhere/at/all","allow":["*.json"],"format":"json"}`,
		"sqlite.missing": `{"kind":"sqlite","path":"/nowhere/posts.db","queries":{"all":{"sql":"select 1"}}}`,
		"web.dead":       post("1"),
		"web.up":         post(port),
	})
	found := map[string]status.Finding{}
	if err := trySources(t.Context(), home, node.DefaultConfig(), Deps{}, func(f status.Finding) error {
		found[strings.TrimPrefix(f.Name, "source ")] = f
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"chain.account": true, "files.empty": true, "files.missing": false, "sqlite.missing": false, "web.dead": false, "web.up": true,
	} {
		f, ok := found[name]
		if name == "chain.account" { // the court answers nothing that a source could use
			continue
		}
		if !ok || f.OK != want || !want && f.Next == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if asked == 0 {
		t.Error("the court's RPC node was not asked")
	}
}

// TestPorts: a port in use and a wrong address are named with their flag; a free port is not
// mentioned.
func TestPorts(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	cfg := node.DefaultConfig()
	for _, c := range []struct {
		api    string
		listen []string
		says   []string
	}{
		{"127.0.0.1:0", []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1", "/dns4/x/tcp/1"}, nil},
		{"off", nil, nil},
		{l.Addr().String(), nil, []string{"another program uses the tcp port", "--api"}},
		{"off", []string{"/ip4/127.0.0.1/tcp/" + port}, []string{"another program uses", "--listen"}},
		{"off", []string{"nonsense"}, []string{`"nonsense" is not a multiaddr`, "--listen"}},
		{"off", []string{"/ip4/300.1.1.1/tcp/1"}, []string{"no IP address"}},
	} {
		cfg.API.Listen, cfg.P2P.Listen = c.api, c.listen
		out := Ports(t.Context(), cfg)
		if c.says == nil && len(out) == 0 {
			continue
		}
		if len(out) != 1 || !out[0].Fatal {
			t.Errorf("%v: %+v", c, out)
			continue
		}
		for _, says := range c.says {
			if !strings.Contains(out[0].Detail+out[0].Next, says) {
				t.Errorf("%+v does not say %q", out[0], says)
			}
		}
	}
}

// TestDisk: a missing home is reported, and not taken for a full disk.
func TestDisk(t *testing.T) {
	t.Parallel()
	home := testHome(t, "http://127.0.0.1:1", nil)
	if err := os.RemoveAll(home.Dir); err != nil {
		t.Fatal(err)
	}
	if f := Disk(home); f.OK || !strings.Contains(f.Next, "mounted") {
		t.Errorf("%+v", f)
	}
}

// TestFamilies: a judge that wants a second family of models hears whether it has one.
func TestFamilies(t *testing.T) {
	if f := families([]string{"qwen", "llama"}); !f.OK || f.Detail != "qwen, llama" {
		t.Errorf("%+v", f)
	}
	for _, names := range [][]string{nil, {""}, {"qwen"}} {
		if f := families(names); f.OK || !strings.Contains(f.Detail, "second_family") || f.Next == "" {
			t.Errorf("%q: %+v", names, f)
		}
	}
}
