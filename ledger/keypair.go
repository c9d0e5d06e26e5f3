package ledger

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"ojud/ledger/onchain"
)

// Keypair is a Solana key that signs transactions: a node's or agent's authority. It shows only its address, however it is
// printed, logged or encoded.
type Keypair struct {
	private ed25519.PrivateKey
	address onchain.Address
}

var (
	_ fmt.Formatter  = Keypair{}
	_ slog.LogValuer = Keypair{}
	_ json.Marshaler = Keypair{}
)

// NewKeypair makes a key out of 32 bytes of randomness.
func NewKeypair(random io.Reader) (*Keypair, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fmt.Errorf("ledger: making a key: %w", err)
	}
	return keypairOf(ed25519.NewKeyFromSeed(seed)), nil
}

func keypairOf(private ed25519.PrivateKey) *Keypair {
	return &Keypair{private: private, address: onchain.Address(private.Public().(ed25519.PublicKey))}
}

// Address is the public key.
func (k *Keypair) Address() onchain.Address { return k.address }

// Sign signs the message of a transaction.
func (k *Keypair) Sign(message []byte) onchain.Signature {
	return onchain.Signature(ed25519.Sign(k.private, message))
}

// String returns the address.
func (k Keypair) String() string { return k.address.String() }

// Format writes the address, whatever the verb: %#v would show the private key.
func (k Keypair) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, k.String()) // fmt has no way to take an error
}

// LogValue is the address.
func (k Keypair) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalJSON writes the address.
func (k Keypair) MarshalJSON() ([]byte, error) { return json.Marshal(k.String()) }

// MaxKeyFile bounds a key file, in bytes: 64 numbers of at most three digits take 257, some tools write a space after each comma
// or one number a line.
const MaxKeyFile = 2 << 10

// ParseKeypair reads what solana-keygen writes: a JSON array of the 32 bytes of the seed and the 32 of the public key. ErrKeyFile
// if it is anything else. The error never quotes the text.
func ParseKeypair(text []byte) (*Keypair, error) {
	if len(text) > MaxKeyFile {
		return nil, fmt.Errorf("%w: %d bytes are too many", ErrKeyFile, len(text))
	}
	var numbers []uint16
	if err := json.Unmarshal(text, &numbers); err != nil {
		return nil, fmt.Errorf("%w: it is no JSON array of bytes", ErrKeyFile)
	}
	if len(numbers) != ed25519.PrivateKeySize {
		return nil, fmt.Errorf("%w: it has %d numbers, not %d", ErrKeyFile, len(numbers), ed25519.PrivateKeySize)
	}
	key := make([]byte, len(numbers))
	for i, n := range numbers {
		if n > 255 {
			return nil, fmt.Errorf("%w: number %d is no byte", ErrKeyFile, i+1)
		}
		key[i] = byte(n)
	}
	private := ed25519.NewKeyFromSeed(key[:ed25519.SeedSize])
	if !private.Equal(ed25519.PrivateKey(key)) {
		return nil, fmt.Errorf("%w: its public key is not that of its private key; the file is damaged", ErrKeyFile)
	}
	return keypairOf(private), nil
}

// text is what solana-keygen writes.
func (k *Keypair) text() []byte {
	numbers := make([]string, len(k.private))
	for i, b := range k.private {
		numbers[i] = strconv.Itoa(int(b))
	}
	return []byte("[" + strings.Join(numbers, ",") + "]")
}
