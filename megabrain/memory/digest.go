package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Digest is a hash of 32 bytes, spelled in lower-case hexadecimal.
type Digest [sha256.Size]byte

// String returns the hexadecimal form.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the hexadecimal form.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads 64 lower-case hexadecimal digits.
func (d *Digest) UnmarshalText(text []byte) error {
	var out Digest
	if len(text) != 2*len(out) {
		return fmt.Errorf("a hash has 64 hexadecimal digits, not %d characters", len(text))
	}
	if _, err := hex.Decode(out[:], text); err != nil || out.String() != string(text) {
		return fmt.Errorf("%.64q is no hash: it has 64 lower-case hexadecimal digits", text)
	}
	*d = out
	return nil
}

// ParseDigest reads 64 lower-case hexadecimal digits.
func ParseDigest(text string) (d Digest, err error) {
	err = d.UnmarshalText([]byte(text))
	return d, err
}

// path turns hashes of a document into those of a proof.
func path(hashes []Digest) []tlog.Hash {
	out := make([]tlog.Hash, len(hashes))
	for i, h := range hashes {
		out[i] = tlog.Hash(h)
	}
	return out
}

// Path turns the hashes of a proof into those of a document.
func Path(hashes []tlog.Hash) []Digest {
	out := make([]Digest, len(hashes))
	for i, h := range hashes {
		out[i] = Digest(h)
	}
	return out
}
