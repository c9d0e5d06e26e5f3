package devnet

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/failure"
)

// Limits of Agave (rpc-client-types/src/request.rs).
const (
	maxStatuses   = 256
	maxSignatures = 1_000
)

// uiSignatureStatus is one value of getSignatureStatuses.
type uiSignatureStatus struct {
	Slot               uint64                    `json:"slot"`
	Confirmations      *uint64                   `json:"confirmations"`
	Err                *failure.TransactionError `json:"err"`
	Status             uiStatus                  `json:"status"`
	ConfirmationStatus string                    `json:"confirmationStatus"`
}

func (s historyMethods) getSignatureStatuses(p *params) (any, error) {
	var words []string
	p.read(0, &words, "a sequence")
	var c struct {
		History bool `json:"searchTransactionHistory"`
	}
	p.optional(1, &c, "struct RpcSignatureStatusConfig")
	if len(words) > maxStatuses {
		p.fail(invalidParams("Too many inputs provided; max %d", maxStatuses))
	}
	out := make([]*uiSignatureStatus, len(words))
	for i, w := range words {
		signature := parsed(p, w, parseSignature)
		if p.err != nil {
			return nil, p.err
		}
		var err error
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
func (s historyMethods) status(signature solana.Signature, history bool) (*uiSignatureStatus, error) {
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

func (s historyMethods) getTransaction(p *params) (any, error) {
	signature := p.signature(0)
	var c struct {
		contextConfig
		transactionConfig
	}
	if p.has(1) && p.list[1][0] == '"' {
		p.read(1, &c.Encoding, "enum UiTransactionEncoding")
	} else {
		p.optional(1, &c, "struct RpcTransactionConfig")
	}
	level := p.atLeastConfirmed(c.Commitment)
	if p.err != nil {
		return nil, p.err
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
	Signature          string                    `json:"signature"`
	Slot               uint64                    `json:"slot"`
	Err                *failure.TransactionError `json:"err"`
	Memo               *string                   `json:"memo"`
	BlockTime          int64                     `json:"blockTime"`
	ConfirmationStatus string                    `json:"confirmationStatus"`
}

// signaturesConfig is the configuration of getSignaturesForAddress.
type signaturesConfig struct {
	contextConfig
	Before *string `json:"before"`
	Until  *string `json:"until"`
	Limit  *uint64 `json:"limit"`
}

func (s historyMethods) getSignaturesForAddress(p *params) (any, error) {
	q := bank.Query{Address: p.key(0), Limit: maxSignatures}
	var c signaturesConfig
	p.optional(1, &c, "struct RpcSignaturesForAddressConfig")
	q.Before, q.Until = p.optionalSignature(c.Before), p.optionalSignature(c.Until)
	if c.Limit != nil {
		if *c.Limit == 0 || *c.Limit > maxSignatures {
			p.fail(invalidParams("Invalid limit; max %d", maxSignatures))
		}
		q.Limit = int(min(*c.Limit, maxSignatures))
	}
	if q.MaxSlot = s.tip(p, c.contextConfig); p.err != nil {
		return nil, p.err
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

func (p *params) optionalSignature(word *string) *solana.Signature {
	if word == nil {
		return nil
	}
	signature := parsed(p, *word, parseSignature)
	return &signature
}
