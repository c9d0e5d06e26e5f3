package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSource checks that a setting names the source of its value, and that an error names the place
// of the wrong value.
func TestSource(t *testing.T) {
	t.Parallel()
	dir := home(t, "# mine\n[ledger]\nrpc = \"https://rpc.example/?api-key=secret\"\n\n[ledger.calls]\nmax_per_second = 7.5\n")
	file := filepath.Join(dir, FileName)
	s := Sources{Home: dir, Env: []string{"OJUD_API__REQUEST_TIMEOUT=9s"}, Flags: map[string]any{"log.level": "warn"}}
	for key, want := range map[string]Setting{
		"ledger.rpc":                  {Value: "https://rpc.example/… (hidden)", Source: file + ":3"},
		"ledger.calls.max_per_second": {Value: "7.5", Source: file + ":6"},
		"api.request_timeout":         {Value: "9s", Default: "30s", Source: "environment: OJUD_API__REQUEST_TIMEOUT"},
		"log.level":                   {Value: "warn", Default: "info", Source: "command line"},
		"log.format":                  {Value: "auto", Default: "auto", Source: "default"},
	} {
		got, err := Get(s, key)
		if err != nil || got.Value != want.Value || got.Source != want.Source || want.Default != "" && got.Default != want.Default {
			t.Errorf("%s: %+v, %v", key, got, err)
		}
	}
	if _, err := Get(s, "ledger.rcp"); err == nil || !strings.Contains(err.Error(), `"ledger.rpc"`) {
		t.Error(err)
	}
}

// TestWhere checks that an error names file, line and key, or the variable, or the command line.
func TestWhere(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Sources{
		"FILE:2:5: expected": {Home: home(t, "[api]\nrpc \"x\"\n")},
		`FILE:3: judge.kind: node: judge: judge: kind is "modl"; set it to "code" or "model"; did you mean "model"?`: {Home: home(t, "[judge]\nmax_parallel_cases = 1\nkind = \"modl\"\n")},
		`FILE:2: "leger.rpc" is not a setting, because there is no section "leger"; did you mean "ledger.rpc"?`:      {Home: home(t, "[leger]\nrpc = \"x\"\n")},
		`FILE:2: api.request_timeout: "soon" is not a duration`:                                                      {Home: home(t, "[api]\nrequest_timeout = \"soon\"\n")},
		"environment: OJUD_SYNC__INTERVAL: sync.interval: ":                                                          {Home: t.TempDir(), Env: []string{"OJUD_SYNC__INTERVAL=3h"}},
		"command line: min_balance: ": {Home: t.TempDir(), Flags: map[string]any{"min_balance": "-1"}},
	} {
		_, err := Load(s)
		want = strings.ReplaceAll(want, "FILE", filepath.Join(s.Home, FileName))
		if !errors.Is(err, errConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
}

// TestSet checks that a file keeps its comments and order, and that Set refuses values that would
// not load.
func TestSet(t *testing.T) {
	t.Parallel()
	dir := home(t, "# top\n[ledger] # the chain\nrpc = \"http://a:1\"\n\n[p2p]\nlisten = [\n  \"/ip4/127.0.0.1/tcp/1\",\n]\n")
	s := Sources{Home: dir}
	for _, set := range [][2]string{{"ledger.rpc", "http://b:2"}, {"ledger.calls.max_per_second", "3"}, {"min_balance", "7"}, {"ledger.calls.attempt_timeout", "9s"}, {"models.retries", "1"},
		{"p2p.announce", "/ip4/1.2.3.4/tcp/1,/ip4/1.2.3.4/tcp/2"}, {"p2p.observe_addrs", "false"}} {
		if _, err := Set(s, set[0], set[1]); err != nil {
			t.Fatalf("%v: %v", set, err)
		}
	}
	const want = `# top
min_balance = 7
[ledger] # the chain
rpc = "http://b:2"

[p2p]
observe_addrs = false
announce = ["/ip4/1.2.3.4/tcp/1", "/ip4/1.2.3.4/tcp/2"]
listen = [
  "/ip4/127.0.0.1/tcp/1",
]

[ledger.calls]
attempt_timeout = "9s"
max_per_second = 3

[models]
retries = 1
`
	raw, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
	c, err := Load(s)
	if err != nil || c.Node.Ledger.RPC != "http://b:2" || c.Node.Ledger.Calls.Rate != 3 || c.Node.MinBalance != 7 || c.Node.P2P.ObserveAddrs || len(c.Node.P2P.Announce) != 2 {
		t.Errorf("%+v, %v\n%s", c.Node.Ledger, err, raw)
	}
	before := string(raw)
	for key, value := range map[string]string{"ledger.rcp": "x", "p2p.listen": "x", "sync.interval": "3h", "api.request_timeout": "soon", "min_balance": "-1", "judge.memory.enabled": "yes", "models.list": "x"} {
		if path, err := Set(s, key, value); err == nil {
			t.Errorf("%s = %s is in %s", key, value, path)
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, FileName)); err != nil || string(raw) != before {
		t.Errorf("a value that was refused is in the file: %s %v", raw, err)
	}
	if _, err := Unset(s, "p2p.listen"); err == nil {
		t.Error("a value of several lines is taken out")
	}
	if _, err := Unset(s, "log.level"); !errors.Is(err, ErrNotSet) {
		t.Error(err)
	}
	if _, err := Unset(s, "ledger.rpc"); err != nil {
		t.Error(err)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, FileName)); err != nil || string(raw) != strings.Replace(want, "rpc = \"http://b:2\"\n", "", 1) {
		t.Errorf("%s %v", raw, err)
	}
	fresh := Sources{Home: filepath.Join(t.TempDir(), "new")}
	if _, err := Set(fresh, "log.level", "debug"); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(fresh); err != nil || c.Log.Level != "debug" {
		t.Errorf("%+v %v", c.Log, err)
	}
}
