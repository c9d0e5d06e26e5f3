package node

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"time"

	"ojud/casefile/canon"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	"ojud/node/network"
)

// FileSignature is the signature of a network.json, by a key that has a power over the court.
type FileSignature struct {
	By        onchain.Address   `json:"by"`
	Signature onchain.Signature `json:"signature"`
}

// signedPrefix begins the text that is signed, so that a signature means nothing else.
const signedPrefix = "oju-network signature 1\n"

// signedText returns what a key signs: the prefix, and the canonical JSON of the descriptor without
// its signature.
func (d Descriptor) signedText() ([]byte, error) {
	d.Signed = nil
	raw, err := json.Marshal(d)
	if err == nil {
		raw, err = canon.JSON(raw, MaxDescriptor)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDescriptor, err)
	}
	return append([]byte(signedPrefix), raw...), nil
}

// SignedBy returns the descriptor with the signature of that key, made at a time. It is later than
// the one that it replaces, whatever the clock says.
func (d Descriptor) SignedBy(key *transact.Keypair, at time.Time) (Descriptor, error) {
	d.Issued = max(at.Unix(), d.Issued+1)
	text, err := d.signedText()
	if err != nil {
		return d, err
	}
	d.Signed = &FileSignature{By: key.Address(), Signature: key.Sign(text)}
	return d, d.Validate()
}

// Signer returns the address of the key that signed the descriptor, or an empty text.
func (d Descriptor) Signer() string {
	if d.Signed == nil {
		return ""
	}
	return d.Signed.By.String()
}

// checkSignature returns an error if there is a signature that is not that of this text.
func (d Descriptor) checkSignature() error {
	if d.Signed == nil {
		return nil
	}
	text, err := d.signedText()
	if err != nil {
		return err
	}
	if !ed25519.Verify(d.Signed.By[:], text, d.Signed.Signature[:]) {
		return fmt.Errorf("%w: signed: it is not the signature of %s under this text, so somebody changed the file after it was signed; "+
			"get it again from the court, or sign what you changed with: ojud court sign", errDescriptor, d.Signed.By)
	}
	return nil
}

// ParseUnsigned reads a network.json that is to be signed. It ignores a signature, which may be
// that of an older text; ParseDescriptor says whether it is.
func ParseUnsigned(raw []byte) (Descriptor, error) {
	if len(raw) > MaxDescriptor {
		return Descriptor{}, fmt.Errorf("%w: %d bytes, limit %d", errDescriptor, len(raw), MaxDescriptor)
	}
	var d Descriptor
	if err := network.DecodeStrict(raw, &d); err != nil {
		return Descriptor{}, fmt.Errorf("%w: %w", errDescriptor, err)
	}
	d.Signed = nil
	return d, d.Validate()
}

// keepsSigner refuses a network.json that the signer of the old one did not sign, or signed
// earlier: who can replace the file could lead a judge to an RPC node that lies, or to one that the
// court gave up.
func keepsSigner(dir string, old, d Descriptor) error {
	signer := old.Signer()
	switch {
	case signer == "":
		return nil
	case signer == d.Signer() && d.Issued >= old.Issued:
		return nil
	case signer == d.Signer():
		return fmt.Errorf("%w: the network.json of %s was signed at %s, and the new one earlier, at %s; nothing was changed. "+
			"Get the present one from the court. If the court says that the earlier one is right, remove network.json from %s and do it again",
			errHome, dir, issued(old), issued(d), dir)
	}
	how := "is not signed"
	if by := d.Signer(); by != "" {
		how = "is signed by " + by
	}
	return fmt.Errorf("%w: the network.json of %s is signed by %s, and the new one %s; nothing was changed. "+
		"If the court says that this is right, remove network.json from %s and do it again", errHome, dir, signer, how, dir)
}

// issued says when a descriptor was signed.
func issued(d Descriptor) string { return time.Unix(d.Issued, 0).UTC().Format(time.DateTime) }
