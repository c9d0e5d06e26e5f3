package devnet

import (
	"context"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
)

// simulation is the outcome of a simulation. It is also the data of a failed preflight.
type simulation struct {
	Err              *svm.TransactionError `json:"err"`
	Logs             []string              `json:"logs"`
	Accounts         []*uiAccount          `json:"accounts"`
	UnitsConsumed    uint64                `json:"unitsConsumed"`
	LoadedSize       uint64                `json:"loadedAccountsDataSize"`
	ReturnData       *uiReturnData         `json:"returnData"`
	Inner            []uiInner             `json:"innerInstructions"`
	Replacement      *uiBlockhash          `json:"replacementBlockhash"`
	Fee              *uint64               `json:"fee"`
	PreBalances      []uint64              `json:"preBalances"`
	PostBalances     []uint64              `json:"postBalances"`
	PreTokenBalances []any                 `json:"preTokenBalances"`
	PostTokenBalance []any                 `json:"postTokenBalances"`
	LoadedAddresses  *uiLoaded             `json:"loadedAddresses"`
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

func (s *Server) simulateTransaction(_ context.Context, p params) (any, error) {
	text, err := p.text(0)
	if err != nil {
		return nil, err
	}
	var c simulateConfig
	if err := p.optional(1, &c, "struct RpcSimulateTransactionConfig"); err != nil {
		return nil, err
	}
	tx, err := decodeTransaction(text, c.Encoding.encoding)
	if err != nil {
		return nil, err
	}
	if c.ReplaceBlockhash && c.SigVerify {
		return nil, invalidParams("sigVerify may not be used with replaceRecentBlockhash")
	}
	keys, err := c.Accounts.keys(len(tx.Message.AccountKeys))
	if err != nil {
		return nil, err
	}
	var out any
	err = s.read(c.contextConfig, func(v *bank.View) error {
		value, err := s.simulate(v, c, tx, keys)
		out = withContext(v.Slot(), value)
		return err
	})
	return out, err
}

// keys checks the addresses of the requested accounts.
func (a *simulateAccounts) keys(most int) ([]solana.PublicKey, error) {
	if a == nil {
		return nil, nil
	}
	if e := a.Encoding.encoding; e == encodingBinary || e == encodingBase58 {
		return nil, invalidParams("base58 encoding not supported")
	}
	if len(a.Addresses) > most {
		return nil, invalidParams("Too many accounts provided; max %d", most)
	}
	out := make([]solana.PublicKey, len(a.Addresses))
	for i, w := range a.Addresses {
		var err error
		if out[i], err = parseKey(w); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Server) simulate(v *bank.View, c simulateConfig, tx *solana.Transaction, keys []solana.PublicKey) (*simulation, error) {
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
	out.PreTokenBalances, out.PostTokenBalance, out.LoadedAddresses = []any{}, []any{}, noLoaded()
	if c.InnerInstructions {
		out.Inner = encodeInner(r.Inner, tx.Message.AccountKeys, true)
	}
	if c.Accounts == nil {
		return out, nil
	}
	out.Accounts = make([]*uiAccount, len(keys))
	if r.Err != nil {
		return out, nil
	}
	found := make([]svm.Account, len(keys))
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
func after(v *bank.View, r *svm.Result, key solana.PublicKey) svm.Account {
	for _, a := range r.Accounts {
		if a.Key == key {
			return a.Account
		}
	}
	a, _ := v.Account(key)
	return a
}
