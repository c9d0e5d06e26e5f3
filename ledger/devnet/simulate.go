package devnet

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// simulation is the outcome of a simulation. It is also the data of a failed preflight.
type simulation struct {
	Err              *failure.TransactionError `json:"err"`
	Logs             []string                  `json:"logs"`
	Accounts         []*uiAccount              `json:"accounts"`
	UnitsConsumed    uint64                    `json:"unitsConsumed"`
	LoadedSize       uint64                    `json:"loadedAccountsDataSize"`
	ReturnData       *uiReturnData             `json:"returnData"`
	Inner            []uiInner                 `json:"innerInstructions"`
	Replacement      *uiBlockhash              `json:"replacementBlockhash"`
	Fee              *uint64                   `json:"fee"`
	PreBalances      []uint64                  `json:"preBalances"`
	PostBalances     []uint64                  `json:"postBalances"`
	PreTokenBalances []any                     `json:"preTokenBalances"`
	PostTokenBalance []any                     `json:"postTokenBalances"`
	LoadedAddresses  *uiLoaded                 `json:"loadedAddresses"`
}

func newSimulation(r *svm.Result) *simulation {
	return &simulation{
		Err: r.Err, Logs: append([]string{}, r.Logs...), UnitsConsumed: r.Units, LoadedSize: r.LoadedBytes,
		ReturnData: encodeReturnData(r.ReturnData),
	}
}

// simulateConfig is the configuration of simulateTransaction.
type simulateConfig struct {
	contextConfig
	SigVerify         bool                `json:"sigVerify"`
	ReplaceBlockhash  bool                `json:"replaceRecentBlockhash"`
	Encoding          transactionEncoding `json:"encoding"`
	Accounts          *simulateAccounts   `json:"accounts"`
	InnerInstructions bool                `json:"innerInstructions"`
}

type simulateAccounts struct {
	Encoding  accountEncoding `json:"encoding"`
	Addresses []string        `json:"addresses"`
}

func (s sendMethods) simulateTransaction(p *params) (any, error) {
	text := p.text(0)
	var c simulateConfig
	p.optional(1, &c, "struct RpcSimulateTransactionConfig")
	tx := p.transaction(text, c.Encoding)
	if c.ReplaceBlockhash && c.SigVerify {
		p.fail(invalidParams("sigVerify may not be used with replaceRecentBlockhash"))
	}
	if p.err != nil {
		return nil, p.err
	}
	keys := c.Accounts.keys(p, len(tx.Message.AccountKeys)+tx.Message.NumLookups())
	return s.answer(p, c.contextConfig, func(v *bank.View) (any, error) { return s.simulate(v, c, tx, keys) })
}

// keys checks the addresses of the requested accounts.
func (a *simulateAccounts) keys(p *params, most int) []solana.PublicKey {
	if a == nil {
		return nil
	}
	if e := a.Encoding.encoding; e == encodingBinary || e == encodingBase58 {
		p.fail(invalidParams("base58 encoding not supported"))
	}
	if len(a.Addresses) > most {
		p.fail(invalidParams("Too many accounts provided; max %d", most))
	}
	return p.keys(a.Addresses)
}

func (s sendMethods) simulate(v *bank.View, c simulateConfig, tx *solana.Transaction, keys []solana.PublicKey) (*simulation, error) {
	var replaced *uiBlockhash
	if c.ReplaceBlockhash {
		hash, last := v.Blockhash()
		tx.Message.RecentBlockhash, replaced = hash, &uiBlockhash{hash.String(), last}
	}
	r, err := v.Simulate(tx, c.SigVerify)
	if err != nil {
		return nil, err
	}
	if r.Err != nil {
		if err := formError(r.Err); err != nil {
			return nil, err
		}
	}
	out := newSimulation(r)
	out.Replacement, out.Fee, out.PreBalances, out.PostBalances = replaced, feeOf(r), r.PreBalances, r.PostBalances
	out.PreTokenBalances, out.PostTokenBalance, out.LoadedAddresses = []any{}, []any{}, loadedOf(r.Looked)
	if c.InnerInstructions {
		out.Inner = encodeInner(r.Inner, r.Looked.Keys(tx.Message.AccountKeys), true)
	}
	if c.Accounts == nil {
		return out, nil
	}
	out.Accounts = make([]*uiAccount, len(keys))
	if r.Err != nil {
		return out, nil
	}
	found := make([]accounts.Account, len(keys))
	for i, k := range keys {
		found[i] = after(v, r, k)
	}
	if !s.fits(nil, found...) {
		return nil, answerTooLarge()
	}
	for i, a := range found {
		if a.Lamports > 0 {
			if out.Accounts[i], err = encodeAccount(a, c.Accounts.Encoding.or(encodingBase64), nil); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// after returns an account as a simulated transaction left it.
func after(v *bank.View, r *svm.Result, key solana.PublicKey) accounts.Account {
	for _, a := range r.Accounts {
		if a.Key == key {
			return a.Account
		}
	}
	a, _ := v.Account(key)
	return a
}
