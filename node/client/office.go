package client

import (
	"context"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// AdmissionView is a judge that the authority of a listed court lets join.
type AdmissionView struct {
	Judge  string `json:"judge"`
	Payer  string `json:"payer"`  // gets the rent back
	Judges bool   `json:"judges"` // it is on the Roster
}

// AdmissionDone is the result of an action on the list of a court.
type AdmissionDone struct {
	Sent
	Court string `json:"court"`           // listed or open
	Judge string `json:"judge,omitempty"` // that was admitted, or is not any more
}

// courtKind names the two kinds of courts.
func courtKind(listed bool) string {
	if listed {
		return "listed"
	}
	return "open"
}

// MayJoin returns why a judge cannot join the court, and who can change that. It is nil for a judge
// that is on the Roster. Zero means the client's own key.
func (c *court) MayJoin(ctx context.Context, judge onchain.Address) error {
	judge, err := c.who(judge)
	if err != nil {
		return err
	}
	e, err := law.Admission(ctx, c.chain, judge)
	if err != nil || e.MayJoin() {
		return err
	}
	if on, err := c.OnRoster(ctx, judge); on || err != nil {
		return err
	}
	return fmt.Errorf("%w: this court is listed, and %s is not admitted: %s", errNotNow, judge, e.Ask(judge))
}

// Admissions lists the judges that the court's authority admitted.
func (c *court) Admissions(ctx context.Context) ([]AdmissionView, error) {
	all, _, err := c.chain.Admissions(ctx)
	if err != nil {
		return nil, err
	}
	roster, _, err := c.chain.Roster(ctx)
	out := []AdmissionView{}
	for _, a := range all {
		out = append(out, AdmissionView{
			Judge: a.Value.Judge.String(), Payer: a.Value.Payer.String(), Judges: err == nil && roster.Find(voting.Key(a.Value.Judge)) >= 0,
		})
	}
	return out, err
}

// Governor acts for a court with the key of its authority.
type Governor struct{ *Client }

// Admit lets a judge join the listed court.
func (c Governor) Admit(ctx context.Context, judge onchain.Address) (AdmissionDone, error) {
	e, err := c.governs(ctx, judge)
	if err != nil {
		return AdmissionDone{}, err
	}
	if !e.Listed {
		return AdmissionDone{}, fmt.Errorf("%w: this court is open, so anyone may join it, and nobody is admitted", errNotNow)
	}
	sent, err := c.landed(ctx, action{
		name: "admit the judge", purpose: "admit:" + judge.String(),
		instructions: []onchain.Instruction{c.program.AdmitJudge(c.self, program.AdmitJudge{Judge: judge})},
		done: func(ctx context.Context) (bool, error) {
			e, err := law.Admission(ctx, c.chain, judge)
			return err == nil && e.Admission != nil, err
		},
	})
	return AdmissionDone{Sent: sent, Court: courtKind(true), Judge: judge.String()}, err
}

// RevokeAdmission takes an admission back. The judge cannot join any more; if it is on the Roster,
// it stays. The rent goes to whoever paid it. In an open court anyone may do so.
func (c Governor) RevokeAdmission(ctx context.Context, judge onchain.Address) (AdmissionDone, error) {
	e, err := law.Admission(ctx, c.chain, judge)
	if err == nil && e.Listed {
		e, err = c.governs(ctx, judge)
	}
	if err != nil {
		return AdmissionDone{}, err
	}
	done := AdmissionDone{Sent: Sent{Result: ledger.AlreadyDone.String()}, Court: courtKind(e.Listed), Judge: judge.String()}
	if e.Admission == nil {
		return done, nil
	}
	done.Sent, err = c.landed(ctx, action{
		name: "revoke the admission", purpose: "revoke:" + judge.String(),
		instructions: []onchain.Instruction{c.program.RevokeAdmission(c.self, judge, e.Admission.Payer)},
		done: func(ctx context.Context) (bool, error) {
			e, err := law.Admission(ctx, c.chain, judge)
			return err == nil && e.Admission == nil, err
		},
	})
	return done, err
}

// OpenCourt lets anyone join from now on. Nothing can undo it.
func (c Governor) OpenCourt(ctx context.Context) (AdmissionDone, error) {
	if _, err := c.governs(ctx, onchain.Address{}); err != nil {
		return AdmissionDone{}, err
	}
	sent, err := OfficeOf(c.Client).Send(ctx, Order{
		Name: "open the court", Instructions: []onchain.Instruction{c.program.OpenCourt(c.self)},
		Done: func(ctx context.Context) (bool, error) {
			r, err := law.Read(ctx, c.chain)
			return err == nil && r.Config.Listed == 0, err
		},
	})
	return AdmissionDone{Sent: sent, Court: courtKind(false)}, err
}

// governs reads whether a judge may join, and refuses if the client's key is not the court's
// authority.
func (c Governor) governs(ctx context.Context, judge onchain.Address) (law.Access, error) {
	if c.key == nil {
		return law.Access{}, errNoKey
	}
	e, err := law.Admission(ctx, c.chain, judge)
	switch {
	case err != nil:
		return e, err
	case e.Authority.IsZero():
		return e, fmt.Errorf("%w: this court has no authority any more", errNotNow)
	case e.Authority != c.self:
		return e, fmt.Errorf("%w: only the court's authority %s can do this, and %s is another key; name the key file: --key FILE", errNotNow, e.Authority, c.self)
	}
	return e, nil
}

// Office reads the accounts of a court, and takes the orders of its authority.
type Office struct {
	Reads
	c *Client
}

// Reads are what an office reads, as ledger.Client does.
type Reads interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error)
	TokenAccounts(ctx context.Context, tokens, owner onchain.Address) ([]*ledger.Account, uint64, error)
	Heads(ctx context.Context, account string, having ledger.Filter, offset, length int) ([]*ledger.Account, error)
	History(ctx context.Context, task onchain.Address) ([]ledger.Occurred, error)
	Program() program.Program
}

// OfficeOf returns the office of the client's court.
func OfficeOf(c *Client) Office { return Office{c.chain, c} }

// Order is a transaction of the client's key about the court as a whole, or about golden cases.
type Order struct {
	Name         string // for people: "pause the court"
	Instructions []onchain.Instruction
	With         []*Client                           // whose keys sign, too
	Pays         Lamports                            // that it takes from the wallet, besides fees and rent
	Done         func(context.Context) (bool, error) // whether the chain shows that it was done
}

// Send sends an order with the client's key.
func (o Office) Send(ctx context.Context, wanted Order) (Sent, error) {
	var signers []*ledger.Keypair
	for _, c := range wanted.With {
		signers = append(signers, c.key)
	}
	return o.c.landed(ctx, action{
		name: wanted.Name, purpose: "order:" + wanted.Name, instructions: wanted.Instructions, signers: signers, pays: wanted.Pays, done: wanted.Done,
	})
}

// Move sends an order that the chain would take twice, once. Each call sends it again.
func (o Office) Move(ctx context.Context, wanted Order) (Sent, error) {
	return o.c.moved(ctx, wanted.Name, wanted.Pays, wanted.Instructions...)
}

// NewTask builds the instruction that creates the client's task with that number, under a version
// of the rules. The time now is the chain's. Its panel is the one that CreateTask asks for.
func (o Office) NewTask(number uint64, rules *program.Rules, document voting.Hash, terms Offer, now int64) (onchain.Instruction, error) {
	i, err := terms.Terms(rules.Params, document, now)
	return o.c.program.CreateTask(o.c.self, number, rules.Number, i), err
}

// Tasks reads all tasks of the court.
func (o Office) Tasks(ctx context.Context) ([]ledger.Keyed[program.Task], error) {
	all, _, err := o.c.chain.Tasks(ctx, ledger.TaskFilter{})
	return all, err
}
