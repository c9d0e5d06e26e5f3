package desk

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
)

// signTime is how long a wallet has. A transaction is worth nothing about a minute after it was
// made.
const signTime = 50 * time.Second

// signing brings transactions to a wallet in the browser, one at a time.
type signing struct {
	turn chan struct{} // holds a token while one waits

	mu      sync.Mutex
	count   uint64
	message []byte // that waits; nil: none
	answer  chan answered
	waiting chan struct{} // closed when one waits
}

// answered is what came of a transaction in the browser.
type answered struct {
	signature onchain.Signature
	err       error
}

func newSigning() *signing {
	return &signing{turn: make(chan struct{}, 1), waiting: make(chan struct{})}
}

// ask waits until the wallet has signed the message of a transaction. The end of stop is the end of
// the desk.
func (s *signing) ask(stop <-chan struct{}, message []byte) (onchain.Signature, error) {
	over := time.NewTimer(signTime)
	defer over.Stop()
	late := fmt.Errorf("it had %s", signTime)
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-stop:
		return onchain.Signature{}, errors.New("the desk was closed")
	case <-over.C:
		return onchain.Signature{}, late
	}
	answer := make(chan answered, 1)
	s.mu.Lock()
	s.count++
	s.message, s.answer = bytes.Clone(message), answer
	close(s.waiting)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.message, s.answer, s.waiting = nil, nil, make(chan struct{})
		s.mu.Unlock()
	}()
	select {
	case a := <-answer:
		return a.signature, a.err
	case <-stop:
		return onchain.Signature{}, errors.New("the desk was closed")
	case <-over.C:
		return onchain.Signature{}, late
	}
}

// asked is closed while a transaction waits.
func (s *signing) asked() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// now returns the transaction that waits, without signatures and in base64, and its number.
func (s *signing) now() (number, transaction string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.message) == 0 {
		return "", ""
	}
	raw := append([]byte{s.message[0]}, make([]byte, len(onchain.Signature{})*int(s.message[0]))...)
	return strconv.FormatUint(s.count, 10), base64.StdEncoding.EncodeToString(append(raw, s.message...))
}

// signature is the first of a signed transaction. It is the wallet's, because the wallet pays. A
// transaction with another message is refused.
func (s *signing) signature(raw []byte) (sig onchain.Signature, err error) {
	if len(raw) == 0 || raw[0] == 0 || raw[0] >= 128 || len(raw) < 1+len(sig)*int(raw[0]) {
		return sig, errors.New("what the wallet returned is no transaction")
	}
	if !bytes.Equal(raw[1+len(sig)*int(raw[0]):], s.message) {
		return sig, errors.New("the wallet changed the transaction; turn off what adds instructions in its settings, or take another wallet")
	}
	return onchain.Signature(raw[1 : 1+len(sig)]), nil
}

// take gives the answer of the browser to who waits for it.
func (s *signing) take(number, transaction, refused string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer == nil || number != strconv.FormatUint(s.count, 10) {
		return errors.New("the transaction does not wait any more")
	}
	var a answered
	if refused != "" {
		a.err = errors.New(picture.Line(refused[:min(len(refused), maxRefusal)]))
	} else if raw, err := base64.StdEncoding.DecodeString(transaction); err != nil {
		a.err = errors.New("what the wallet returned is no base64")
	} else {
		a.signature, a.err = s.signature(raw)
	}
	select {
	case s.answer <- a:
		return nil
	default:
		return errors.New("the transaction was answered already")
	}
}

// maxRefusal bounds the words of a wallet, in bytes.
const maxRefusal = 300

// signed takes a transaction from the wallet.
func (d *Desk) signed(v *visit) error {
	if err := d.signing.take(v.r.PostFormValue("number"), v.r.PostFormValue("transaction"), v.r.PostFormValue("refused")); err != nil {
		return err
	}
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}

// connect makes the account of a wallet the party.
func (d *Desk) connect(v *visit) error {
	if !d.wallet {
		return errors.New("this desk acts with a key file; ojud desk --wallet takes a wallet")
	}
	address, err := casefile.ParseAddress(v.r.PostFormValue("address"))
	if err != nil || address == (casefile.Address{}) {
		return errors.New("the wallet gave no address of Solana")
	}
	d.mu.Lock()
	old, running := d.party, d.running()
	d.mu.Unlock()
	if old != nil && old.Me() == address.String() {
		v.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if running != nil {
		return errBusy
	}
	party, err := d.needs.Open(d.life, transact.Elsewhere(onchain.Address(address), func(message []byte) (onchain.Signature, error) {
		return d.signing.ask(d.life.Done(), message)
	}))
	if err != nil {
		return err
	}
	d.mu.Lock()
	old, d.party = d.party, party
	d.mu.Unlock()
	if old != nil {
		if err := old.Close(); err != nil {
			return err
		}
	}
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}
