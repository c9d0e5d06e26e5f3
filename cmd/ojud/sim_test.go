package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/test/longtest"
)

// TestSimPolicy: the lab prints a table, JSON and a picture, and refuses what it cannot play.
func TestSimPolicy(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	picture := filepath.Join(t.TempDir(), "policy.svg")
	code, out, errs := line(t, "sim", "policy", "--cases", "100", "--json", "--fee", "0.002sol", "--svg", picture)
	var found struct {
		Setup struct {
			Cases int    `json:"cases"`
			Fee   uint64 `json:"fee_lamports"`
		} `json:"setup"`
		Pools    []json.RawMessage `json:"pools"`
		Promises []json.RawMessage `json:"promises"`
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 0 {
		t.Fatalf("%d %v %s", code, err, errs)
	}
	if found.Setup.Cases != 100 || found.Setup.Fee != 2_000_000 || len(found.Pools) < 17 || len(found.Promises) < 15 {
		t.Errorf("%+v", found.Setup)
	}
	if raw, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(raw), "<svg") {
		t.Errorf("the picture: %v %.40s", err, raw)
	}
	for want, args := range map[string][]string{
		"cases is 1; set it to":   {"--cases", "1"},
		"--reward is 0":           {"--reward", "0sol"},
		"reward is 1 lamports":    {"--reward", "1lamports"},
		"at most the reward":      {"--fee", "2sol"},
		"does not take \"truth\"": {"truth"},
	} {
		if code, _, errs := line(t, append([]string{"sim", "policy"}, args...)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
}
