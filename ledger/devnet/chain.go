package devnet

import (
	"log/slog"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
)

// chain is the state that methods answer from, with the limits of their answers.
type chain struct {
	config  Config
	log     *slog.Logger
	bank    *bank.Bank
	metrics *metrics
}

// read calls f with the requested state.
func (s *chain) read(c contextConfig, f func(*bank.View) error) error {
	var err error
	s.bank.Read(c.Commitment.or(bank.Finalized), func(v *bank.View) {
		if c.MinContextSlot != nil && v.Slot() < *c.MinContextSlot {
			err = minContextSlot(v.Slot())
			return
		}
		err = f(v)
	})
	return err
}

// answer returns a value of the requested state, with the slot of that state.
func (s *chain) answer(p *params, c contextConfig, f func(*bank.View) (any, error)) (out any, err error) {
	if p.err != nil {
		return nil, p.err
	}
	err = s.read(c, func(v *bank.View) error {
		value, err := f(v)
		out = withContext(v.Slot(), value)
		return err
	})
	return out, err
}

// plain makes a method that needs a state and nothing else.
func (s *chain) plain(f func(*bank.View) any) handler {
	return func(p *params) (out any, err error) {
		err = s.read(p.context(0), func(v *bank.View) error { out = f(v); return nil })
		return out, err
	}
}

// newest returns at most n of the newest sealed blocks, oldest first.
func (s *chain) newest(n int) []*bank.Block {
	blocks := s.bank.Blocks(0, s.config.Chain.KeepBlocks)
	return blocks[max(0, len(blocks)-n):]
}

// fits checks that accounts do not exceed MaxAnswer, before they are encoded. Base64 makes four
// bytes of three, and the rest of an account takes at least 200.
func (s *chain) fits(slice *dataSlice, found ...accounts.Account) bool {
	room := s.config.MaxAnswer
	for _, a := range found {
		room -= 200 + len(slice.of(a.Data))/3*4
	}
	return room >= 0
}
