package devnet

import (
	"context"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
)

// Limits of Agave (rpc-client-types/src/request.rs).
const (
	maxStatuses   = 256
	maxSignatures = 1_000
)

// uiSignatureStatus is one value of getSignatureStatuses.
type uiSignatureStatus struct {
	Slot               uint64                `json:"slot"`
	Confirmations      *uint64               `json:"confirmations"`
	Err                *svm.TransactionError `json:"err"`
	Status             uiStatus              `json:"status"`
	ConfirmationStatus string                `json:"confirmationStatus"`
}

func (s *Server) getSignatureStatuses(_ context.Context, p params) (any, error) {
	var words []string
	if err := p.read(0, &words, "a sequence"); err != nil {
		return nil, err
	}
	var c struct {
		History bool `json:"searchTransactionHistory"`
	}
	if err := p.optional(1, &c, "struct RpcSignatureStatusConfig"); err != nil {
		return nil, err
	}
	if len(words) > maxStatuses {
		return nil, invalidParams("Too many inputs provided; max %d", maxStatuses)
	}
	out := make([]*uiSignatureStatus, len(words))
	for i, w := range words {
		signature, err := parseSignature(w)
		if err != nil {
			return nil, err
		}
		if out[i], err = s.status(signature, c.History); err != nil {
			return nil, err
		}
	}
	var slot uint64
	s.bank.Read(bank.Processed, func(v *bank.View) { slot = v.Slot() })
	return withContext(slot, out), nil
}

// status returns nil if a signature is unknown, or is only in the history and that was not
// requested.
func (s *Server) status(signature solana.Signature, history bool) (*uiSignatureStatus, error) {
	found, ok, err := s.bank.Status(signature)
	if err != nil || !ok || !found.Recent && !history {
		return nil, err
	}
	t := found.Transaction
	out := &uiSignatureStatus{t.Slot, &found.Confirmations, t.Err, uiStatus{t.Err}, found.Level.String()}
	if found.Level == bank.Finalized {
		out.Confirmations = nil
	}
	return out, nil
}

func (s *Server) getTransaction(_ context.Context, p params) (any, error) {
	signature, err := p.signature(0)
	if err != nil {
		return nil, err
	}
	var c struct {
		contextConfig
		transactionConfig
	}
	if p.has(1) && p[1][0] == '"' {
		err = p.read(1, &c.Encoding, "enum UiTransactionEncoding")
	} else {
		err = p.optional(1, &c, "struct RpcTransactionConfig")
	}
	if err != nil {
		return nil, err
	}
	level, err := c.Commitment.atLeastConfirmed()
	if err != nil {
		return nil, err
	}
	found, ok, err := s.bank.Status(signature)
	if err != nil || !ok || found.Level < level {
		return nil, err
	}
	out, err := encodeTransaction(found.Transaction, c.transactionConfig, false)
	if err != nil {
		return nil, err
	}
	out.Slot, out.BlockTime = &found.Transaction.Slot, &found.Transaction.Time
	return out, nil
}

// uiSignature is one value of getSignaturesForAddress.
type uiSignature struct {
	Signature          string                `json:"signature"`
	Slot               uint64                `json:"slot"`
	Err                *svm.TransactionError `json:"err"`
	Memo               *string               `json:"memo"`
	BlockTime          int64                 `json:"blockTime"`
	ConfirmationStatus string                `json:"confirmationStatus"`
}

// signaturesConfig is the configuration of getSignaturesForAddress.
type signaturesConfig struct {
	contextConfig
	Before *string `json:"before"`
	Until  *string `json:"until"`
	Limit  *uint64 `json:"limit"`
}

func (s *Server) getSignaturesForAddress(_ context.Context, p params) (any, error) {
	address, err := p.key(0)
	if err != nil {
		return nil, err
	}
	var c signaturesConfig
	if err := p.optional(1, &c, "struct RpcSignaturesForAddressConfig"); err != nil {
		return nil, err
	}
	q := bank.Query{Address: address, Limit: maxSignatures}
	if q.Before, err = optionalSignature(c.Before); err != nil {
		return nil, err
	}
	if q.Until, err = optionalSignature(c.Until); err != nil {
		return nil, err
	}
	if c.Limit != nil {
		if *c.Limit == 0 || *c.Limit > maxSignatures {
			return nil, invalidParams("Invalid limit; max %d", maxSignatures)
		}
		q.Limit = int(*c.Limit)
	}
	if q.MaxSlot, err = s.tip(c.contextConfig); err != nil {
		return nil, err
	}
	list, err := s.bank.Transactions(q)
	if err != nil {
		return nil, err
	}
	out := make([]uiSignature, len(list))
	for i, found := range list {
		t := found.Transaction
		out[i] = uiSignature{t.Signature().String(), t.Slot, t.Err, nil, t.Time, found.Level.String()}
	}
	return out, nil
}

func optionalSignature(word *string) (*solana.Signature, error) {
	if word == nil {
		return nil, nil
	}
	signature, err := parseSignature(*word)
	return &signature, err
}
