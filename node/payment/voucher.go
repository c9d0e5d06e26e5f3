package payment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/datasource/exchange"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// maxExpires is the latest expiry that canonical JSON writes exactly, in Unix seconds.
const maxExpires = 1<<53 - 1

// Signed is a voucher with its payer's signature.
type Signed struct {
	program.Voucher
	Signature voting.Signature
}

// form is a voucher on the network (docs/protocol.md section 12). All members are required.
type form struct {
	Payer      *casefile.Address   `json:"payer"`
	Payee      *casefile.Address   `json:"payee"`
	Cumulative *casefile.Amount    `json:"cumulative"`
	Expires    *int64              `json:"expires"`
	Signature  *casefile.Signature `json:"signature"`
}

// Encode returns canonical JSON without network and program, which the reader knows.
func (s Signed) Encode() (json.RawMessage, error) {
	if s.Expires < 0 || s.Expires > maxExpires {
		return nil, fmt.Errorf("payment: voucher: expires at %d, 0 to %d can be written", s.Expires, int64(maxExpires))
	}
	payer, payee, signature := casefile.Address(s.Payer), casefile.Address(s.Payee), casefile.Signature(s.Signature)
	cumulative := casefile.Amount(s.Cumulative)
	raw, err := json.Marshal(form{&payer, &payee, &cumulative, &s.Expires, &signature})
	if err != nil {
		return nil, fmt.Errorf("payment: voucher: %w", err)
	}
	return canon.JSON(raw, exchange.MaxVoucher)
}

// parseSigned reads a foreign voucher of at most exchange.MaxVoucher bytes, and checks its
// signature for the network and program of d. The error wraps exchange.ErrVoucherForm or
// exchange.ErrVoucherSignature.
func parseSigned(d voting.Domain, raw []byte) (Signed, error) {
	f, err := parse(raw)
	if err != nil {
		return Signed{}, fmt.Errorf("%w: %w", exchange.ErrVoucherForm, err)
	}
	s := Signed{program.Voucher{Domain: d, Payer: onchain.Address(*f.Payer), Payee: onchain.Address(*f.Payee), Cumulative: uint64(*f.Cumulative),
		Expires: *f.Expires}, voting.Signature(*f.Signature)}
	if err := s.Verify(s.Signature); err != nil {
		return Signed{}, fmt.Errorf("%w: %w", exchange.ErrVoucherSignature, err)
	}
	return s, nil
}

func parse(raw []byte) (f form, err error) {
	if len(raw) > exchange.MaxVoucher {
		return f, fmt.Errorf("%d bytes; at most %d", len(raw), exchange.MaxVoucher)
	}
	canonical, err := canon.JSON(raw, exchange.MaxVoucher)
	if err != nil {
		return f, err
	}
	if err := casefile.Fill("voucher", canonical, &f, ""); err != nil {
		return f, err
	}
	if *f.Expires < 0 || *f.Expires > maxExpires {
		return f, fmt.Errorf("expires at %d, not 0 to %d", *f.Expires, int64(maxExpires))
	}
	again, err := json.Marshal(f)
	if err == nil {
		again, err = canon.JSON(again, exchange.MaxVoucher)
	}
	if err == nil && !bytes.Equal(again, canonical) {
		err = errors.New("has values that are spelled otherwise")
	}
	return f, err
}
