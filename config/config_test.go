package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// home makes a home with this settings file.
func home(t *testing.T, toml string) string {
	t.Helper()
	dir := t.TempDir()
	if toml != "" {
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(toml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPrecedence checks that each place overrides the one before, and that other settings keep
// their default.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	file := "[log]\nlevel = \"warn\"\nformat = \"json\"\n[ledger]\nrpc = \"http://file:1\"\n[ledger.calls]\nmax_per_second = 7.5\n[api]\nlisten = \"127.0.0.1:1\"\n"
	env := []string{"OJUD_LEDGER__RPC=http://env:2", "OJUD_API__LISTEN=127.0.0.1:2", "OJUD_LEDGER__CALLS__ATTEMPT_TIMEOUT=3s", "OTHER=x", "OJUD_HOME=/elsewhere", "OJUD_MIN_BALANCE=5"}
	c, err := Load(Sources{Home: home(t, file), Env: env, Flags: map[string]any{"api.listen": "127.0.0.1:3"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []struct {
		what      string
		got, want any
	}{
		{"file over default", c.Log.Level, "warn"}, {"file over default", c.Log.Format, "json"}, {"file, nested", c.Node.Ledger.Calls.Rate, 7.5},
		{"environment over file", c.Node.Ledger.RPC, "http://env:2"}, {"environment, nested", c.Node.Ledger.Calls.Timeout, 3 * time.Second},
		{"environment, top", c.Node.MinBalance, uint64(5)},
		{"flag over environment", c.Node.API.Listen, "127.0.0.1:3"},
		{"default", c.Node.API.Timeout, Default().Node.API.Timeout}, {"default", c.Node.Ledger.Calls.Burst, Default().Node.Ledger.Calls.Burst},
	} {
		if got.got != got.want {
			t.Errorf("%s: %v, want %v", got.what, got.got, got.want)
		}
	}
}

// TestLists checks that a list in the file or in the environment replaces the default list.
func TestLists(t *testing.T) {
	t.Parallel()
	one := "[p2p]\nlisten = [\"/ip4/127.0.0.1/tcp/1\"]\n"
	c, err := Load(Sources{Home: home(t, one)})
	if err != nil || !slices.Equal(c.Node.P2P.Listen, []string{"/ip4/127.0.0.1/tcp/1"}) {
		t.Errorf("%v, %v", c.Node.P2P.Listen, err)
	}
	c, err = Load(Sources{Home: home(t, one), Env: []string{"OJUD_P2P__LISTEN=/ip4/127.0.0.1/tcp/2,/ip4/127.0.0.1/tcp/3,/ip4/127.0.0.1/tcp/4"}})
	if err != nil || !slices.Equal(c.Node.P2P.Listen, []string{"/ip4/127.0.0.1/tcp/2", "/ip4/127.0.0.1/tcp/3", "/ip4/127.0.0.1/tcp/4"}) {
		t.Errorf("%v, %v", c.Node.P2P.Listen, err)
	}
	d := Default()
	if _, err := Load(Sources{Home: home(t, one), Defaults: &d}); err != nil || !slices.Equal(d.Node.P2P.Listen, Default().Node.P2P.Listen) {
		t.Errorf("the caller's defaults were changed: %v, %v", d.Node.P2P.Listen, err)
	}
}

// TestWrong checks that an error names the wrong setting, its place, and the likely right one.
func TestWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file  string
		env   []string
		flags map[string]any
		want  []string
	}{
		"unknown key":          {file: "[ledger]\nrcp = \"http://x\"\n", want: []string{"ojud.toml", `"ledger.rcp"`, `"ledger.rpc"`}},
		"unknown section":      {file: "[leger]\nrpc = \"http://x\"\n", want: []string{`"leger.rpc"`, `"ledger.rpc"`}},
		"unknown variable":     {env: []string{"OJUD_API__LISTENS=x:1"}, want: []string{"environment", `"OJUD_API__LISTENS"`, `"OJUD_API__LISTEN"`}},
		"one underscore":       {env: []string{"OJUD_LEDGER_RPC=x"}, want: []string{`"OJUD_LEDGER_RPC"`, `"OJUD_LEDGER__RPC"`}},
		"unknown flag key":     {flags: map[string]any{"log.levle": "info"}, want: []string{"command line", `"log.level"`}},
		"home in the file":     {file: "home = \"/x\"\n", want: []string{`"home"`}},
		"far from everything":  {file: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz = 1\n", want: []string{"is not a setting"}},
		"section as a value":   {file: "ledger = 5\n", want: []string{`"ledger"`}},
		"not TOML":             {file: "[ledger\n", want: []string{"ojud.toml"}},
		"wrong type":           {file: "[ledger.calls]\nmax_in_flight = \"many\"\n", want: []string{"max_in_flight"}},
		"wrong duration":       {env: []string{"OJUD_API__REQUEST_TIMEOUT=soon"}, want: []string{"timeout"}},
		"out of range":         {env: []string{"OJUD_SYNC__INTERVAL=3h"}, want: []string{"sync", "interval is 3h"}},
		"sources' own checks":  {file: "[sources]\npoll_interval = \"1ms\"\n", want: []string{"sources", "poll_interval is 1ms", "100ms to 1h"}},
		"log level":            {env: []string{"OJUD_LOG__LEVEL=loud"}, want: []string{"log.level", "loud", "debug, info, warn or error"}},
		"log format":           {env: []string{"OJUD_LOG__FORMAT=xml"}, want: []string{"log.format", "text or json"}},
		"ledger's own checks":  {env: []string{"OJUD_LEDGER__COMMITMENT=processed"}, want: []string{"ledger", "commitment"}},
		"negative for a count": {env: []string{"OJUD_MIN_BALANCE=-1"}, want: []string{"min_balance"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(Sources{Home: home(t, c.file), Env: c.env, Flags: c.flags})
			if !errors.Is(err, errConfig) {
				t.Fatalf("%v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

// TestFile checks that a named file must exist, and that the file in the home need not. A section
// without keys is no error.
func TestFile(t *testing.T) {
	t.Parallel()
	if _, err := Load(Sources{Home: t.TempDir()}); err != nil {
		t.Error(err)
	}
	if _, err := Load(Sources{Home: t.TempDir(), File: filepath.Join(t.TempDir(), "none.toml")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := Load(Sources{Home: home(t, "[ledger]\n# rpc = \"x\"\n[p2p.limits]\n")}); err != nil {
		t.Error(err)
	}
	if _, err := Load(Sources{Home: home(t, "# "+strings.Repeat("x", maxFile))}); !errors.Is(err, errConfig) {
		t.Errorf("a large file: %v", err)
	}
	d := Default()
	d.Log.Level = "error"
	if c, err := Load(Sources{Home: t.TempDir(), Defaults: &d}); err != nil || c.Log.Level != "error" {
		t.Errorf("%+v, %v", c.Log, err)
	}
}

func TestHome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag string
		env  map[string]string
		want string
	}{
		{"/flag", map[string]string{"OJUD_HOME": "/env"}, "/flag"},
		{"", map[string]string{"OJUD_HOME": "/env", "XDG_DATA_HOME": "/xdg", "HOME": "/u"}, "/env"},
		{"", map[string]string{"XDG_DATA_HOME": "/xdg", "HOME": "/u"}, "/xdg/ojud"},
		{"", map[string]string{"XDG_DATA_HOME": "relative", "HOME": "/u"}, "/u/.local/share/ojud"},
		{"", map[string]string{"HOME": "/u"}, "/u/.local/share/ojud"},
	} {
		got, err := Home(c.flag, func(k string) string { return c.env[k] })
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if got, err := Home("", func(string) string { return "" }); !errors.Is(err, errConfig) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestKeys checks that the environment can set every key, and that every field of the structs has a
// tag.
func TestKeys(t *testing.T) {
	t.Parallel()
	keys := keys()
	for _, want := range []string{"log.level", "ledger.rpc", "ledger.send.priority_fee", "p2p.gossip.seen_ttl", "api.listen", "min_balance", "voting.crank_step_seconds", "sources.dir", "sources.poll_interval", "sources.cache_bytes"} {
		if !slices.Contains(keys, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, k := range keys {
		if strings.HasSuffix(k, ".") || strings.ToLower(k) != k || Variable(k) != strings.ToUpper(Variable(k)) {
			t.Errorf("key %q", k)
		}
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log, err := Logging{Level: "warn", Format: "json"}.Logger(&out)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("quiet")
	log.Warn("loud")
	if s := out.String(); strings.Contains(s, "quiet") || !strings.HasPrefix(s, "{") || !strings.Contains(s, "loud") {
		t.Errorf("%q", s)
	}
	if _, err := (Logging{Level: "x"}).Logger(&out); err == nil {
		t.Error("a wrong level")
	}
}

// TestRenamed checks that every place refuses an old name with an error that has the new one. No
// old name may be in use again.
func TestRenamed(t *testing.T) {
	t.Parallel()
	for old, now := range renamed() {
		if slices.Contains(keys(), old) || !slices.Contains(keys(), now) {
			t.Errorf("%q -> %q: the old name is in use, or the new name is not", old, now)
		}
	}
	for place, s := range map[string]Sources{
		"ojud.toml":    {Home: home(t, "[data.desk]\nholder = \"3s\"\n")},
		"environment":  {Home: home(t, ""), Env: []string{"OJUD_DATA__DESK__HOLDER=3s"}},
		"command line": {Home: home(t, ""), Flags: map[string]any{"data.desk.holder": "3s"}},
	} {
		_, err := Load(s)
		old, now := "data.desk.holder", "data.requester.holder_timeout"
		if place == "environment" {
			old, now = Variable(old), Variable(now)
		}
		if !errors.Is(err, errConfig) || !strings.Contains(err.Error(), place) || !strings.Contains(err.Error(), `"`+old+`" has a new name: "`+now+`"`) {
			t.Errorf("%s: %v", place, err)
		}
	}
}
