package shell

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ojud/agent/host"
)

// TestSpawnLess: a copy has the autonomy, capabilities and limits that were asked for, status shows
// them, and more than the image has is refused, whoever asks.
func TestSpawnLess(t *testing.T) {
	t.Parallel()
	dir := bare(t)
	const text = "autonomy = 3\ncalls = [\"p/*\"]\n[mind]\nkind = \"executable\"\nrun = [\"cat\"]\n[[capabilities]]\nname = \"read\"\n[[capabilities]]\nname = \"write\"\n[limits]\nconcurrent = 3\n"
	if err := os.WriteFile(filepath.Join(dir, Folder, "p.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	shut(t, h)
	if _, err := h.Use(t.Context(), operator, "agent.spawn", []byte(`{"id":"q","like":"p","autonomy":1,"capabilities":["read"],"limits":{"concurrent":2}}`)); err != nil {
		t.Fatal(err)
	}
	v, err := h.Look(operator, "q")
	if err != nil || v.Autonomy != 1 || len(v.Capabilities) != 1 || v.Capabilities[0].Name != "read" || v.Constraints.Concurrent != 2 || v.Constraints.Spawned != 0 || len(v.Constraints.Calls) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	for _, input := range []string{
		`{"id":"r","like":"p","autonomy":4}`, `{"id":"r","like":"p","capabilities":["burn"]}`, `{"id":"r","like":"p","limits":{"concurrent":4}}`, `{"id":"r","like":"q","autonomy":2}`,
		`{"id":"r","like":"q","capabilities":["write"]}`, `{"id":"r","text":"x","autonomy":0}`,
	} {
		var r *host.Refused
		if _, err := h.Use(t.Context(), operator, "agent.spawn", []byte(input)); !errors.As(err, &r) {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, err := h.Look(operator, "r"); err == nil {
		t.Error("an agent that was refused is there")
	}
}
