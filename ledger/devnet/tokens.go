package devnet

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/tokens"
)

// mint reads a mint; fault is what is said of another account.
func mint(v *bank.View, key solana.PublicKey, fault string) (*tokens.Mint, error) {
	a, _ := v.Account(key)
	m, err := tokens.DecodeMint(onchain.Address(key), onchain.Address(a.Owner), a.Data)
	if err != nil {
		return nil, invalidParams("Invalid param: %s", fault)
	}
	return m, nil
}

func (s accountMethods) getTokenSupply(p *params) (any, error) {
	key := p.key(0)
	return s.answer(p, p.context(1), func(v *bank.View) (any, error) {
		m, err := mint(v, key, "not a Token mint")
		if err != nil {
			return nil, err
		}
		return m.Shown(m.Supply), nil
	})
}

func (s accountMethods) getTokenAccountBalance(p *params) (any, error) {
	key := p.key(0)
	return s.answer(p, p.context(1), func(v *bank.View) (any, error) {
		a, _ := v.Account(key)
		t, err := tokens.DecodeAccount(onchain.Address(a.Owner), a.Data)
		if err != nil {
			return nil, invalidParams("Invalid param: not a Token account")
		}
		m, err := mint(v, solana.PublicKey(t.Mint), "could not find mint")
		if err != nil {
			return nil, err
		}
		return m.Shown(t.Amount), nil
	})
}

// getTokenAccountsByOwner lists the token accounts of an owner, of one mint or one token program.
func (s accountMethods) getTokenAccountsByOwner(p *params) (any, error) {
	owner := p.key(0)
	var by struct{ Mint, ProgramID string }
	var c accountConfig
	p.read(1, &by, "enum RpcTokenAccountsFilter")
	if p.optional(2, &c, "struct RpcAccountInfoConfig"); (by.Mint == "") == (by.ProgramID == "") {
		p.fail(invalidParams("Invalid params: expected either `mint` or `programId`."))
	}
	key := parsed(p, by.Mint+by.ProgramID, parseKey)
	if p.err != nil {
		return nil, p.err
	}
	var list []accounts.Keyed
	var slot uint64
	err := s.read(c.contextConfig, func(v *bank.View) error {
		program := key
		if by.Mint != "" {
			m, err := mint(v, key, "could not find mint")
			if err != nil {
				return err
			}
			program = solana.PublicKey(m.Program)
		}
		if !tokens.IsProgram(onchain.Address(program)) {
			return invalidParams("Invalid param: unrecognized Token program id")
		}
		slot, list = v.Slot(), v.ProgramAccounts(program, func(a accounts.Account) bool {
			t, err := tokens.DecodeAccount(onchain.Address(a.Owner), a.Data)
			return err == nil && solana.PublicKey(t.Owner) == owner && (by.Mint == "" || solana.PublicKey(t.Mint) == key)
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	out, err := s.encode(list, c) // afterwards, because the chain stands still in a read
	return withContext(slot, out), err
}
