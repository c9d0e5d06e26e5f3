package p2p

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/crypto/pb"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/mr-tron/base58"
)

// signPrefix begins everything that an Identity signs, so that a signature for the court never
// verifies as one for another use of the same key.
const signPrefix = "oju:"

// ErrSignature is returned by Verify for a signature that does not fit.
var ErrSignature = errors.New("p2p: signature does not verify")

// Identity is the Ed25519 key of a node. It gives a peer ID, a did:key, signatures and derived
// secrets. It prints as its peer ID only.
type Identity struct {
	key  crypto.PrivKey
	id   peer.ID
	seed []byte // 32 bytes
}

// NewIdentity makes an identity from a random source, in memory only.
func NewIdentity(random io.Reader) (Identity, error) {
	key, _, err := crypto.GenerateEd25519Key(random)
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: generating key: %w", err)
	}
	return identityOf(key)
}

// IdentityFromSeed makes the identity of a 32-byte Ed25519 seed. The same seed gives the same node,
// for local clusters and tests.
func IdentityFromSeed(seed [32]byte) (Identity, error) {
	key, err := crypto.UnmarshalEd25519PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: key of seed: %w", err)
	}
	return identityOf(key)
}

func identityOf(key crypto.PrivKey) (Identity, error) {
	if key.Type() != pb.KeyType_Ed25519 {
		return Identity{}, fmt.Errorf("p2p: key is of type %v, want Ed25519", key.Type())
	}
	raw, err := key.Raw()
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: reading key: %w", err)
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: peer ID of key: %w", err)
	}
	return Identity{key: key, id: id, seed: raw[:32]}, nil
}

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
		return nil, fmt.Errorf("p2p: signing domain %q: want 1 to 255 bytes without a zero", domain)
	}
	msg := make([]byte, 0, len(signPrefix)+len(domain)+1+len(data))
	msg = append(append(msg, signPrefix...), domain...)
	return append(append(msg, 0), data...), nil
}

func publicKey(p peer.ID) (crypto.PubKey, error) {
	key, err := p.ExtractPublicKey()
	if err != nil {
		return nil, fmt.Errorf("p2p: public key of %s: %w", p, err)
	}
	if key.Type() != pb.KeyType_Ed25519 {
		return nil, fmt.Errorf("p2p: %s has a key of type %v, want Ed25519", p, key.Type())
	}
	return key, nil
}

// Derive returns a secret that depends on the key, the label and the context, and is the same after
// every restart: HKDF-SHA256 of the key's seed. Votes take their salts from it, so that a node that
// lost its disk can still reveal its vote. Different (label, context...) lists give unrelated
// secrets.
func (i Identity) Derive(label string, context ...[]byte) [32]byte {
	info := appendPart([]byte("oju:derive:v1"), []byte(label))
	for _, c := range context {
		info = appendPart(info, c)
	}
	out, err := hkdf.Key(sha256.New, i.seed, nil, string(info), 32)
	if err != nil {
		panic("p2p: hkdf of a 32-byte seed: " + err.Error()) // only for a length over 8,160 bytes
	}
	return [32]byte(out)
}

func appendPart(dst, part []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(len(part)))
	return append(dst, part...)
}

// String returns the peer ID: an identity never prints its key.
func (i Identity) String() string { return i.id.String() }

// GoString is String, for %#v.
func (i Identity) GoString() string { return "p2p.Identity(" + i.String() + ")" }

// LogValue is String, for slog.
func (i Identity) LogValue() slog.Value { return slog.StringValue(i.String()) }

// Ed25519 returns the key itself, for signatures whose bytes the protocol fixes: statements, votes
// and case files are signed without the prefix that Sign adds. It never leaves the process.
func (i Identity) Ed25519() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(i.seed) }

const (
	didPrefix = "did:key:z" // z is the multibase code of base58btc
	didMaxLen = 64
)

// ed25519Code is the multicodec ed25519-pub (0xed) as a varint.
func ed25519Code() []byte { return []byte{0xed, 0x01} }

// DID returns the did:key of a peer, did:key:z6Mk… (did:key method v0.7, Ed25519).
func DID(p peer.ID) (string, error) {
	key, err := publicKey(p)
	if err != nil {
		return "", err
	}
	raw, err := key.Raw()
	if err != nil {
		return "", fmt.Errorf("p2p: public key of %s: %w", p, err)
	}
	return didPrefix + base58.Encode(append(ed25519Code(), raw...)), nil
}

// PeerOfDID returns the peer ID that has the key of an Ed25519 did:key.
func PeerOfDID(did string) (peer.ID, error) {
	text, ok := strings.CutPrefix(did, didPrefix)
	if !ok || len(did) > didMaxLen {
		return "", fmt.Errorf("p2p: %.64q is no Ed25519 did:key", did)
	}
	raw, err := base58.Decode(text)
	if err != nil {
		return "", fmt.Errorf("p2p: did:key: %w", err)
	}
	raw, ok = bytes.CutPrefix(raw, ed25519Code())
	if !ok {
		return "", fmt.Errorf("p2p: %q is no Ed25519 did:key", did)
	}
	key, err := crypto.UnmarshalEd25519PublicKey(raw)
	if err != nil {
		return "", fmt.Errorf("p2p: did:key: %w", err)
	}
	return peer.IDFromPublicKey(key)
}
