package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ojud/casefile"
	"ojud/voting"
)

// Bill is what one answer costs: who owes whom, and for which receipt.
type Bill struct {
	Seat    Seat         // of the asker
	Holder  casefile.DID // who is owed
	Receipt voting.Hash  // of the answer's receipt, signature included
	Price   uint64       // lamports
}

// Purse pays for answers, on the side of who asks. Without one a node asks only for what is free.
type Purse interface {
	// Spent is what was authorized in a case so far, in lamports, before a restart too.
	Spent(task casefile.Address) (uint64, error)
	// Room is what can be promised besides what was, in lamports: what the vault holds and no voucher takes. Who has none asks for nothing
	// that has a price.
	Room(ctx context.Context) (uint64, error)
	// Authorize makes the voucher with which the holder can draw the price. It is durable before Authorize returns, which
	// it does soon. One bill has one voucher, however often it is authorized.
	Authorize(ctx context.Context, b Bill) (json.RawMessage, error)
	// Vouchers are those for a holder which it may not have got: the connection broke, or the node did.
	Vouchers(ctx context.Context, holder casefile.DID) ([]Payment, error)
}

// Till takes payments, on the side of who answers. Without one a node gives no source that has a price.
type Till interface {
	// Ready says why this node cannot be paid at present; nil: it can.
	Ready(ctx context.Context) error
	// Accept keeps a voucher for a bill of this node's, durably, or says why it is worth nothing: by one of the errors below, or any other if
	// that is this node's fault.
	Accept(ctx context.Context, b Bill, voucher json.RawMessage) error
}

// Why a voucher is worth nothing. The texts are what the peer is told with ErrUnpaid, when it asks again.
var (
	ErrVoucherForm      = errors.New("the voucher cannot be read")
	ErrVoucherSignature = errors.New("the voucher is not signed by its payer for this program")
	ErrVoucherParties   = errors.New("the voucher is not from the authority of that judge to that of this node")
	ErrVoucherLow       = errors.New("the voucher promises less than is owed")
	ErrVoucherTime      = errors.New("the voucher expires too early")
	ErrVault            = errors.New("the vault of the payer does not hold what is owed")
)

func voucherErrors() []error {
	return []error{ErrVoucherForm, ErrVoucherSignature, ErrVoucherParties, ErrVoucherLow, ErrVoucherTime, ErrVault}
}

// Payment goes from asker to holder as data of the asker's own, after the answer that it pays for: INFORM with the content
// {"payment": {"receipt": hash, "voucher": any JSON}}.
type Payment struct {
	Receipt casefile.Digest `json:"receipt"`
	Voucher json.RawMessage `json:"voucher"` // at most MaxVoucher bytes
}

// MaxVoucher is the longest voucher, in bytes.
const MaxVoucher = 4 << 10

// maxVouchers is how many vouchers are shown in one conversation.
const maxVouchers = 8

type wirePayment struct {
	Payment *Payment `json:"payment"`
}

// Encode returns the content that carries the payment.
func (p Payment) Encode() (json.RawMessage, error) {
	raw, err := json.Marshal(wirePayment{&p})
	if err != nil {
		return nil, fmt.Errorf("exchange: payment: %w", err)
	}
	_, err = ParsePayment(raw)
	return raw, err
}

// ParsePayment reads content that an asker sent of its own.
func ParsePayment(content []byte) (Payment, error) {
	if len(content) > 2*MaxVoucher {
		return Payment{}, fmt.Errorf("exchange: payment: %d bytes; at most %d", len(content), 2*MaxVoucher)
	}
	canonical, err := casefile.Canonical(content, 2*MaxVoucher)
	if err != nil {
		return Payment{}, fmt.Errorf("exchange: payment: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	var t wirePayment
	if err := d.Decode(&t); err != nil {
		return Payment{}, fmt.Errorf("exchange: payment: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || t.Payment == nil {
		return Payment{}, errors.New("exchange: payment: is not {\"payment\": {…}}")
	}
	if n := len(t.Payment.Voucher); n == 0 || n > MaxVoucher || t.Payment.Receipt == (casefile.Digest{}) {
		return Payment{}, fmt.Errorf("exchange: payment: receipt missing, or voucher of %d bytes; 1 to %d can be", n, MaxVoucher)
	}
	return *t.Payment, nil
}
