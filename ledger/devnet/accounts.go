package devnet

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
)

// maxMultiple bounds the accounts of one getMultipleAccounts (Agave's MAX_MULTIPLE_ACCOUNTS).
const maxMultiple = 100

// accountMethods are the methods about accounts.
type accountMethods struct{ *chain }

func (s accountMethods) getBalance(p *params) (any, error) {
	key := p.key(0)
	return s.answer(p, p.context(1), func(v *bank.View) (any, error) {
		a, _ := v.Account(key)
		return a.Lamports, nil
	})
}

func (s accountMethods) getAccountInfo(p *params) (any, error) {
	key := p.key(0)
	var c accountConfig
	p.optional(1, &c, "struct RpcAccountInfoConfig")
	list, slot, err := s.find(p, c, []solana.PublicKey{key}, encodingBinary)
	if err != nil {
		return nil, err
	}
	return withContext(slot, list[0]), nil
}

func (s accountMethods) getMultipleAccounts(p *params) (any, error) {
	var words []string
	p.read(0, &words, "a sequence")
	var c accountConfig
	p.optional(1, &c, "struct RpcAccountInfoConfig")
	if len(words) > maxMultiple {
		p.fail(invalidParams("Too many inputs provided; max %d", maxMultiple))
	}
	list, slot, err := s.find(p, c, p.keys(words), encodingBase64)
	if err != nil {
		return nil, err
	}
	return withContext(slot, list), nil
}

// find finds accounts in one state and encodes them. A missing account is nil.
func (s accountMethods) find(p *params, c accountConfig, keys []solana.PublicKey, fallback encoding) ([]*uiAccount, uint64, error) {
	if p.err != nil {
		return nil, 0, p.err
	}
	found := make([]accounts.Account, len(keys))
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

// programConfig is the configuration of getProgramAccounts and programSubscribe.
type programConfig struct {
	accountConfig
	Filters     []filter `json:"filters"`
	WithContext bool     `json:"withContext"`
}

func (s accountMethods) getProgramAccounts(p *params) (any, error) {
	program := p.key(0)
	var c programConfig
	p.optional(1, &c, "struct RpcProgramAccountsConfig")
	if p.fail(verifyFilters(c.Filters)); p.err != nil {
		return nil, p.err
	}
	var list []accounts.Keyed
	var slot uint64
	err := s.read(c.contextConfig, func(v *bank.View) error {
		slot, list = v.Slot(), v.ProgramAccounts(program, func(a accounts.Account) bool { return allAllow(c.Filters, a) })
		return nil
	})
	if err != nil {
		return nil, err
	}
	out, err := s.encode(list, c.accountConfig)
	if err != nil || !c.WithContext {
		return out, err
	}
	return withContext(slot, out), nil
}

// encode encodes accounts, if the answer is not too large.
func (s accountMethods) encode(list []accounts.Keyed, c accountConfig) ([]keyedAccount, error) {
	plain := make([]accounts.Account, len(list))
	for i, a := range list {
		plain[i] = a.Account
	}
	if !s.fits(c.DataSlice, plain...) {
		return nil, answerTooLarge()
	}
	return encodeKeyed(list, c.Encoding.or(encodingBinary), c.DataSlice)
}

func (s accountMethods) getMinimumBalanceForRentExemption(p *params) (out any, err error) {
	size := p.u64(0)
	var c contextConfig
	p.optional(1, &c, "struct CommitmentConfig")
	if size > accounts.MaxData {
		p.fail(invalidRequest())
	}
	err = s.read(c, func(v *bank.View) error {
		out = v.Environment().Rent.MinimumBalance(int(size))
		return nil
	})
	return out, err
}

func (s accountMethods) getSupply(p *params) (any, error) {
	var c struct {
		contextConfig
		ExcludeList bool `json:"excludeNonCirculatingAccountsList"`
	}
	p.optional(0, &c, "struct RpcSupplyConfig")
	return s.answer(p, c.contextConfig, func(v *bank.View) (any, error) {
		faucet, _ := v.Account(s.bank.Faucet())
		total := v.Capitalization()
		list := []string{s.bank.Faucet().String()}
		if c.ExcludeList {
			list = []string{}
		}
		return map[string]any{
			"total": total, "circulating": total - faucet.Lamports,
			"nonCirculating": faucet.Lamports, "nonCirculatingAccounts": list,
		}, nil
	})
}
