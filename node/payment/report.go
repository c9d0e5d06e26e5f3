package payment

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Income says how much a judge has paid this node and still owes, in lamports and Unix seconds.
type Income struct {
	Judge   casefile.Address `json:"judge"`
	Answers uint64           `json:"answers"` // the number of paid answers
	Earned  casefile.Amount  `json:"earned"`  // their prices
	Pulled  casefile.Amount  `json:"pulled"`  // arrived in the vault
	Waiting casefile.Amount  `json:"waiting"` // can be pulled until Expires, if the judge's vault holds it
	Expires int64            `json:"expires"` // 0: nothing waits
	Lost    casefile.Amount  `json:"lost"`    // expired before it was pulled
}

// Owed is an unpaid answer of this node.
type Owed struct {
	Case    casefile.Address `json:"case"`
	Round   uint8            `json:"round"`
	Judge   casefile.Address `json:"judge"`
	Receipt casefile.Digest  `json:"receipt"`
	Price   casefile.Amount  `json:"price"`
	At      int64            `json:"at"`
}

// Income returns the payments of judges, by judge, and their debts, the oldest first.
func (t *Till) Income() (income []Income, owed []Owed, err error) {
	income, owed = []Income{}, []Owed{}
	err = all(t.deps.Store, accountKind, func(rest []byte, a account) error {
		i := Income{Answers: a.Answers, Earned: a.Earned, Pulled: a.Pulled, Expires: a.Expires, Lost: a.Lost}
		copy(i.Judge[:], rest)
		if a.Cumulative > a.Paid {
			i.Waiting = a.Cumulative - a.Paid
		}
		income = append(income, i)
		return nil
	})
	if err != nil {
		return income, owed, err
	}
	debts, err := t.All()
	for _, d := range debts {
		owed = append(owed, Owed{d.Seat.Case, d.Seat.Round, d.Seat.Judge, casefile.Digest(d.Receipt), casefile.Amount(d.Price), d.At})
	}
	return income, owed, err
}

// Expense says how much this node has paid and promised a holder, by the bills that are kept.
type Expense struct {
	Payee   casefile.Address `json:"payee"` // authority of the holder; zero: it has none, so nothing could be promised yet
	Answers uint64           `json:"answers"`
	Billed  casefile.Amount  `json:"billed"`  // their prices
	Paid    casefile.Amount  `json:"paid"`    // drawn by the holder, in all
	Open    casefile.Amount  `json:"open"`    // the holder can draw it until Expires
	Expires int64            `json:"expires"` // 0: it can draw nothing
	Due     casefile.Amount  `json:"due"`     // in no voucher: it could not be promised, or the voucher expired
}

// Expenses reads the vault, and the paid and promised amounts by payee.
func (p *Purse) Expenses(ctx context.Context) (vault uint64, out []Expense, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.ChainTimeout)
	defer cancel()
	sums := map[casefile.Address]*Expense{}
	err = all(p.deps.Store, billKind, func(_ []byte, b bill) error {
		e := sums[b.Payee]
		if e == nil {
			e = &Expense{Payee: b.Payee}
			sums[b.Payee] = e
		}
		e.Answers, e.Billed, e.Due = e.Answers+1, e.Billed+b.Price, e.Due+b.Due
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	payees := slices.SortedFunc(maps.Keys(sums), func(x, y casefile.Address) int { return bytes.Compare(x[:], y[:]) })
	b, err := p.read(ctx, known(payees)...)
	if err != nil {
		return 0, nil, err
	}
	out = []Expense{}
	for _, payee := range payees {
		out = append(out, b.sum(*sums[payee]))
	}
	return b.vault, out, nil
}

func known(payees []casefile.Address) (out []onchain.Address) {
	for _, p := range payees {
		if p != (casefile.Address{}) {
			out = append(out, onchain.Address(p))
		}
	}
	return out
}

// sum adds up the chain and the promises.
func (b *books) sum(e Expense) Expense {
	payee := onchain.Address(e.Payee)
	paid, top := b.paid(payee), b.promises[payee]
	e.Paid, e.Open = casefile.Amount(paid), casefile.Amount(top.open(paid, b.now, b.margin))
	if e.Open > 0 {
		e.Expires = top.Expires
	}
	return e
}

// Drawn records a draw from this node's vault.
func (p *Purse) Drawn(e *program.DataPaid) {
	if e.Payer != p.deps.Self {
		return
	}
	p.metrics.paid.Add(float64(e.Amount))
	p.deps.Log.Info("a holder was paid for data", "payee", e.Payee, "lamports", e.Amount, "in_all", e.Paid)
}
