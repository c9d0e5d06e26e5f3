package delegation

import (
	"crypto/ed25519"
	"fmt"
	"strings"

	"github.com/mr-tron/base58"
)

// didPrefix begins a did:key in base58btc.
const didPrefix = "did:key:z"

// maxDID bounds the text of a did:key of an Ed25519 key, in bytes.
const maxDID = len(didPrefix) + 48

// Principal is an agent by its Ed25519 public key. It is the key of the agent's authority on the
// chain, so an agent's address and its did:key name the same agent.
type Principal [ed25519.PublicKeySize]byte

// String returns the did:key.
func (p Principal) String() string {
	return didPrefix + base58.Encode(append([]byte{0xed, 0x01}, p[:]...))
}

// MarshalText returns the did:key.
func (p Principal) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a did:key.
func (p *Principal) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePrincipal(string(text))
	return err
}

// ParsePrincipal reads a did:key of an Ed25519 key.
func ParsePrincipal(text string) (p Principal, err error) {
	encoded, ok := strings.CutPrefix(text, didPrefix)
	if !ok || len(text) > maxDID {
		return p, fmt.Errorf("%.80q is not a did:key of an Ed25519 key: it begins with did:key:z6Mk", text)
	}
	raw, err := base58.Decode(encoded)
	if err != nil || len(raw) != 2+len(p) || raw[0] != 0xed || raw[1] != 0x01 {
		return p, fmt.Errorf("%.80q is not a did:key of an Ed25519 key: it begins with did:key:z6Mk", text)
	}
	copy(p[:], raw[2:])
	if p.String() != text {
		return p, fmt.Errorf("%.80q is not the usual spelling of %s", text, p)
	}
	return p, nil
}

// Verifies reports whether the principal signed a message.
func (p Principal) Verifies(message, signature []byte) bool {
	return len(signature) == ed25519.SignatureSize && ed25519.Verify(p[:], message, signature)
}

// Signer signs for a principal.
type Signer interface {
	// Principal returns whose signature it is.
	Principal() Principal
	// Sign returns the Ed25519 signature of a message.
	Sign(message []byte) [ed25519.SignatureSize]byte
}
