package devnet_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"ojud/ledger/devnet"
)

func TestHTTP(t *testing.T) {
	c := open(t, func(c *devnet.Config, d *devnet.Deps) {
		c.MaxBody, c.MaxBatch = 4<<10, 3
		d.Network = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if _, err := io.WriteString(w, `{"format":"oju-network/2"}`); err != nil {
				t.Error(err)
			}
		})
	})
	health := `{"jsonrpc":"2.0","id":1,"method":"getHealth"}`
	tests := []struct {
		name, method, path, kind, body string
		code                           int
		want                           string
	}{
		{"rpc", "POST", "/", "application/json", health, 200, `"result":"ok"`},
		{"charset", "POST", "/", "application/json; charset=utf-8", health, 200, `"result":"ok"`},
		{"form", "POST", "/", "application/x-www-form-urlencoded", health, 415, "application/json is required"},
		{"no type", "POST", "/", "", health, 415, "application/json is required"},
		{"too large", "POST", "/", "application/json", strings.Repeat(" ", 4<<10+1), 413, "too large"},
		{"batch", "POST", "/", "application/json", "[" + health + "," + health + "," + health + "]", 200, `"ok"`},
		{"too many", "POST", "/", "application/json", "[" + strings.Repeat(health+",", 3) + health + "]", 200, "-32600"},
		{"get", "GET", "/", "", "", 405, "POST or OPTIONS is required"},
		{"other path", "POST", "/x", "application/json", health, 404, ""},
		{"health", "GET", "/health", "", "", 200, "ok"},
		{"network", "GET", "/network.json", "", "", 200, "oju-network/2"},
		{"options", "OPTIONS", "/", "", "", 204, ""},
	}
	for _, k := range tests {
		t.Run(k.name, func(t *testing.T) {
			r, err := http.NewRequest(k.method, "http://devnet"+k.path, strings.NewReader(k.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", k.kind)
			r.Header.Set("Access-Control-Request-Headers", "content-type,solana-client")
			resp, err := c.Transport().RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			out, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != k.code || !strings.Contains(string(out), k.want) {
				t.Errorf("%d %s, want %d %s", resp.StatusCode, out, k.code, k.want)
			}
			if resp.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Error("no page may read this")
			}
			if k.method == "OPTIONS" && resp.Header.Get("Access-Control-Allow-Headers") != "content-type,solana-client" {
				t.Errorf("headers %v", resp.Header)
			}
		})
	}
}

func TestWithoutDescriptor(t *testing.T) {
	c := open(t, nil)
	resp, err := (&http.Client{Transport: c.Transport()}).Get("http://devnet/network.json")
	if err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("%v %v", resp, err)
	}
}

// TestBrokenChainSaysSo closes the chain under the server, which the server sees as a failure.
func TestBrokenChainSaysSo(t *testing.T) {
	s, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: quiet(), Genesis: genesis(), Manual: true})
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{Server: s, t: t}
	if err := s.Bank().Close(); err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]string{
		`"getHealth"`: "-32005", `"getSlot"`: "-32603",
		`"requestAirdrop","params":["11111111111111111111111111111112",1000000]`: "-32603",
		`"devnet_warp","params":[1]`: "-32603",
	} {
		if _, got := c.post(`{"jsonrpc":"2.0","id":1,"method":` + method + `}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", method, got, want)
		}
	}
	if err := s.Seal(); err == nil {
		t.Error("a slot was sealed")
	}
	resp, err := (&http.Client{Transport: s.Transport()}).Get("http://devnet/health")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := io.ReadAll(resp.Body); err != nil || string(out) != "unknown" {
		t.Errorf("health %s %v", out, err)
	}
	if err := s.Close(); err == nil {
		t.Error("closing did not say that the chain was closed")
	}
}
