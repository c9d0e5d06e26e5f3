package payment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// Store keeps records on disk: journal.Money.
type Store interface {
	// Get returns a copy of a value, or nil if there is none.
	Get(key []byte) ([]byte, error)
	// Each calls f in order with the keys of a prefix and their values, which f does not keep.
	Each(prefix []byte, f func(key, value []byte) error) error
	// Put keeps all values or none, durably. An empty value removes its key. After an error, either
	// may be true.
	Put(all map[string][]byte) error
}

// errRecord: the store has a record that cannot be read. It pays for nothing.
var errRecord = errors.New("payment: a record cannot be read")

// The first byte of a key is the kind of its record.
const (
	billKind    = "b" // task ‖ receipt: bill
	promiseKind = "p" // payee: promise
	accountKind = "r" // payer: account
	debtKind    = "d" // receipt: debt
)

func billKey(task casefile.Address, receipt voting.Hash) string {
	return billKind + string(task[:]) + string(receipt[:])
}

func partyKey(kind string, party onchain.Address) string { return kind + string(party[:]) }

func debtKey(receipt voting.Hash) string { return debtKind + string(receipt[:]) }

// load reads a record; ok is false if there is none.
func load[T any](s Store, key string) (v T, ok bool, err error) {
	raw, err := s.Get([]byte(key))
	if err != nil || raw == nil {
		return v, false, err
	}
	v, err = decode[T](key, raw)
	return v, true, err
}

// all calls f with every record under a prefix. rest is the key without it.
func all[T any](s Store, prefix string, f func(rest []byte, v T) error) error {
	return s.Each([]byte(prefix), func(key, raw []byte) error {
		v, err := decode[T](string(key), raw)
		if err != nil {
			return err
		}
		return f(key[len(prefix):], v)
	})
}

func decode[T any](key string, raw []byte) (v T, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err = d.Decode(&v)
	if _, end := d.Token(); err == nil && !errors.Is(end, io.EOF) {
		err = errors.New("something follows it")
	}
	if err != nil {
		return v, fmt.Errorf("%w: %.1q: %w", errRecord, key, err)
	}
	return v, nil
}

// batch is a set of records that are written together.
type batch map[string][]byte

func (b batch) add(key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%w: %w", errRecord, err)
	}
	b[key] = raw
	return nil
}

func (b batch) remove(key string) { b[key] = nil }
