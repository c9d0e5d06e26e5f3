package exchange_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/datasource/exchange"
)

// FuzzReadLog: after any damage to the log its whole entries are read, and never more than
// requested.
func FuzzReadLog(f *testing.F) {
	line, err := json.Marshal(entry(1))
	if err != nil {
		f.Fatal(err)
	}
	whole := string(line) + "\n"
	f.Add([]byte(whole), []byte(whole))
	f.Add([]byte("\x00\x00\n"+whole[:40]+"\n"), []byte("{}\n"))
	f.Add([]byte(strings.Repeat("x", 100<<10)+"\n"), []byte(whole[:60]))
	path := filepath.Join(f.TempDir(), "exchange.log")
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if len(before) > 0 && before[len(before)-1] != '\n' {
			before = append(before, '\n')
		}
		if err := os.WriteFile(path, append(append(before, whole...), after...), 0o600); err != nil {
			t.Fatal(err)
		}
		entries, skipped, err := exchange.ReadLog(path, exchange.Filter{Limit: 3})
		if err != nil || len(entries) == 0 || len(entries) > 3 {
			t.Fatalf("%d entries, %d skipped, %v", len(entries), skipped, err)
		}
		lines := bytes.Count(before, []byte("\n")) + 1 + bytes.Count(after, []byte("\n"))
		if skipped > lines+1 {
			t.Fatalf("%d of %d lines are no entries", skipped, lines)
		}
	})
}
