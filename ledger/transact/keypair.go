package transact

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"

	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
)

var (
	// errKeyFileMode: others may read the key file.
	errKeyFileMode = errors.New("ledger: key file is open to others")
	// errKeyFile: the file holds no Solana keypair.
	errKeyFile = errors.New("ledger: not a Solana keypair file")
)

// Keypair is a Solana key that signs transactions: a node's or agent's authority. Printing, logging
// or encoding it shows only its address.
type Keypair struct {
	private ed25519.PrivateKey
	address onchain.Address
	ask     func(message []byte) (onchain.Signature, error) // of a key that is elsewhere
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

// errElsewhere means that a key outside this process did not sign.
var errElsewhere = errors.New("ledger: the wallet did not sign")

// Elsewhere returns the key of an address that signs outside this process, such as a wallet in a
// browser. To ask it may take as long as a person does. What it returns is checked before it is
// used. Its Sign is zero: only transactions ask it.
func Elsewhere(address onchain.Address, ask func(message []byte) (onchain.Signature, error)) *Keypair {
	return &Keypair{address: address, ask: ask}
}

// signature signs the message of a transaction, here or elsewhere.
func (k *Keypair) signature(message []byte) (onchain.Signature, error) {
	if k.ask == nil {
		return k.Sign(message), nil
	}
	s, err := k.ask(message)
	if err != nil {
		return s, fmt.Errorf("%w: %w", errElsewhere, err)
	}
	if !ed25519.Verify(k.address[:], message, s[:]) {
		return onchain.Signature{}, fmt.Errorf("%w this transaction as %s, but something else", errElsewhere, k.address)
	}
	return s, nil
}

func keypairOf(private ed25519.PrivateKey) *Keypair {
	return &Keypair{private: private, address: onchain.Address(private.Public().(ed25519.PublicKey))}
}

// Address is the public key.
func (k *Keypair) Address() onchain.Address { return k.address }

// Sign signs the message of a transaction.
func (k *Keypair) Sign(message []byte) onchain.Signature {
	if k.private == nil {
		return onchain.Signature{}
	}
	return onchain.Signature(ed25519.Sign(k.private, message))
}

// Seed returns the secret of a key that is here, for a host of the network that has the same key.
func (k *Keypair) Seed() (seed [32]byte, here bool) {
	if k.private == nil {
		return seed, false
	}
	return [32]byte(k.private.Seed()), true
}

// String returns the address.
func (k Keypair) String() string { return k.address.String() }

// Format writes the address for every verb, because %#v would show the private key.
func (k Keypair) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, k.String()) // fmt has no way to take an error
}

// LogValue is the address.
func (k Keypair) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalJSON writes the address.
func (k Keypair) MarshalJSON() ([]byte, error) { return json.Marshal(k.String()) }

// maxKeyFile bounds a key file, in bytes: 64 numbers of at most three digits take 257, some tools
// write a space after each comma or one number a line.
const maxKeyFile = 2 << 10

// parseKeypair reads what solana-keygen writes: a JSON array of the 32 bytes of the seed and the 32
// of the public key. The error says what is wrong, and never quotes the text.
func parseKeypair(text []byte) (*Keypair, error) {
	if len(text) > maxKeyFile {
		return nil, fmt.Errorf("%w: %d bytes are too many", errKeyFile, len(text))
	}
	var numbers []uint16
	if err := json.Unmarshal(text, &numbers); err != nil {
		return nil, fmt.Errorf("%w: it is no JSON array of bytes", errKeyFile)
	}
	if len(numbers) != ed25519.PrivateKeySize {
		return nil, fmt.Errorf("%w: it has %d numbers, not %d", errKeyFile, len(numbers), ed25519.PrivateKeySize)
	}
	key := make([]byte, len(numbers))
	for i, n := range numbers {
		if n > 255 {
			return nil, fmt.Errorf("%w: number %d is no byte", errKeyFile, i+1)
		}
		key[i] = byte(n)
	}
	private := ed25519.NewKeyFromSeed(key[:ed25519.SeedSize])
	if !private.Equal(ed25519.PrivateKey(key)) {
		return nil, fmt.Errorf("%w: its public key is not that of its private key; the file is damaged", errKeyFile)
	}
	return keypairOf(private), nil
}

// text returns the key as solana-keygen writes it.
func (k *Keypair) text() []byte {
	numbers := make([]string, len(k.private))
	for i, b := range k.private {
		numbers[i] = strconv.Itoa(int(b))
	}
	return []byte("[" + strings.Join(numbers, ",") + "]")
}

// LoadOrCreateKeypair loads a key file, or creates it if there is none, and says which. Two
// processes that create it at once end with the same key.
func LoadOrCreateKeypair(path string) (k *Keypair, created bool, err error) {
	k, err = LoadKeypair(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, false, err
	}
	k, err = createKeypair(path)
	if errors.Is(err, fs.ErrExist) {
		k, err = LoadKeypair(path)
		return k, false, err
	}
	return k, err == nil, err
}

// LoadKeypair reads a key file as solana-keygen writes it (id.json). The error wraps fs.ErrNotExist
// if there is none. It says so if anyone but the owner may read or write the file, or if it holds
// no keypair.
func LoadKeypair(path string) (*Keypair, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: key file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("ledger: key file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", errKeyFile, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("ledger: key file: %w", err)
	}
	k, err := parseKeypair(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s has mode %04o; run: chmod 600 %s", errKeyFileMode, path, mode, path)
	}
	return k, nil
}

// createKeypair makes a new key and writes it to path with mode 0600. The file appears whole or not
// at all, survives a power cut, and never replaces one that is there: then the error wraps
// fs.ErrExist.
func createKeypair(path string) (*Keypair, error) {
	k, err := NewKeypair(rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := durable.Create(path, k.text()); err != nil {
		return nil, fmt.Errorf("ledger: creating key file: %w", err)
	}
	return k, nil
}
