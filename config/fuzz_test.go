package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzLoad checks that for any file, variable and command line the settings are valid or there is
// an error, and that nothing panics.
func FuzzLoad(f *testing.F) {
	f.Add("[log]\nlevel = \"warn\"\n[ledger.calls]\nmax_per_second = 7.5\n", "OJUD_LEDGER__RPC=http://env:2", "api.listen", "127.0.0.1:1")
	f.Add("[p2p]\nlisten = [\"/ip4/127.0.0.1/tcp/1\"]\n", "OJUD_P2P__LISTEN=/ip4/127.0.0.1/tcp/2,x", "min_balance", "-1")
	f.Add("[[models.list]]\nname = \"a\"\nprovider = \"openai\"\ntimeout = \"3s\"\n", "OJUD_MODELS__LIST=a", "models.list", "")
	f.Add("log.level = 7\nledger = 3\n[judge]\n", "OJUD_=", "", "x")
	f.Add("a = 1979-05-27T07:32:00Z\nb = 0x\"\"\"", "OJUD_LOG=x", "log", "y")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file, variable, flag, value string) {
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		s := Sources{Home: dir, Env: []string{variable}}
		if flag != "" {
			s.Flags = map[string]any{flag: value}
		}
		c, err := Load(s)
		if err == nil && c.Validate() != nil {
			t.Fatalf("settings that are not valid: %v", c.Validate())
		}
		if errors.Is(err, errConfig) && strings.TrimSpace(err.Error()) == "" {
			t.Fatal("an empty error")
		}
	})
}
