package devnet

import (
	"context"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
)

// maxMultiple bounds the accounts of one getMultipleAccounts (Agave's MAX_MULTIPLE_ACCOUNTS).
const maxMultiple = 100

func (s *Server) getBalance(_ context.Context, p params) (any, error) {
	key, err := p.key(0)
	if err != nil {
		return nil, err
	}
	var c contextConfig
	if err := p.optional(1, &c, "struct RpcContextConfig"); err != nil {
		return nil, err
	}
	var out any
	err = s.read(c, func(v *bank.View) error {
		a, _ := v.Account(key)
		out = withContext(v.Slot(), a.Lamports)
		return nil
	})
	return out, err
}

func (s *Server) getAccountInfo(_ context.Context, p params) (any, error) {
	key, err := p.key(0)
	if err != nil {
		return nil, err
	}
	var c accountConfig
	if err := p.optional(1, &c, "struct RpcAccountInfoConfig"); err != nil {
		return nil, err
	}
	list, slot, err := s.accounts(c, []solana.PublicKey{key}, encodingBinary)
	if err != nil {
		return nil, err
	}
	return withContext(slot, list[0]), nil
}

func (s *Server) getMultipleAccounts(_ context.Context, p params) (any, error) {
	var words []string
	if err := p.read(0, &words, "a sequence"); err != nil {
		return nil, err
	}
	var c accountConfig
	if err := p.optional(1, &c, "struct RpcAccountInfoConfig"); err != nil {
		return nil, err
	}
	if len(words) > maxMultiple {
		return nil, invalidParams("Too many inputs provided; max %d", maxMultiple)
	}
	keys := make([]solana.PublicKey, len(words))
	for i, w := range words {
		var err error
		if keys[i], err = parseKey(w); err != nil {
			return nil, err
		}
	}
	list, slot, err := s.accounts(c, keys, encodingBase64)
	if err != nil {
		return nil, err
	}
	return withContext(slot, list), nil
}

// accounts finds accounts in one state and encodes them. A missing account is nil.
func (s *Server) accounts(c accountConfig, keys []solana.PublicKey, fallback encoding) ([]*uiAccount, uint64, error) {
	found := make([]svm.Account, len(keys))
	var slot uint64
	err := s.read(c.contextConfig, func(v *bank.View) error {
		slot = v.Slot()
		for i, k := range keys {
			found[i], _ = v.Account(k)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if !s.fits(c.DataSlice, found...) {
		return nil, 0, answerTooLarge()
	}
	out := make([]*uiAccount, len(keys))
	for i, a := range found {
		if a.Lamports == 0 {
			continue
		}
		if out[i], err = encodeAccount(a, c.Encoding.or(fallback), c.DataSlice); err != nil {
			return nil, 0, err
		}
	}
	return out, slot, nil
}

// fits checks that accounts do not exceed MaxAnswer, before they are encoded. Base64 makes four
// bytes of three, and the rest of an account takes at least 200.
func (s *Server) fits(slice *dataSlice, accounts ...svm.Account) bool {
	room := s.config.MaxAnswer
	for _, a := range accounts {
		room -= 200 + len(slice.of(a.Data))/3*4
	}
	return room >= 0
}

// programConfig is the configuration of getProgramAccounts and programSubscribe.
type programConfig struct {
	accountConfig
	Filters     []filter `json:"filters"`
	WithContext bool     `json:"withContext"`
}

func (s *Server) getProgramAccounts(_ context.Context, p params) (any, error) {
	program, err := p.key(0)
	if err != nil {
		return nil, err
	}
	var c programConfig
	if err := p.optional(1, &c, "struct RpcProgramAccountsConfig"); err != nil {
		return nil, err
	}
	if err := verifyFilters(c.Filters); err != nil {
		return nil, err
	}
	var list []svm.KeyedAccount
	var slot uint64
	err = s.read(c.contextConfig, func(v *bank.View) error {
		slot = v.Slot()
		list = v.ProgramAccounts(program, func(a svm.Account) bool { return allAllow(c.Filters, a) })
		return nil
	})
	if err != nil {
		return nil, err
	}
	plain := make([]svm.Account, len(list))
	for i, a := range list {
		plain[i] = a.Account
	}
	if !s.fits(c.DataSlice, plain...) {
		return nil, answerTooLarge()
	}
	out, err := encodeKeyed(list, c.Encoding.or(encodingBinary), c.DataSlice)
	if err != nil {
		return nil, err
	}
	if c.WithContext {
		return withContext(slot, out), nil
	}
	return out, nil
}

func (s *Server) getMinimumBalanceForRentExemption(_ context.Context, p params) (any, error) {
	size, err := p.u64(0)
	if err != nil {
		return nil, err
	}
	var c contextConfig
	if err := p.optional(1, &c, "struct CommitmentConfig"); err != nil {
		return nil, err
	}
	if size > svm.MaxAccountData {
		return nil, invalidRequest()
	}
	var out uint64
	err = s.read(c, func(v *bank.View) error {
		out = v.Environment().Rent.MinimumBalance(int(size))
		return nil
	})
	return out, err
}

func (s *Server) getSupply(_ context.Context, p params) (any, error) {
	var c struct {
		contextConfig
		ExcludeList bool `json:"excludeNonCirculatingAccountsList"`
	}
	if err := p.optional(0, &c, "struct RpcSupplyConfig"); err != nil {
		return nil, err
	}
	var out any
	err := s.read(c.contextConfig, func(v *bank.View) error {
		faucet, _ := v.Account(s.bank.Faucet())
		total := v.Capitalization()
		list := []string{s.bank.Faucet().String()}
		if c.ExcludeList {
			list = []string{}
		}
		out = withContext(v.Slot(), map[string]any{
			"total": total, "circulating": total - faucet.Lamports,
			"nonCirculating": faucet.Lamports, "nonCirculatingAccounts": list,
		})
		return nil
	})
	return out, err
}
