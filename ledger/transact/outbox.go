package transact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// Purpose names the act of a transaction. While a transaction of a purpose can land, no other one
// is signed.
type Purpose string

// MaxPurpose bounds a Purpose, in bytes.
const MaxPurpose = 128

// PurposeOf names an act of a node in a round of a case. The seat matters if the node reveals for
// others or shows evidence.
func PurposeOf(op voting.Op, task onchain.Address, round, seat uint8) Purpose {
	return Purpose(fmt.Sprintf("%s/%s/%d/%d", op, task, round, seat))
}

// MaxTransaction is the size in bytes of the largest transaction of the older versions that the
// network carries (one IPv6 packet). solana.MaxTransactionSizeV1 bounds those of version 1.
const MaxTransaction = 1232

// Entry is a transaction that was signed and may land. It is in the outbox before it is sent for
// the first time, and until it landed or can no longer land; with Once, if it landed, until
// Sender.Forget.
type Entry struct {
	Purpose   Purpose           `json:"purpose"`
	Genesis   onchain.Hash      `json:"genesis"` // of the chain that it is for
	Signature onchain.Signature `json:"signature"`
	Raw       []byte            `json:"raw"`        // the signed transaction
	LastValid uint64            `json:"last_valid"` // height of the last block that can hold it
	Before    int64             `json:"before"`     // chain seconds after which it is of no use; 0: always of use
	At        int64             `json:"at"`         // Unix seconds when it was signed, for people
	Once      bool              `json:"once"`       // see SubmitOptions
	Landed    uint64            `json:"landed"`     // Once: slot of the final block that it is in; 0: none so far
}

// Outbox keeps entries on disk. When a method returns without an error, its change survives a power
// cut. At most one entry a purpose is kept.
type Outbox interface {
	// Keep stores an entry in place of the one of its purpose.
	Keep(ctx context.Context, e Entry) error
	// Drop removes the entry of a purpose, if it has that signature.
	Drop(ctx context.Context, p Purpose, sig onchain.Signature) error
	// Pending returns all entries.
	Pending(ctx context.Context) ([]Entry, error)
}

// maxEntry bounds an encoded entry, in bytes.
const maxEntry = 8 << 10

// Encode returns the entry's bytes, at most 8 KiB, for an outbox that keeps bytes.
func (e Entry) Encode() ([]byte, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return json.Marshal(e)
}

// DecodeEntry is the inverse of Encode. The error names the wrong field.
func DecodeEntry(data []byte) (Entry, error) {
	var e Entry
	if len(data) > maxEntry {
		return Entry{}, fmt.Errorf("ledger: outbox entry: %d bytes are too many", len(data))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return Entry{}, fmt.Errorf("ledger: outbox entry: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Entry{}, errors.New("ledger: outbox entry: something follows it")
	}
	return e, e.Validate()
}

// Validate names the field that is wrong.
func (e Entry) Validate() error {
	switch {
	case e.Purpose == "" || len(e.Purpose) > MaxPurpose:
		return fmt.Errorf("ledger: outbox entry: purpose of %d bytes, 1..%d are possible", len(e.Purpose), MaxPurpose)
	case e.Genesis.IsZero():
		return fmt.Errorf("ledger: outbox entry %q: no genesis hash", e.Purpose)
	case len(e.Raw) > limit(e.Raw):
		return fmt.Errorf("ledger: outbox entry %q: %d bytes of transaction, %d are possible", e.Purpose, len(e.Raw), limit(e.Raw))
	case e.Signature.IsZero() || SignatureOf(e.Raw) != e.Signature:
		return fmt.Errorf("ledger: outbox entry %q: its signature is not that of its transaction", e.Purpose)
	}
	return nil
}

// MemoryOutbox is an Outbox that forgets when the process ends. It suits a command that sends one
// transaction. A node needs an outbox on disk.
type MemoryOutbox struct {
	mu      sync.Mutex
	entries map[Purpose]Entry
}

var _ Outbox = (*MemoryOutbox)(nil)

// Keep stores an entry.
func (m *MemoryOutbox) Keep(_ context.Context, e Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries == nil {
		m.entries = make(map[Purpose]Entry)
	}
	m.entries[e.Purpose] = e
	return nil
}

// Drop removes an entry.
func (m *MemoryOutbox) Drop(_ context.Context, p Purpose, sig onchain.Signature) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[p].Signature == sig {
		delete(m.entries, p)
	}
	return nil
}

// Pending returns all entries by purpose.
func (m *MemoryOutbox) Pending(context.Context) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Entry, 0, len(m.entries))
	for _, e := range m.entries {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(string(a.Purpose), string(b.Purpose)) })
	return all, nil
}
