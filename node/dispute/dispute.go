// Package dispute brings disputes of others to a court: about terms that no task of the court has
// (ADR 0061). The verdict is an account by which any program can pay.
package dispute

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/client/when"
	"ojud/node/library"
	"ojud/voting"
)

// Claim is what a claimant brings to the court.
type Claim struct {
	Respondent onchain.Address
	Terms      library.Document // a task file: what the two agreed on
	Claim      library.Document // a result: what the claimant says was done
	Amount     client.Lamports  // in dispute
	Seats      uint8            // 0: the largest panel
}

// Done is the result of an action on a dispute.
type Done struct {
	client.Sent
	Dispute   View                  `json:"dispute"`
	Published []library.Publication `json:"published,omitempty"`
}

// View is a dispute as the chain has it. Times are Unix seconds of the chain's clock.
type View struct {
	Dispute    string          `json:"dispute"` // address; also names its case
	Account    string          `json:"account"` // of the verdict, from the beginning
	Claimant   string          `json:"claimant"`
	Respondent string          `json:"respondent"`
	Payer      string          `json:"payer,omitempty"` // empty: the dispute was closed
	Amount     client.Lamports `json:"amount"`
	Fee        client.Lamports `json:"fee,omitempty"` // that the judges get; 0 when it is over
	Answered   bool            `json:"answered"`      // by the respondent
	AnswerBy   int64           `json:"answer_by,omitempty"`
	Phase      string          `json:"phase"`
	Verdict    string          `json:"verdict,omitempty"` // accept: the claim stands; reject: it does not
	Final      bool            `json:"final"`
	Terms      string          `json:"terms_hash,omitempty"`
	Claim      string          `json:"claim_hash"`
	Now        int64           `json:"now"`
}

// Open brings a dispute to the court of the claimant, who pays for it, and publishes its documents.
// A second run with the same terms finds the dispute, and publishes them again.
func Open(ctx context.Context, claimant *client.Client, b Claim) (Done, error) {
	office, self, err := of(claimant)
	if err != nil {
		return Done{}, err
	}
	if self == b.Respondent {
		return Done{}, errors.New("dispute: claimant and respondent are one; name the other party as --against")
	}
	rules, err := law.Read(ctx, office)
	if err != nil {
		return Done{}, err
	}
	p := office.Program()
	at := program.DisputeAddress(p, self, b.Respondent, b.Terms.Hash)
	sent, err := office.Send(ctx, client.Order{
		Name: "bring the dispute " + at.String(), Pays: cost(rules.Now.Params, b),
		Instructions: []onchain.Instruction{p.OpenDispute(self, self, at, rules.Now.Number, program.OpenDispute{
			Respondent: b.Respondent, TermsHash: b.Terms.Hash, ClaimHash: b.Claim.Hash, Amount: uint64(b.Amount), Seats: b.Seats,
		})},
		Done: func(ctx context.Context) (bool, error) {
			v, err := read(ctx, office, at)
			return err == nil && v != nil && v.ResultHash == b.Claim.Hash, err
		},
	})
	if err != nil {
		return Done{}, law.Explain(ctx, office, err)
	}
	return done(ctx, claimant, at, sent, b.Terms, b.Claim, filled(program.Unanswered()), filled(program.Unreplied()))
}

// Join answers a dispute as its respondent. Exhibits are the content that the answer names.
func Join(ctx context.Context, respondent *client.Client, at onchain.Address, answer library.Document, exhibits ...library.Document) (Done, error) {
	office, self, err := of(respondent)
	if err != nil {
		return Done{}, err
	}
	t, err := task(ctx, office, at)
	switch {
	case err != nil:
		return Done{}, err
	case t == nil:
		return Done{}, fmt.Errorf("dispute: there is no dispute %s (any more)", at)
	case t.Creator != self:
		return Done{}, fmt.Errorf("dispute: the respondent of %s is %s, and %s is another key; name the key file: --key FILE", at, t.Creator, self)
	}
	sent, err := office.Send(ctx, client.Order{
		Name: "answer the dispute " + at.String(), Instructions: []onchain.Instruction{office.Program().JoinDispute(self, at, program.JoinDispute{AnswerHash: answer.Hash})},
		Done: func(ctx context.Context) (bool, error) {
			t, err := task(ctx, office, at)
			return err == nil && t != nil && t.ObjectionHash == answer.Hash, err
		},
	})
	if err != nil {
		return Done{}, err
	}
	return done(ctx, respondent, at, sent, append([]library.Document{answer}, exhibits...)...)
}

// Show reads a dispute. Its verdict stays when the rest of it is closed.
func Show(ctx context.Context, c *client.Client, at onchain.Address) (View, error) {
	office := client.OfficeOf(c)
	now, err := law.Read(ctx, office)
	if err != nil {
		return View{}, err
	}
	v, err := read(ctx, office, at)
	if err != nil {
		return View{}, err
	}
	if v == nil || v.Joined == program.NoDispute {
		return View{}, fmt.Errorf("dispute: there is no dispute %s in this court; if it is a task: ojud task show %s", at, at)
	}
	view := View{
		Dispute: at.String(), Account: office.Program().Verdict(at).String(), Claimant: v.Worker.String(), Respondent: v.Creator.String(),
		Amount: client.Lamports(v.Reward), Answered: v.Joined == program.DisputeJoined, Final: v.IsFinal == 1, Claim: v.ResultHash.String(), Now: now.Time,
	}
	t, err := task(ctx, office, at)
	if err != nil {
		return View{}, err
	}
	if t != nil {
		view.Payer, view.Fee, view.Terms, view.Answered = t.WorkerOperator.String(), client.Lamports(t.WorkerBond), t.TaskHash.String(), t.Dispute == program.DisputeJoined
	}
	if view.Final {
		view.Verdict, view.Phase = v.Verdict.String(), "over"
		return view, nil
	}
	view.Phase, err = phase(ctx, office, at, t, now.Time)
	if t != nil && t.Dispute == program.DisputeUnanswered {
		view.AnswerBy = t.Deadline
	}
	return view, err
}

// phase says in words what a dispute waits for.
func phase(ctx context.Context, office client.Office, at onchain.Address, t *program.Task, now int64) (string, error) {
	switch {
	case t == nil:
		return "", fmt.Errorf("dispute: %s has no verdict and no account: the RPC node does not tell the truth", at)
	case t.Deadline > now:
		return "the respondent may answer, " + when.Left(t.Deadline, now), nil
	case t.Deadline != 0:
		return "anyone can open the case; nodes do", nil
	}
	d, _, err := ledger.Read(ctx, office, office.Program().Case(at), program.DecodeCase)
	if err != nil {
		return "", err
	}
	return map[voting.Status]string{
		voting.AwaitingDraw: "judges are drawn", voting.Committing: "judges commit", voting.Revealing: "judges reveal",
	}[d.Status], nil
}

// of returns the client's office and address.
func of(c *client.Client) (client.Office, onchain.Address, error) {
	self, err := onchain.ParseAddress(c.Me())
	if err != nil {
		return client.Office{}, self, errors.New("dispute: this needs a key; name the key file: --key FILE")
	}
	return client.OfficeOf(c), self, nil
}

// cost is the fee of the panel; the program says what is wrong with terms that have none.
func cost(p program.Params, b Claim) client.Lamports {
	seats := b.Seats
	if seats == 0 {
		seats = p.PanelSeats
	}
	fee, err := p.DisputeFee(uint64(b.Amount), seats)
	if err != nil {
		return 0
	}
	return client.Lamports(fee)
}

func done(ctx context.Context, c *client.Client, at onchain.Address, sent client.Sent, docs ...library.Document) (Done, error) {
	view, err := Show(ctx, c, at)
	d := Done{Sent: sent, Dispute: view}
	if err != nil {
		return d, err
	}
	d.Published, err = c.Publish(ctx, at, docs...)
	return d, err
}

// filled is a document that the program fills in.
func filled(content []byte) library.Document {
	return library.Document{Content: content, Hash: casefile.HashOf(content)}
}

// read reads the verdict account of a dispute; nil: there is none.
func read(ctx context.Context, office client.Office, at onchain.Address) (*program.VerdictAccount, error) {
	return perhaps(ledger.Read(ctx, office, office.Program().Verdict(at), program.DecodeVerdictAccount))
}

// task reads the Task of a dispute; nil: there is none, or that of an ordinary task.
func task(ctx context.Context, office client.Office, at onchain.Address) (*program.Task, error) {
	t, err := perhaps(ledger.Read(ctx, office, at, program.DecodeTask))
	if t != nil && !t.IsDispute() {
		t = nil
	}
	return t, err
}

// Sides returns what puts the names of the sides of a dispute of others into a text about a case:
// its respondent stands in the place of a creator, and its claimant in that of a worker.
func Sides(ctx context.Context, c *client.Client, at onchain.Address) (func(string) string, error) {
	t, err := task(ctx, client.OfficeOf(c), at)
	if t == nil {
		return func(text string) string { return text }, err
	}
	return strings.NewReplacer("the creator", "the respondent", "the worker", "the claimant").Replace, err
}

func perhaps[T any](v *T, _ uint64, err error) (*T, error) {
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, nil
	}
	return v, err
}
