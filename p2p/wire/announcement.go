package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gowebpki/jcs"
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
