package chair

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzReadSecret: reading a file returns the 32 bytes that it spells in hex, or an error that does
// not quote it.
func FuzzReadSecret(f *testing.F) {
	f.Add([]byte(strings.Repeat("0a", 32) + "\n"))
	f.Add([]byte(strings.Repeat("0a", 31)))
	f.Add([]byte("not hex at all, but quite long"))
	file := filepath.Join(f.TempDir(), secretFile)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		secret, err := readSecret(file)
		if err == nil && !strings.EqualFold(hex.EncodeToString(secret[:]), strings.TrimSpace(string(raw))) {
			t.Fatalf("%q is read as %x", raw, secret)
		}
		if err != nil && len(raw) > 16 && strings.Contains(err.Error(), string(raw)) {
			t.Fatalf("the error quotes the secret: %v", err)
		}
	})
}
