package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// Bill is the price of one answer: its debtor, its creditor, and the receipt.
type Bill struct {
	Seat    Seat         // of the asker
	Holder  casefile.DID // the creditor
	Receipt voting.Hash  // of the answer's receipt, signature included
	Price   uint64       // lamports
}

// Purse pays for answers on the requester's side. Without one, a node asks only for free answers.
type Purse interface {
	// Spent returns what was authorized in a case so far, in lamports, including before a restart.
	Spent(task casefile.Address) (uint64, error)
	// Room returns the lamports that can still be promised. With 0 nothing with a price is asked.
	Room(ctx context.Context) (uint64, error)
	// Authorize makes the voucher with which the holder can draw the price. It is durable when
	// Authorize returns, which is soon. One bill has one voucher, however often it is authorized.
	Authorize(ctx context.Context, b Bill) (json.RawMessage, error)
	// Vouchers returns the vouchers that a holder may not have received.
	Vouchers(ctx context.Context, holder casefile.DID) ([]Payment, error)
}

// Till takes payments on the holder's side. Without one, a node offers no source with a price.
type Till interface {
	// Ready returns why this node cannot be paid now, or nil.
	Ready(ctx context.Context) error
	// Accept keeps a voucher for a bill of this node, durably. Otherwise it returns why the voucher
	// is worthless, as one of the errors below, or another error if this node is at fault.
	Accept(ctx context.Context, b Bill, voucher json.RawMessage) error
}

// The reasons why a voucher is worthless. The peer reads them with ErrUnpaid when it asks again.
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

// Payment goes from requester to holder as the requester's own data, after the answer that it pays:
// INFORM with the content {"payment": {"receipt": hash, "voucher": any JSON}}.
type Payment struct {
	Receipt casefile.Digest `json:"receipt"`
	Voucher json.RawMessage `json:"voucher"` // at most MaxVoucher bytes
}

// MaxVoucher is the longest voucher, in bytes.
const MaxVoucher = 4 << 10

// maxVouchers bounds the vouchers that are sent in one conversation.
const maxVouchers = 8

type wirePayment struct {
	Payment Payment `json:"payment"`
}

// Encode returns the content that carries the payment.
func (p Payment) Encode() (json.RawMessage, error) {
	raw, err := json.Marshal(wirePayment{p})
	if err != nil {
		return nil, fmt.Errorf("exchange: payment: %w", err)
	}
	_, err = ParsePayment(raw)
	return raw, err
}

// ParsePayment reads content that a requester sent unasked.
func ParsePayment(content []byte) (Payment, error) {
	if len(content) > 2*MaxVoucher {
		return Payment{}, fmt.Errorf("exchange: payment: %d bytes; at most %d", len(content), 2*MaxVoucher)
	}
	canonical, err := canon.JSON(content, 2*MaxVoucher)
	if err != nil {
		return Payment{}, fmt.Errorf("exchange: payment: %w", err)
	}
	var t wirePayment
	if err := casefile.Fill("payment", canonical, &t, ""); err != nil {
		return Payment{}, fmt.Errorf("exchange: %w", err)
	}
	if n := len(t.Payment.Voucher); n > MaxVoucher || t.Payment.Receipt == (casefile.Digest{}) {
		return Payment{}, fmt.Errorf("exchange: payment: receipt of zeros, or voucher of %d bytes; at most %d", n, MaxVoucher)
	}
	return t.Payment, nil
}
