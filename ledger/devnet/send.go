package devnet

import (
	"context"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
)

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
func (s *Server) sendTransaction(_ context.Context, p params) (any, error) {
	text, err := p.text(0)
	if err != nil {
		return nil, err
	}
	var c sendConfig
	if err := p.optional(1, &c, "struct RpcSendTransactionConfig"); err != nil {
		return nil, err
	}
	tx, err := decodeTransaction(text, c.Encoding.encoding)
	if err != nil {
		return nil, err
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

// process executes a transaction that passed preflight.
func (s *Server) process(tx *solana.Transaction) (any, error) {
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
func (s *Server) preflight(level contextConfig, tx *solana.Transaction, skip bool) error {
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
func formError(err *svm.TransactionError) error {
	switch {
	case unsanitary(err):
		return invalidTransaction(err)
	case err.Code == svm.ErrSignatureFailure:
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

func (s *Server) getFeeForMessage(_ context.Context, p params) (any, error) {
	text, err := p.text(0)
	if err != nil {
		return nil, err
	}
	var c contextConfig
	if err := p.optional(1, &c, "struct RpcContextConfig"); err != nil {
		return nil, err
	}
	tx, err := decodeMessage(text)
	if err != nil {
		return nil, err
	}
	var out any
	err = s.read(c, func(v *bank.View) error {
		fee, bad := v.Fee(tx)
		if bad != nil && unsanitary(bad) {
			return invalidParams("invalid transaction message: %v", bad)
		}
		var value *uint64
		if bad == nil && v.BlockhashValid(tx.Message.RecentBlockhash) {
			value = &fee
		}
		out = withContext(v.Slot(), value)
		return nil
	})
	return out, err
}

func (s *Server) getLatestBlockhash(_ context.Context, p params) (any, error) {
	var c contextConfig
	if err := p.optional(0, &c, "struct RpcContextConfig"); err != nil {
		return nil, err
	}
	var out any
	err := s.read(c, func(v *bank.View) error {
		hash, last := v.Blockhash()
		out = withContext(v.Slot(), uiBlockhash{hash.String(), last})
		return nil
	})
	return out, err
}

type uiBlockhash struct {
	Blockhash            string `json:"blockhash"`
	LastValidBlockHeight uint64 `json:"lastValidBlockHeight"`
}

func (s *Server) isBlockhashValid(_ context.Context, p params) (any, error) {
	word, err := p.text(0)
	if err != nil {
		return nil, err
	}
	raw, err := decode58(word, len(solana.Hash{}), 44)
	if err != nil {
		return nil, invalidParams("%v", err) // only this method does not say "Invalid param"
	}
	var c contextConfig
	if err := p.optional(1, &c, "struct RpcContextConfig"); err != nil {
		return nil, err
	}
	var out any
	err = s.read(c, func(v *bank.View) error {
		out = withContext(v.Slot(), v.BlockhashValid(solana.Hash(raw)))
		return nil
	})
	return out, err
}
