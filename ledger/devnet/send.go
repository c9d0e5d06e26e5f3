package devnet

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
	"ojud/ledger/svm/failure"
)

// sendMethods are the methods that send or simulate transactions, and those that prepare them.
type sendMethods struct{ *chain }

// sendConfig is the configuration of sendTransaction. Only the type of maxRetries is checked: a
// transaction is executed when it arrives, so there is nothing to retry.
type sendConfig struct {
	SkipPreflight       bool                `json:"skipPreflight"`
	PreflightCommitment commitment          `json:"preflightCommitment"`
	Encoding            transactionEncoding `json:"encoding"`
	MaxRetries          *uint64             `json:"maxRetries"`
	MinContextSlot      *uint64             `json:"minContextSlot"`
}

// sendTransaction simulates the transaction, unless the client skips that, and executes it. The
// answer is the signature even if the transaction then fails or cannot land. A cluster does the
// same, because it answers before the execution.
func (s sendMethods) sendTransaction(p *params) (any, error) {
	text := p.text(0)
	var c sendConfig
	p.optional(1, &c, "struct RpcSendTransactionConfig")
	tx := p.transaction(text, c.Encoding)
	if p.err != nil {
		return nil, p.err
	}
	level := contextConfig{c.PreflightCommitment, c.MinContextSlot}
	if c.SkipPreflight {
		processed := bank.Processed
		level.Commitment.level = &processed
	}
	if err := s.preflight(level, tx, c.SkipPreflight); err != nil {
		s.metrics.refused()
		return nil, err
	}
	return s.process(tx)
}

// transaction decodes a transaction that was read before.
func (p *params) transaction(text string, e transactionEncoding) *solana.Transaction {
	return parsed(p, text, func(text string) (*solana.Transaction, error) { return decodeTransaction(text, e.encoding) })
}

// process executes a transaction that passed preflight.
func (s sendMethods) process(tx *solana.Transaction) (any, error) {
	t, rejected, err := s.bank.Process(tx)
	switch {
	case err != nil:
		return nil, err
	case rejected != nil && unsanitary(rejected):
		s.metrics.refused()
		return nil, invalidTransaction(rejected)
	case rejected != nil:
		s.metrics.refused()
		s.log.Debug("a transaction cannot land", "signature", tx.Signatures[0], "err", rejected)
		return tx.Signatures[0].String(), nil
	}
	s.metrics.executed(t)
	return t.Signature().String(), nil
}

// preflight simulates a transaction before it is sent. If the client skips it, only the context
// slot is checked.
func (s sendMethods) preflight(level contextConfig, tx *solana.Transaction, skip bool) error {
	var r *svm.Result
	err := s.read(level, func(v *bank.View) (err error) {
		if !skip {
			r, err = v.Simulate(tx, true)
		}
		return err
	})
	if err != nil || skip || r.Err == nil {
		return err
	}
	if err := formError(r.Err); err != nil {
		return err
	}
	out := newSimulation(r)
	out.Accounts, out.Fee = nil, feeOf(r)
	return &rpcError{codePreflight, "Transaction simulation failed: " + r.Err.Error(), out}
}

// formError is the error for a transaction that is malformed or has a wrong signature.
func formError(err *failure.TransactionError) error {
	switch {
	case unsanitary(err):
		return invalidTransaction(err)
	case err.Code == failure.ErrSignatureFailure:
		return &rpcError{Code: codeSignature, Message: "Transaction signature verification failure"}
	}
	return nil
}

func feeOf(r *svm.Result) *uint64 {
	if r.Status == svm.Rejected {
		return nil
	}
	return &r.Fee
}

func (s sendMethods) getFeeForMessage(p *params) (any, error) {
	text, c := p.text(0), p.context(1)
	tx := parsed(p, text, decodeMessage)
	return s.answer(p, c, func(v *bank.View) (any, error) {
		fee, bad := v.Fee(tx)
		if bad != nil && unsanitary(bad) {
			return nil, invalidParams("invalid transaction message: %v", bad)
		}
		if bad == nil && v.BlockhashValid(tx.Message.RecentBlockhash) {
			return fee, nil
		}
		return nil, nil
	})
}

func (s sendMethods) getLatestBlockhash(p *params) (any, error) {
	return s.answer(p, p.context(0), func(v *bank.View) (any, error) {
		hash, last := v.Blockhash()
		return uiBlockhash{hash.String(), last}, nil
	})
}

type uiBlockhash struct {
	Blockhash            string `json:"blockhash"`
	LastValidBlockHeight uint64 `json:"lastValidBlockHeight"`
}

func (s sendMethods) isBlockhashValid(p *params) (any, error) {
	raw := parsed(p, p.text(0), func(word string) ([]byte, error) {
		raw, err := decode58(word, len(solana.Hash{}), 44)
		if err != nil {
			return nil, invalidParams("%v", err) // only this method does not say "Invalid param"
		}
		return raw, nil
	})
	return s.answer(p, p.context(1), func(v *bank.View) (any, error) { return v.BlockhashValid(solana.Hash(raw)), nil })
}
