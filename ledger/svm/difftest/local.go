package difftest

import (
	"encoding/json"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
)

// ledger is the state for our runtime, in place of a bank.
type ledger map[solana.PublicKey]accounts.Account

// Account makes ledger an accounts.Snapshot.
func (l ledger) Account(key solana.PublicKey) (accounts.Account, bool) {
	a, ok := l[key]
	return a, ok
}

func (l ledger) put(all ...accounts.Keyed) {
	for _, a := range all {
		if a.Account.Lamports == 0 {
			delete(l, a.Key)
			continue
		}
		l[a.Key] = a.Account
	}
}

// RunLocal runs a case on ledger/svm.
func RunLocal(runtime *svm.Runtime, c Case) (Report, error) {
	env := c.env()
	state, loads, err := genesis(runtime, env, c)
	if err != nil {
		return Report{}, err
	}
	report := Report{Loads: loads}
	for i, t := range c.Transactions {
		tx, err := solana.TransactionFromBytes(t.Raw)
		if err != nil {
			return report, fmt.Errorf("difftest: %s: transaction %d: %w", c.Name, i, err)
		}
		result := runtime.Simulate(tx, env, state, c.Verify)
		if result.Status != svm.Rejected {
			state.put(result.Writes...)
		}
		o, err := observe(tx, t, result, state)
		if err != nil {
			return report, fmt.Errorf("difftest: %s: transaction %d: %w", c.Name, i, err)
		}
		report.Outcomes = append(report.Outcomes, o)
	}
	return report, nil
}

func genesis(runtime *svm.Runtime, env *accounts.Environment, c Case) (ledger, []string, error) {
	state, loads := ledger{}, []string{}
	state.put(accounts.Builtins()...)
	for _, a := range accounts.Sysvars(env) {
		a.Account.Lamports = 1 // as LiteSVM has them
		state.put(a)
	}
	for _, p := range c.Programs {
		if err := runtime.CheckELF(p.ELF, false); err != nil {
			loads = append(loads, err.Error())
			continue
		}
		loads = append(loads, "")
		pair, err := accounts.ProgramPair(p.ID, p.ELF, nil, env.Rent)
		if err != nil {
			return nil, nil, fmt.Errorf("difftest: %s: program %s: %w", c.Name, p.ID, err)
		}
		for _, a := range pair {
			a.Account.RentEpoch = 0 // as LiteSVM has it
			state.put(a)
		}
	}
	state.put(c.Accounts...)
	return state, loads, nil
}

// observe puts a result into the judge's form.
func observe(tx *solana.Transaction, t Transaction, r *svm.Result, state ledger) (Execution, error) {
	o := Execution{Units: decimal(r.Units), Logs: append([]string{}, r.Logs...), Inner: [][]Inner{}, Accounts: []*Account{}}
	if r.Err != nil {
		raw, err := json.Marshal(r.Err)
		if err != nil {
			return o, err
		}
		if err := json.Unmarshal(raw, &o.Error); err != nil {
			return o, err
		}
	}
	if r.ReturnData != nil {
		o.ReturnData = &Returned{r.ReturnData.Program[:], r.ReturnData.Data}
	}
	if r.Status == svm.Executed {
		o.Inner = observeInner(len(tx.Message.Instructions), r.Inner)
	}
	for _, key := range t.Watch {
		a, ok := state.Account(key)
		if !ok {
			o.Accounts = append(o.Accounts, nil)
			continue
		}
		o.Accounts = append(o.Accounts, encodeAccount(a))
	}
	return o, nil
}

func observeInner(topLevel int, inner []svm.InnerInstructions) [][]Inner {
	out := make([][]Inner, topLevel)
	for i := range out {
		out[i] = []Inner{}
	}
	for _, list := range inner {
		for _, ix := range list.Instructions {
			out[list.Index] = append(out[list.Index], Inner{ix.Program, append([]int{}, ix.Accounts...), append([]byte{}, ix.Data...), ix.StackHeight})
		}
	}
	return out
}
