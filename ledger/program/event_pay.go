package program

import "github.com/gagliardetto/solana-go"

// DataPaid: lamports went from one agent's vault to another's for data.
type DataPaid struct {
	Payer  solana.PublicKey // authority
	Payee  solana.PublicKey // authority
	Amount uint64           // lamports that moved now
	Paid   uint64           // lamports pulled between the two so far, Amount included
}

var _ Event = (*DataPaid)(nil)

// EventName returns "DataPaid".
func (*DataPaid) EventName() string { return "DataPaid" }

func (e *DataPaid) walk(w *walk) {
	key(w, "payer", &e.Payer)
	key(w, "payee", &e.Payee)
	u64(w, "amount", &e.Amount)
	u64(w, "paid", &e.Paid)
}
