package svm

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/bincode"
	"ojud/ledger/svm/failure"
)

// nonce runs the instructions about durable nonces.
func (s system) nonce(in bincode.System) error {
	accounts := 1
	if in.Kind == bincode.WithdrawNonce {
		accounts = 2
	}
	if err := s.require(accounts); err != nil {
		return err
	}
	account, err := s.borrow(0)
	if err != nil {
		return err
	}
	switch in.Kind {
	case bincode.AdvanceNonce:
		return s.advance(account)
	case bincode.WithdrawNonce:
		return s.withdraw(account, in.Lamports)
	case bincode.InitializeNonce:
		return s.initialize(account, in.Owner)
	case bincode.AuthorizeNonce:
		return s.authorize(account, in.Owner)
	}
	return s.upgrade(account)
}

// sysvarAt fails unless the i-th account is the named sysvar.
func (s system) sysvarAt(i int, key solana.PublicKey) error {
	if i >= len(s.frame.accounts) {
		return failure.Of(failure.MissingAccount)
	}
	if s.key(i) != key {
		return failure.Of(failure.InvalidArgument)
	}
	return nil
}

func (s system) mustWrite(verb string, b borrowed) error {
	if !b.meta.writable {
		s.log.addf("%s nonce account: Account %s must be writeable", verb, b.account.key)
		return failure.Of(failure.InvalidArgument)
	}
	return nil
}

func (s system) invalidState(verb string, b borrowed) error {
	s.log.addf("%s nonce account: Account %s state is invalid", verb, b.account.key)
	return failure.Of(failure.InvalidAccountData)
}

func (s system) next() (solana.Hash, uint64) {
	return durableNonce(s.env.Blockhash), s.env.LamportsPerSignature
}

func (s system) advance(b borrowed) error {
	if err := s.sysvarAt(1, accounts.RecentBlockhashesID); err != nil {
		return err
	}
	if err := s.mustWrite("Advance", b); err != nil {
		return err
	}
	n, err := loadNonce(b)
	if err != nil {
		return err
	}
	if !n.initialized {
		return s.invalidState("Advance", b)
	}
	if !s.signed(n.authority) {
		s.log.addf("Advance nonce account: Account %s must be a signer", n.authority)
		return failure.Of(failure.MissingRequiredSignature)
	}
	next, fee := s.next()
	if n.nonce == next {
		s.log.add("Advance nonce account: nonce can only advance once per slot")
		return failure.OfNumber(systemBlockhashNotExpired)
	}
	return storeNonce(b, nonceState{initialized: true, authority: n.authority, nonce: next, fee: fee})
}

func (s system) withdraw(b borrowed, lamports uint64) error {
	if err := s.sysvarAt(2, accounts.RecentBlockhashesID); err != nil {
		return err
	}
	if err := s.sysvarAt(3, accounts.RentID); err != nil {
		return err
	}
	if err := s.mustWrite("Withdraw", b); err != nil {
		return err
	}
	if err := s.mayWithdraw(b, lamports); err != nil {
		return err
	}
	if err := b.subLamports(lamports); err != nil {
		return err
	}
	to, err := s.borrow(1)
	if err != nil {
		return err
	}
	return to.addLamports(lamports)
}

func (s system) mayWithdraw(b borrowed, lamports uint64) error {
	n, err := loadNonce(b)
	if err != nil {
		return err
	}
	balance := b.account.state.Lamports
	switch {
	case !n.initialized:
		if lamports > balance {
			return s.insufficient("Withdraw", balance, lamports)
		}
		return s.mustSign(b.account.key)
	case lamports == balance:
		if next, _ := s.next(); n.nonce == next {
			s.log.add("Withdraw nonce account: nonce can only advance once per slot")
			return failure.OfNumber(systemBlockhashNotExpired)
		}
		if err := s.mustSign(n.authority); err != nil {
			return err
		}
		return storeNonce(b, nonceState{})
	}
	needed := lamports + s.env.Rent.MinimumBalance(len(b.account.state.Data))
	if needed < lamports {
		return failure.Of(failure.InsufficientFunds)
	}
	if needed > balance {
		return s.insufficient("Withdraw", balance, needed)
	}
	return s.mustSign(n.authority)
}

func (s system) insufficient(verb string, balance, needed uint64) error {
	s.log.addf("%s nonce account: insufficient lamports %d, need %d", verb, balance, needed)
	return failure.Of(failure.InsufficientFunds)
}

func (s system) mustSign(key solana.PublicKey) error {
	if !s.signed(key) {
		s.log.addf("Withdraw nonce account: Account %s must sign", key)
		return failure.Of(failure.MissingRequiredSignature)
	}
	return nil
}

func (s system) initialize(b borrowed, authority solana.PublicKey) error {
	if err := s.sysvarAt(1, accounts.RecentBlockhashesID); err != nil {
		return err
	}
	if err := s.sysvarAt(2, accounts.RentID); err != nil {
		return err
	}
	if err := s.mustWrite("Initialize", b); err != nil {
		return err
	}
	n, err := loadNonce(b)
	if err != nil {
		return err
	}
	if n.initialized {
		return s.invalidState("Initialize", b)
	}
	if minimum := s.env.Rent.MinimumBalance(len(b.account.state.Data)); b.account.state.Lamports < minimum {
		return s.insufficient("Initialize", b.account.state.Lamports, minimum)
	}
	next, fee := s.next()
	return storeNonce(b, nonceState{initialized: true, authority: authority, nonce: next, fee: fee})
}

func (s system) authorize(b borrowed, authority solana.PublicKey) error {
	if err := s.mustWrite("Authorize", b); err != nil {
		return err
	}
	n, err := loadNonce(b)
	if err != nil {
		return err
	}
	if !n.initialized {
		return s.invalidState("Authorize", b)
	}
	if !s.signed(n.authority) {
		s.log.addf("Authorize nonce account: Account %s must sign", n.authority)
		return failure.Of(failure.MissingRequiredSignature)
	}
	n.authority = authority
	return storeNonce(b, n)
}

// upgrade turns a legacy nonce into a current one.
func (s system) upgrade(b borrowed) error {
	if b.account.state.Owner != accounts.SystemID {
		return failure.Of(failure.InvalidAccountOwner)
	}
	if !b.meta.writable {
		return failure.Of(failure.InvalidArgument)
	}
	n, err := loadNonce(b)
	if err != nil {
		return err
	}
	if !n.legacy || !n.initialized {
		return failure.Of(failure.InvalidArgument)
	}
	n.legacy, n.nonce = false, durableNonce(n.nonce)
	return storeNonce(b, n)
}
