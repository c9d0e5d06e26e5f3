package casefile

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/mr-tron/base58"

	"ojud/casefile/canon"
	"ojud/voting"
)

// Values as canonical JSON writes them (protocol section 1). Each has exactly one spelling: a
// decoded text must encode to the same text, so that two spellings of one thing cannot have two
// hashes.
type (
	// Address is a 32-byte key or account in base58.
	Address voting.Key
	// Digest is a SHA-256 in lower-case hex.
	Digest voting.Hash
	// DID is the Ed25519 public key of a node as did:key (multicodec ed25519-pub, base58btc).
	DID voting.Key
	// Amount is lamports as a decimal string: canonical JSON rounds integers above 2^53.
	Amount uint64
	// Signature is an Ed25519 signature in standard base64.
	Signature voting.Signature
	// TxID is the signature that names a Solana transaction, in base58.
	TxID [64]byte
)

// The multibase letter and the multicodec of did:key for Ed25519 keys.
const didPrefix = "did:key:z"

// String returns the base58 form.
func (a Address) String() string { return base58.Encode(a[:]) }

// MarshalText implements encoding.TextMarshaler.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Address) UnmarshalText(text []byte) error {
	if err := canon.Base58(text, a[:]); err != nil {
		return fmt.Errorf("no base58 address of 32 bytes: %w", err)
	}
	return nil
}

// ParseAddress reads a base58 address.
func ParseAddress(text string) (Address, error) {
	var a Address
	err := a.UnmarshalText([]byte(text))
	return a, err
}

// String returns the hex form.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Compare orders digests by their bytes.
func (d Digest) Compare(other Digest) int { return bytes.Compare(d[:], other[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("no SHA-256 in hex: %d characters; it has 64", len(text))
	}
	if _, err := hex.Decode(d[:], text); err != nil {
		return fmt.Errorf("no SHA-256 in hex: %w", err)
	}
	if d.String() != string(text) {
		return fmt.Errorf("hex is written in lower case: %w", canon.ErrSpelling)
	}
	return nil
}

// String returns the did:key form.
func (d DID) String() string { return didPrefix + base58.Encode(append([]byte{0xed, 0x01}, d[:]...)) }

// MarshalText implements encoding.TextMarshaler.
func (d DID) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *DID) UnmarshalText(text []byte) error {
	if len(text) < len(didPrefix) || string(text[:len(didPrefix)]) != didPrefix {
		return fmt.Errorf("no did:key of an Ed25519 key: it begins with %s", didPrefix)
	}
	var key [34]byte
	if err := canon.Base58(text[len(didPrefix):], key[:]); err != nil {
		return fmt.Errorf("no did:key of an Ed25519 key: %w", err)
	}
	if key[0] != 0xed || key[1] != 0x01 {
		return errors.New("did:key of a key that is not Ed25519")
	}
	copy(d[:], key[2:])
	return nil
}

// ParseDID reads a did:key.
func ParseDID(text string) (DID, error) {
	var d DID
	err := d.UnmarshalText([]byte(text))
	return d, err
}

// MarshalText implements encoding.TextMarshaler.
func (a Amount) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(a), 10), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Amount) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || strconv.FormatUint(n, 10) != string(text) {
		return errors.New("no amount: lamports are a decimal string such as \"1000000\", at most 18446744073709551615")
	}
	*a = Amount(n)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (s Signature) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, s[:]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Signature) UnmarshalText(text []byte) error {
	raw, err := canon.Base64(text)
	if err != nil {
		return err
	}
	if len(raw) != len(s) {
		return fmt.Errorf("no signature: %d bytes; it has 64", len(raw))
	}
	copy(s[:], raw)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (t TxID) MarshalText() ([]byte, error) { return []byte(base58.Encode(t[:])), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *TxID) UnmarshalText(text []byte) error {
	if err := canon.Base58(text, t[:]); err != nil {
		return fmt.Errorf("no transaction signature in base58: %w", err)
	}
	return nil
}
