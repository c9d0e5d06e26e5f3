package holdings

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
)

// maxMessage bounds a request and a receipt, in bytes.
const maxMessage = 4 << 10

// The beginnings of what agents sign here. No transaction begins like them.
const (
	requestMark = "ojud/data-request/1\n"
	receiptMark = "ojud/data-receipt/1\n"
)

// KeyRequest is how an agent asks for the key of a private item. It is for one stream between two
// hosts.
type KeyRequest struct {
	Network   casefile.Digest    `json:"network"`
	Program   casefile.Address   `json:"program"`
	Data      casefile.Address   `json:"data"`
	Content   casefile.Digest    `json:"content"` // hash of the bytes in the account
	Task      casefile.Address   `json:"task"`    // of the grant
	Asker     casefile.Address   `json:"asker"`   // the agent
	From      string             `json:"from"`    // peer ID of the asker's host
	To        string             `json:"to"`      // peer ID of the owner's host
	Signature casefile.Signature `json:"signature"`
}

// Receipt is an owner's signed proof that it handed a key over: the request, and the key in a
// sealed box for the asker.
type Receipt struct {
	Request   KeyRequest         `json:"request"`
	Owner     casefile.Address   `json:"owner"`
	Box       []byte             `json:"box"`
	At        int64              `json:"at"` // Unix seconds of the chain's clock
	Signature casefile.Signature `json:"signature"`
}

// statement is what the asker signs.
func (r KeyRequest) statement() ([]byte, error) {
	r.Signature = casefile.Signature{}
	return statement(requestMark, r)
}

// statement is what the owner signs.
func (r Receipt) statement() ([]byte, error) {
	r.Signature = casefile.Signature{}
	return statement(receiptMark, r)
}

func statement(mark string, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	canonical, err := canon.JSON(raw, maxMessage)
	return append([]byte(mark), canonical...), err
}

// signed returns the request with the asker's signature.
func (r KeyRequest) signed(by *transact.Keypair) (KeyRequest, error) {
	m, err := r.statement()
	r.Signature = casefile.Signature(by.Sign(m))
	return r, err
}

// signed returns the receipt with the owner's signature.
func (r Receipt) signed(by *transact.Keypair) (Receipt, error) {
	m, err := r.statement()
	r.Signature = casefile.Signature(by.Sign(m))
	return r, err
}

// errSignature means that something is not signed by the one that it names.
var errSignature = errors.New("holdings: the signature is wrong")

func verified(by casefile.Address, m []byte, s casefile.Signature) error {
	if err := transact.CheckKey(onchain.Address(by)); err != nil {
		return err
	}
	if !ed25519.Verify(by[:], m, s[:]) {
		return fmt.Errorf("%w: it is not by %s", errSignature, by)
	}
	return nil
}

// Verify checks the asker's signature.
func (r KeyRequest) Verify() error {
	m, err := r.statement()
	if err != nil {
		return err
	}
	return verified(r.Asker, m, r.Signature)
}

// Verify checks both signatures: this owner handed a key for this content to this asker, which had
// asked for it. It cannot tell whether the key was right: only the asker can open the box.
func (r Receipt) Verify() error {
	if err := r.Request.Verify(); err != nil {
		return err
	}
	m, err := r.statement()
	if err != nil {
		return err
	}
	return verified(r.Owner, m, r.Signature)
}

// ParseReceipt reads a receipt, and does not verify it.
func ParseReceipt(raw []byte) (Receipt, error) { return decode[Receipt](raw) }

// decode reads a message. It refuses fields that it does not know.
func decode[T any](raw []byte) (v T, err error) {
	if len(raw) > maxMessage {
		return v, fmt.Errorf("holdings: %d bytes are too many; at most %d", len(raw), maxMessage)
	}
	canonical, err := canon.JSON(raw, maxMessage)
	if err != nil {
		return v, err
	}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("holdings: %w", err)
	}
	return v, nil
}

// Open decrypts an item with the key that a receipt hands over. It checks the receipt first.
func (r Receipt) Open(i *Item, own *transact.Keypair) ([]byte, error) {
	switch {
	case r.Owner != i.Owner || r.Request.Data != i.Data:
		return nil, errors.New("holdings: the receipt is for other data")
	case r.Request.Content != i.Hash:
		return nil, errors.New("holdings: the data was changed since its key was handed over; ask again")
	case r.Request.Asker != casefile.Address(own.Address()):
		return nil, errors.New("holdings: the key was handed to another agent")
	}
	if err := r.Verify(); err != nil {
		return nil, err
	}
	raw, err := own.OpenBox(r.Box)
	if err != nil {
		return nil, err
	}
	if len(raw) != keySize {
		return nil, fmt.Errorf("%w: its key has %d bytes", errItem, len(raw))
	}
	return opened(onchain.Address(i.Data), i.content, itemKey(raw))
}
