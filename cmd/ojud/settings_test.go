package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/node"
)

// TestConfig checks that a setting is shown with its place, and that the error about a wrong one
// names the place to read.
func TestConfig(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if code, out, errs := line(t, "config", "--home", home, "show", "--changed"); code != cli.ExitOK || !strings.Contains(out+errs, "has its default value") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	run := func(want int, says string, args ...string) {
		t.Helper()
		code, out, errs := lineIn(t.Context(), []string{"HOME=" + home, "OJUD_API__REQUEST_TIMEOUT=9s"}, append([]string{"config", "--home", home}, args...)...)
		if code != want || !strings.Contains(out+errs, says) {
			t.Errorf("%v: exit %d, %q does not say %q", args, code, out+errs, says)
		}
	}
	run(cli.ExitOK, "in "+home+"/ojud.toml", "set", "ledger.rpc", "127.0.0.1:8899")
	run(cli.ExitOK, "http://127.0.0.1:8899\n", "get", "ledger.rpc")
	run(cli.ExitOK, home+"/ojud.toml:2", "show", "ledger")
	run(cli.ExitOK, "environment: OJUD_API__REQUEST_TIMEOUT", "show", "--changed")
	run(cli.ExitOK, `"default":"30s"`, "get", "api.request_timeout", "--json")
	run(cli.ExitFailed, `did you mean "ledger.rpc"?`, "get", "ledger.rcp")
	run(cli.ExitFailed, "sync.interval", "set", "sync.interval", "3h")
	run(cli.ExitFailed, "docs/settings.md", "get", "zzzzzzzzzzzzzzzz")
	run(cli.ExitUsage, "config set needs a value", "set", "ledger.rpc")
	run(cli.ExitOK, "there is no such setting", "show", "nothing")
	run(cli.ExitFailed, "which is no multiaddr", "set", "p2p.listen", "x")
	run(cli.ExitOK, "is no longer in "+home+"/ojud.toml", "unset", "ledger.rpc")
	run(cli.ExitFailed, "is not in the settings file", "unset", "ledger.rpc")
}

// TestRPC checks that --rpc and OJUD_LEDGER__RPC work for every command that asks a court.
func TestRPC(t *testing.T) {
	t.Parallel()
	var asked []string
	rpc := func(name string) string { // returns an RPC node of another chain
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked = append(asked, name)
			w.Header().Set("Content-Type", "application/json")
			if _, err := io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY"}`); err != nil {
				t.Error(err)
			}
		}))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	courts, flags, variables := rpc("court"), rpc("flag"), rpc("variable")
	network, task := filepath.Join(t.TempDir(), "network.json"), "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2"
	write(t, network, fmt.Sprintf(`{"format":%q,"name":"x","network":%q,"program":%q,"rpc":"http://%s","bootstrap":[]}`,
		node.DescriptorFormat, strings.Repeat("ab", 32), task, courts))
	for _, args := range [][]string{{"agent", "list"}, {"task", "list"}, {"task", "show", task}, {"case", "list"}, {"case", "watch", task},
		{"judge", "list"}, {"airdrop", "1sol", "--to", task}} {
		args = append(args, "--network", network)
		env := []string{"HOME=" + t.TempDir()}
		for want, call := range map[string]struct{ env, args []string }{
			"court": {env, args}, "flag": {append(env, "OJUD_LEDGER__RPC="+variables), append(args, "--rpc", flags)},
			"variable": {append(env, "OJUD_LEDGER__RPC="+variables), args},
		} {
			asked = nil
			if code, _, errs := lineIn(t.Context(), call.env, call.args...); code != cli.ExitFailed || len(asked) == 0 || asked[0] != want {
				t.Errorf("%v: exit %d, %q; %v was asked, want %s", call.args, code, errs, asked, want)
			}
		}
	}
}
