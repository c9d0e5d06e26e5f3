// Package identity has the key of a node, and the names and signatures that follow from it.
package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/crypto/pb"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/mr-tron/base58"

	"ojud/ledger/journal/durable"
)

// signPrefix begins everything that an Identity signs, so that a signature for the court never
// verifies as one for another use of the same key.
const signPrefix = "oju:"

// ErrSignature is returned by Verify for a signature that does not fit.
var ErrSignature = errors.New("identity: signature does not verify")

// Identity is the Ed25519 key of a node. It gives a peer ID, a did:key and signatures. It prints
// as its peer ID only.
type Identity struct {
	key  crypto.PrivKey
	id   peer.ID
	seed []byte // 32 bytes
}

// New makes an identity from a random source, in memory only.
func New(random io.Reader) (Identity, error) {
	key, _, err := crypto.GenerateEd25519Key(random)
	if err != nil {
		return Identity{}, fmt.Errorf("identity: generating key: %w", err)
	}
	return ofKey(key)
}

// FromSeed makes the identity of a 32-byte Ed25519 seed. The same seed gives the same node,
// for local clusters and tests.
func FromSeed(seed [32]byte) (Identity, error) {
	key, err := crypto.UnmarshalEd25519PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key of seed: %w", err)
	}
	return ofKey(key)
}

func ofKey(key crypto.PrivKey) (Identity, error) {
	if key.Type() != pb.KeyType_Ed25519 {
		return Identity{}, fmt.Errorf("identity: key is of type %v, want Ed25519", key.Type())
	}
	raw, err := key.Raw()
	if err != nil {
		return Identity{}, fmt.Errorf("identity: reading key: %w", err)
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		return Identity{}, fmt.Errorf("identity: peer ID of key: %w", err)
	}
	return Identity{key: key, id: id, seed: raw[:32]}, nil
}

// Key returns the key for a libp2p host; nil: the identity is empty. It never leaves the process.
func (i Identity) Key() crypto.PrivKey { return i.key }

// Peer returns the peer ID of the identity.
func (i Identity) Peer() peer.ID { return i.id }

// DID returns the identity as a did:key.
func (i Identity) DID() (string, error) { return DID(i.id) }

// Sign signs data for one purpose. domain names the purpose and is at most 255 bytes without a zero
// byte. A signature for one domain never verifies in another.
func (i Identity) Sign(domain string, data []byte) ([]byte, error) {
	msg, err := signedBytes(domain, data)
	if err != nil {
		return nil, err
	}
	return i.key.Sign(msg)
}

// Verify checks a signature made by Sign with the key of p. It returns ErrSignature if the
// signature does not fit, and another error if p carries no Ed25519 key.
func Verify(p peer.ID, domain string, data, sig []byte) error {
	msg, err := signedBytes(domain, data)
	if err != nil {
		return err
	}
	key, err := publicKey(p)
	if err != nil {
		return err
	}
	if ok, err := key.Verify(msg, sig); err != nil || !ok {
		return ErrSignature
	}
	return nil
}

func signedBytes(domain string, data []byte) ([]byte, error) {
	if domain == "" || len(domain) > 255 || strings.Contains(domain, "\x00") {
		return nil, fmt.Errorf("identity: signing domain %q: want 1 to 255 bytes without a zero", domain)
	}
	msg := make([]byte, 0, len(signPrefix)+len(domain)+1+len(data))
	msg = append(append(msg, signPrefix...), domain...)
	return append(append(msg, 0), data...), nil
}

func publicKey(p peer.ID) (crypto.PubKey, error) {
	key, err := p.ExtractPublicKey()
	if err != nil {
		return nil, fmt.Errorf("identity: public key of %s: %w", p, err)
	}
	if key.Type() != pb.KeyType_Ed25519 {
		return nil, fmt.Errorf("identity: %s has a key of type %v, want Ed25519", p, key.Type())
	}
	return key, nil
}

// String returns the peer ID: an identity never prints its key.
func (i Identity) String() string { return i.id.String() }

// GoString is String, for %#v.
func (i Identity) GoString() string { return "identity.Identity(" + i.String() + ")" }

// LogValue is String, for slog.
func (i Identity) LogValue() slog.Value { return slog.StringValue(i.String()) }

// Ed25519 returns the key itself, for signatures whose bytes the protocol fixes: statements, votes
// and case files are signed without the prefix that Sign adds. It never leaves the process.
func (i Identity) Ed25519() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(i.seed) }

// DID returns the did:key of a peer, did:key:z6Mk… (did:key method v0.7, Ed25519).
func DID(p peer.ID) (string, error) {
	key, err := publicKey(p)
	if err != nil {
		return "", err
	}
	raw, err := key.Raw()
	if err != nil {
		return "", fmt.Errorf("identity: public key of %s: %w", p, err)
	}
	// z is the multibase code of base58btc, and 0xed as a varint is the multicodec ed25519-pub.
	return "did:key:z" + base58.Encode(append([]byte{0xed, 0x01}, raw...)), nil
}

// maxKeyFile bounds a key file, in bytes: an Ed25519 key takes 93.
const maxKeyFile = 1 << 10

// ErrKeyFileMode is wrapped by the error for a key file that others may read.
var ErrKeyFileMode = errors.New("identity: key file is open to others")

// LoadOrCreate loads the key file, or creates it if there is none, and reports which. Two
// processes that create it at once end with the same key.
func LoadOrCreate(path string) (id Identity, created bool, err error) {
	id, err = Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, false, err
	}
	err = Create(path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Identity{}, false, err
	}
	created = err == nil
	id, err = Load(path)
	return id, created, err
}

// Load reads a key file: a libp2p private key, base64, one line. The error wraps
// fs.ErrNotExist if there is none, and ErrKeyFileMode if others may read or write it.
func Load(path string) (Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file: %w", err)
	}
	if err := checkMode(path, info); err != nil {
		return Identity{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file: %w", err)
	}
	return parseKey(path, text)
}

func checkMode(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("identity: key file %s is no regular file", path)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("%w: %s has mode %04o; run: chmod 600 %s", ErrKeyFileMode, path, mode, path)
	}
	return nil
}

// parseKey never quotes the text in an error, because the text may be most of a key.
func parseKey(path string, text []byte) (Identity, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(text) > maxKeyFile {
		return Identity{}, fmt.Errorf("identity: key file %s is not one line of base64", path)
	}
	key, err := crypto.UnmarshalPrivateKey(raw)
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file %s holds no libp2p private key", path)
	}
	return ofKey(key)
}

// Create makes a new key and writes it to path with mode 0600. The file appears whole or
// not at all. It never replaces an existing file: then the error wraps fs.ErrExist.
func Create(path string) error {
	id, err := New(rand.Reader)
	if err != nil {
		return err
	}
	raw, err := crypto.MarshalPrivateKey(id.key)
	if err != nil {
		return fmt.Errorf("identity: encoding key: %w", err)
	}
	text := base64.StdEncoding.EncodeToString(raw) + "\n"
	if err := durable.Create(path, []byte(text)); err != nil {
		return fmt.Errorf("identity: creating key file: %w", err)
	}
	return nil
}
