package devnet

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
)

// faucetError refuses an airdrop, in words for the person who asked.
func faucetError(format string, args ...any) error {
	return &rpcError{Code: codeInvalidParams, Message: "airdrop refused: " + fmt.Sprintf(format, args...)}
}

func (s sendMethods) requestAirdrop(p *params) (any, error) {
	to, lamports := p.key(0), p.u64(1)
	var c struct {
		contextConfig
		Blockhash *string `json:"recentBlockhash"`
	}
	p.optional(2, &c, "struct RpcRequestAirdropConfig")
	var hash solana.Hash
	if c.Blockhash != nil {
		hash = parsed(p, *c.Blockhash, parseHash)
	}
	if p.fail(s.mayDispense(lamports)); p.err != nil {
		return nil, p.err
	}
	return s.airdrop(to, lamports, hash)
}

// mayDispense applies the faucet's limits.
func (s sendMethods) mayDispense(lamports uint64) error {
	spent := s.bank.Dispensed()
	switch {
	case s.config.NoFaucet:
		return faucetError("this chain's faucet is switched off")
	case lamports > s.config.AirdropLimit:
		return faucetError("%s is more than the %s that one request may have", sol(lamports), sol(s.config.AirdropLimit))
	case spent > s.config.FaucetLimit || lamports > s.config.FaucetLimit-spent:
		return faucetError("the faucet has given %s of the %s it may give", sol(spent), sol(s.config.FaucetLimit))
	}
	return nil
}

func sol(lamports uint64) string {
	return strconv.FormatFloat(float64(lamports)/1e9, 'f', -1, 64) + " SOL"
}

// airdrop answers with the signature, even if the transfer then fails. With a blockhash that is too
// old, it never lands.
func (s sendMethods) airdrop(to solana.PublicKey, lamports uint64, hash solana.Hash) (any, error) {
	t, rejected, err := s.bank.Airdrop(to, lamports, hash)
	switch {
	case errors.Is(err, bank.ErrFaucetEmpty):
		return nil, faucetError("%v", err)
	case err != nil:
		return nil, err
	case rejected != nil:
		return nil, faucetError("%v", rejected)
	}
	s.metrics.executed(t)
	return t.Signature().String(), nil
}

// warp is devnet_warp: it moves the clock forward by seconds.
func (s *Server) warp(p *params) (any, error) {
	if s.config.NoWarp {
		return nil, noMethod()
	}
	seconds := p.u64(0)
	if seconds == 0 || seconds > uint64(bank.MaxWarp/time.Second) {
		p.fail(invalidParams("devnet_warp: the seconds must be between 1 and %d", bank.MaxWarp/time.Second))
	}
	if p.err != nil {
		return nil, p.err
	}
	if err := s.Warp(time.Duration(seconds) * time.Second); err != nil {
		if s.bank.Failure() != nil {
			return nil, err
		}
		return nil, invalidParams("devnet_warp: %v", err)
	}
	var out map[string]any
	s.bank.Read(bank.Processed, func(v *bank.View) {
		out = map[string]any{"slot": v.Slot(), "unixTimestamp": v.Time()}
	})
	return out, nil
}
