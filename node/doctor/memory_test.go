package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/memory"
	"ojud/casefile"
	"ojud/node"
	"ojud/node/status"
)

// remembered returns the findings about the memory.
func remembered(t *testing.T, home node.Home, cfg node.Config) (out []status.Finding) {
	t.Helper()
	if err := tryMemory(t.Context(), home, cfg, Deps{}, func(f status.Finding) error { out = append(out, f); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRemembered: an intact memory is well. A file that cannot be read, and a file in place of a
// folder, are named with the remedy. A judge without a model has no memory.
func TestRemembered(t *testing.T) {
	home, _, err := node.Init(filepath.Join(t.TempDir(), "home"), node.Descriptor{
		Format: node.DescriptorFormat, Name: "test", Network: casefile.Digest{1}.String(), Program: casefile.Address{2}.String(), RPC: "http://127.0.0.1:1", WS: "ws://127.0.0.1:1", Bootstrap: []string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := node.DefaultConfig()
	if f := remembered(t, home, cfg); f != nil {
		t.Errorf("code: %+v", f)
	}
	cfg.Judge.Kind = judge.KindModel
	dir := filepath.Join(home.Dir, memory.Folder, casefile.Address(home.Keys.Judge()).String())
	for _, c := range []struct {
		what string
		make func() error
		ok   bool
		says string
	}{
		{"none yet", func() error { return nil }, true, "0 rounds"},
		{"a broken file", func() error {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, casefile.Address{3}.String()+"-1.json"), nil, 0o600)
		}, false, "ojud judge memory clear"},
		{"no folder", func() error {
			if err := os.RemoveAll(filepath.Join(home.Dir, memory.Folder)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(home.Dir, memory.Folder), nil, 0o600)
		}, false, "remove the folder memory of the home"},
	} {
		if err := c.make(); err != nil {
			t.Fatal(err)
		}
		f := remembered(t, home, cfg)
		if len(f) != 1 || f[0].OK != c.ok || !strings.Contains(f[0].Detail+f[0].Next, c.says) {
			t.Errorf("%s: %+v", c.what, f)
		}
	}
	cfg.Judge.Memory.On = false
	if f := remembered(t, home, cfg); f != nil {
		t.Errorf("off: %+v", f)
	}
}
