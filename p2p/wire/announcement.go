package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/gowebpki/jcs"
	"github.com/mr-tron/base58"
)

// MaxAnnouncement bounds a signed announcement, in bytes of canonical JSON.
const MaxAnnouncement = 8 << 10

// MaxSeq is the largest sequence number: the largest integer that canonical
// JSON (RFC 8785) carries exactly.
const MaxSeq = 1<<53 - 1

// ErrAnnouncement is wrapped by every error of DecodeAnnouncement: the bytes are not a well-formed
// announcement. The peer that passed them on could have seen that.
var ErrAnnouncement = errors.New("wire: bad announcement")

// Announcement is a judge's description of itself. It is signed with the key of Peer over
// SigningBytes. The highest Seq of a peer wins.
type Announcement struct {
	Addrs       []string `json:"addrs"`         // multiaddrs at which Peer listens
	At          int64    `json:"at"`            // when it was signed, Unix seconds
	Authority   string   `json:"authority"`     // Solana public key, base58
	DID         string   `json:"did"`           // did:key of Peer
	Dimension   string   `json:"dimension"`     // focus of the judge's persona; empty: it has none
	Instance    string   `json:"instance"`      // the running host among copies on the same key: 32 hex digits, drawn at its start
	ModelFamily string   `json:"model_family"`  // the judge's model, in its own words
	Peer        string   `json:"peer"`          // libp2p peer ID, base58
	Rival       string   `json:"rival"`         // another instance whose announcement it has seen; empty: none
	RPCURLs     []string `json:"rpc_urls"`      // Solana RPC endpoints it offers to others
	Seq         uint64   `json:"seq"`           // grows with every announcement of Peer
	Sig         string   `json:"sig,omitempty"` // base64 of the Ed25519 signature
	Sources     []Source `json:"sources"`       // data sources it holds
	Started     int64    `json:"started"`       // when Instance was started, Unix milliseconds by its own clock
	Version     string   `json:"version"`       // version of its software
}

// Source names one data source that a judge holds. SchemaHash identifies the schema behind the
// name.
type Source struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	SchemaHash string `json:"schema_hash"` // SHA-256 of the canonical schema, hex
}

// Encode returns the canonical JSON of a, signature included, after the same
// checks DecodeAnnouncement makes.
func (a Announcement) Encode() ([]byte, error) {
	if err := a.validate(); err != nil {
		return nil, err
	}
	out, err := a.canonical()
	if err == nil && len(out) > MaxAnnouncement {
		err = fmt.Errorf("%w: %d bytes, limit %d", ErrAnnouncement, len(out), MaxAnnouncement)
	}
	return out, err
}

// SigningBytes returns the canonical JSON of a without its signature.
func (a Announcement) SigningBytes() ([]byte, error) {
	a.Sig = ""
	return a.canonical()
}

func (a Announcement) canonical() ([]byte, error) {
	a.Addrs, a.RPCURLs, a.Sources = list(a.Addrs), list(a.RPCURLs), list(a.Sources)
	plain, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnnouncement, err)
	}
	out, err := jcs.Transform(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnnouncement, err)
	}
	return out, nil
}

// list makes an absent list an empty one, so that it has one encoding.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// DecodeAnnouncement parses the one canonical encoding of an announcement and checks every bound.
// It does not verify the signature. Unknown or repeated fields, other orders and other spellings of
// the same value are refused, because an announcement with two encodings would have two signatures.
func DecodeAnnouncement(raw []byte) (Announcement, error) {
	if len(raw) > MaxAnnouncement {
		return Announcement{}, fmt.Errorf("%w: %d bytes, limit %d", ErrAnnouncement, len(raw), MaxAnnouncement)
	}
	var a Announcement
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Announcement{}, fmt.Errorf("%w: %w", ErrAnnouncement, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Announcement{}, fmt.Errorf("%w: bytes after the object", ErrAnnouncement)
	}
	again, err := a.Encode()
	if err != nil {
		return Announcement{}, err
	}
	if !bytes.Equal(raw, again) {
		return Announcement{}, fmt.Errorf("%w: not canonical JSON", ErrAnnouncement)
	}
	return a, nil
}

// Bounds of an announcement's lists (entries) and strings (bytes).
const (
	MaxAddrs      = 8
	maxRPCURLs    = 4
	maxSources    = 32
	maxURL        = 256
	maxName       = 64
	maxKind       = 32
	maxVersion    = 64
	maxFamily     = 64
	maxDimension  = 32
	maxPeer       = 64
	maxDID        = 64
	didPrefix     = "did:key:z6Mk"
	signatureSize = 64
	authoritySize = 32
	instanceSize  = 16
	hashSize      = 32
)

// validate checks forms and bounds, field by field. The error names the field.
func (a Announcement) validate() error {
	for _, c := range []struct {
		field string
		err   error
	}{
		{"addrs", each(a.Addrs, MaxAddrs, checkAddr)},
		{"at", within(a.At, 0, MaxSeq)},
		{"authority", checkAuthority(a.Authority)},
		{"did", checkDID(a.DID)},
		{"dimension", checkText(a.Dimension, 0, maxDimension)},
		{"instance", checkHex(a.Instance, instanceSize)},
		{"model_family", checkText(a.ModelFamily, 0, maxFamily)},
		{"peer", checkWord(a.Peer, maxPeer)},
		{"rival", checkRival(a.Rival)},
		{"rpc_urls", each(a.RPCURLs, maxRPCURLs, checkURL)},
		{"seq", within(int64(a.Seq), 1, MaxSeq)},
		{"sig", checkSig(a.Sig)},
		{"sources", each(a.Sources, maxSources, checkSource)},
		{"started", within(a.Started, 0, MaxSeq)},
		{"version", checkText(a.Version, 0, maxVersion)},
	} {
		if c.err != nil {
			return fmt.Errorf("%w: %s: %w", ErrAnnouncement, c.field, c.err)
		}
	}
	return nil
}

// checkHex accepts the lower-case hex digits of so many bytes.
func checkHex(s string, size int) error {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != size || strings.ToLower(s) != s {
		return fmt.Errorf("is not %d lower-case hex digits", 2*size)
	}
	return nil
}

func checkRival(s string) error {
	if s == "" {
		return nil
	}
	return checkHex(s, instanceSize)
}

func within(v, low, high int64) error {
	if v < low || v > high {
		return fmt.Errorf("%d is not in %d..%d", v, low, high)
	}
	return nil
}

func each[T any](in []T, limit int, check func(T) error) error {
	if len(in) > limit {
		return fmt.Errorf("%d entries, limit %d", len(in), limit)
	}
	for i, s := range in {
		if err := check(s); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return nil
}

// checkText accepts printable ASCII, because the text appears in logs and on operators' screens.
func checkText(s string, low, high int) error {
	if len(s) < low || len(s) > high {
		return fmt.Errorf("%d bytes, want %d..%d", len(s), low, high)
	}
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return fmt.Errorf("has a character outside printable ASCII")
	}
	return nil
}

// checkWord accepts one non-empty word of letters, digits and ._:/-.
func checkWord(s string, limit int) error {
	if len(s) == 0 || len(s) > limit {
		return fmt.Errorf("%d bytes, want 1..%d", len(s), limit)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !wordRune(r) }) >= 0 {
		return fmt.Errorf("has a character outside A-Z a-z 0-9 . _ : / -")
	}
	return nil
}

func wordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:/-", r)
}

func checkAddr(s string) error {
	if !strings.HasPrefix(s, "/") {
		return fmt.Errorf("is not a multiaddr")
	}
	return checkText(s, 1, maxURL)
}

func checkAuthority(s string) error {
	if len(s) > maxPeer {
		return fmt.Errorf("%d bytes, limit %d", len(s), maxPeer)
	}
	key, err := base58.Decode(s)
	if err != nil {
		return err
	}
	if len(key) != authoritySize {
		return fmt.Errorf("decodes to %d bytes, want %d", len(key), authoritySize)
	}
	return nil
}

func checkDID(s string) error {
	if !strings.HasPrefix(s, didPrefix) {
		return fmt.Errorf("does not begin with %s", didPrefix)
	}
	return checkWord(s, maxDID)
}

// checkURL refuses a URL with a user part, because announcements are public and a password in the
// URL would be public too.
func checkURL(s string) error {
	if err := checkText(s, 1, maxURL); err != nil {
		return err
	}
	u, err := url.Parse(s)
	if err != nil {
		return fmt.Errorf("is not a URL")
	}
	schemes := []string{"http", "https", "ws", "wss"}
	if !slices.Contains(schemes, u.Scheme) || u.Host == "" || u.User != nil {
		return fmt.Errorf("is not an http or ws URL with a host and without a user")
	}
	return nil
}

func checkSig(s string) error {
	if s == "" {
		return fmt.Errorf("is missing")
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(sig) != signatureSize {
		return fmt.Errorf("is not base64 of %d bytes", signatureSize)
	}
	return nil
}

func checkSource(s Source) error {
	if err := checkWord(s.Name, maxName); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if err := checkWord(s.Kind, maxKind); err != nil {
		return fmt.Errorf("kind: %w", err)
	}
	if err := checkHex(s.SchemaHash, hashSize); err != nil {
		return fmt.Errorf("schema_hash: %w", err)
	}
	return nil
}
