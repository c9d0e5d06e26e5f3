// Package dispute has the commands for disputes about terms that no task of the court has.
package dispute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/delegation"
	"ojud/cmd/ojud/talk"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/client/fit"
	"ojud/node/dispute"
	"ojud/node/library"
)

// Command returns the group of commands.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Court(a, cli.Group(&cobra.Command{
		Use:   "dispute",
		Short: "Bring a dispute to the court that is about no task of it",
		Long: `Two parties have a deal elsewhere: an escrow of another program, a bet, a contract. If one of them
says that the other owes it something, it can bring this to the court. It needs no task, no agent
and no word of the other party. The claimant pays the judges, whatever they find. The verdict is an
account that any program can pay by, and it says whether the respondent answered.`,
		Example: `  ojud dispute open terms.task.json claim.json --against ADDRESS --amount 1sol
  ojud dispute join DISPUTE --reason "The parcel never came." --key respondent.json
  ojud dispute show DISPUTE`,
	}))
	cmd.AddCommand(newOpen(a), newJoin(a), newShow(a))
	return cmd
}

func newOpen(a *cli.App) *cobra.Command {
	var against, agreement string
	var amount cli.Amount
	var seats uint8
	var anyway bool
	cmd := &cobra.Command{
		Use:   "open TERMS.json CLAIM.json --against ADDRESS --amount AMOUNT",
		Short: "Bring a dispute, and pay the judges",
		Long: `Open brings a dispute. TERMS.json is what the two agreed on, as a task file: "instruction" says what
the claimant had to do, "output_schema" what CLAIM.json looks like. CLAIM.json is any JSON: what the
claimant says was done, with its proof. Accept means that the claim stands. Open refuses a claim
that does not fit the schema, or fails a check of the terms, before it pays: judges would reject it.
It also refuses terms in words if fewer than half of the judges say that they have a model.

With --agreement the terms are an agreement that both signed (ojud agent talk), and the respondent
is the other party of it. If its deal has "instruction", "output_schema" or "expected", they are
those of a task, and say what you did: with them, the one who had to do the work is the claimant.
The signatures are checked first. The respondent's is part of the terms, and the
judges check it; yours is not, so that an agreement stays one dispute if you sign it again.

The fee goes from the key's wallet to the judges: at least 0.001 SOL for each seat, more for large
amounts. It does not come back, whoever wins. The rent of the verdict account does not, either. The
rest of the rent does. The respondent has time to answer. Then the case opens, with its answer or
without.

The dispute's address follows from both parties and the terms, so an escrow can name it before. A
dispute is brought once: a second run with the same terms only publishes the documents again. Give
--anyway again if you gave it.`,
		Example: `  ojud dispute open terms.task.json claim.json --amount 1sol --seats 7 --key claimant.json \
      --against 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud dispute open claim.json --agreement agreement.json --amount 1sol --key claimant.json`,
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if agreement != "" {
			return cli.Takes(1, "a file with the claim")(cmd, args)
		}
		return cli.Takes(2, "a file with the terms", "a file with the claim")(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		b := dispute.Claim{Amount: amount.Lamports, Seats: seats}
		var err error
		if agreement != "" {
			if against, b.Terms, err = agreed(a, agreement, against); err != nil {
				return err
			}
		}
		if b.Respondent, err = cli.Address("the respondent", against); err != nil {
			return err
		}
		if b.Respondent.IsZero() || !amount.Given {
			return cli.Usage("against whom, and about how much?").Next("say --against ADDRESS and --amount AMOUNT")
		}
		if agreement == "" {
			if b.Terms, err = library.TaskFile(args[0]); err != nil {
				return err
			}
		}
		if b.Claim, err = library.ResultFile(args[len(args)-1]); err != nil {
			return err
		}
		return cli.Act(a, cmd, "bringing the dispute", func(c *client.Client, ctx context.Context) (dispute.Done, error) {
			if !anyway {
				if err := fits(ctx, a, c, b); err != nil {
					return dispute.Done{}, err
				}
				if err := legible(ctx, c, b); err != nil {
					return dispute.Done{}, err
				}
			}
			return dispute.Open(ctx, c, b)
		}, doneSheet)
	}
	cmd.Flags().StringVar(&against, "against", "", "address of the respondent")
	cmd.Flags().StringVar(&agreement, "agreement", "", "file with an agreement, instead of TERMS.json and, if it has two parties, --against")
	cmd.Flags().Var(&amount, "amount", "what is in dispute, such as 0.5sol: the fee goes by it, and escrows ask for it")
	cmd.Flags().BoolVar(&anyway, "anyway", false, "bring a claim that fails a check of the terms, or one that few judges can read")
	cmd.Flags().Uint8Var(&seats, "seats", 0, "judges of the panel: 7, 14 or the court's largest (default the largest)")
	return cmd
}

// legible refuses to pay a court that can hardly read the terms.
func legible(ctx context.Context, c *client.Client, b dispute.Claim) error {
	me, err := onchain.ParseAddress(c.Me())
	if err != nil {
		return err
	}
	var deal advice.Deal
	if err := c.Complete(ctx, b.Terms.Content, &deal, me, b.Respondent); err != nil {
		return err
	}
	w, few := deal.ForClaimant()
	if !few {
		return nil
	}
	return cli.Fail("nothing was paid: %s: %s", w.Term, w.Why).Next(w.Fix + "; --anyway brings it as it is")
}

// fits checks a claim against the schema and the checks of its terms, as judges will. It warns if
// that is not possible.
func fits(ctx context.Context, a *cli.App, c *client.Client, b dispute.Claim) error {
	terms := b.Terms.Content
	err := fit.Result(ctx, terms, b.Claim.Content, fit.Modules(terms, func(hash [32]byte) ([]byte, error) { return c.Fetch(ctx, hash) })...)
	switch {
	case errors.Is(err, fit.ErrMisfit), errors.Is(err, fit.ErrUnmet), errors.Is(err, fit.ErrRefuted):
		return cli.Fail("judges would reject the claim, and nothing was paid: %s", cli.Plain(err)).Next("correct the claim, or bring it as it is with --anyway")
	case errors.Is(err, library.ErrNoContent), errors.Is(err, fit.ErrSchema), errors.Is(err, fit.ErrSilent):
		_, err = fmt.Fprintf(a.Err, "the claim was not checked in full: %s\n", cli.Plain(err))
	}
	return err
}

// agreed reads an agreement as the terms of a dispute, and returns the other party, which has to be
// named if there are several.
func agreed(a *cli.App, path, named string) (against string, terms library.Document, err error) {
	v, err := talk.ReadAgreement(path, true)
	if err != nil {
		return "", terms, err
	}
	key, err := delegation.Load(a)
	if err != nil {
		return "", terms, err
	}
	self := key.Principal().String()
	if !slices.Contains(v.Names(), self) {
		return "", terms, cli.Usage("the key %s is no party of the agreement", onchain.Address(key.Principal()))
	}
	others := slices.DeleteFunc(slices.Clone(v.Names()), func(who string) bool { return who == self })
	other := others[0]
	switch {
	case len(others) == 1 && named != "":
		return "", terms, cli.Usage("--agreement names the respondent; leave out --against")
	case len(others) > 1:
		if named == "" {
			return "", terms, cli.Usage("the agreement has %d parties", len(others)+1).Next("say against which one, with --against")
		}
		p, err := delegation.Principal("--against", named)
		if err != nil {
			return "", terms, err
		}
		if other = p.String(); !slices.Contains(others, other) {
			return "", terms, cli.Usage("%s is no other party of the agreement", named)
		}
	}
	who, err := delegation.Principal("the other party", other)
	if err != nil {
		return "", terms, err
	}
	raw, err := v.Task(self, other)
	if err == nil {
		terms, err = library.ReadTask(raw)
	}
	if err != nil {
		return "", terms, cli.Usage("the agreement cannot be the terms of a dispute: %v", err)
	}
	return onchain.Address(who).String(), terms, nil
}

func newJoin(a *cli.App) *cobra.Command {
	var p cli.ReasonFlags
	cmd := &cobra.Command{
		Use:   "join DISPUTE --reason TEXT",
		Short: "Answer a dispute as its respondent",
		Long: `Join answers a dispute that somebody brought against your key. It costs a transaction, and nothing
of yours is at stake in the court. The verdict then says that you answered, and the case opens at
once. If you do not answer, the judges hear the claimant alone.`,
		Example: `  ojud dispute join 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --reason "The parcel never came." --exhibit tracking.pdf --key respondent.json`,
		Args: cli.Takes(1, "the dispute's address"),
	}
	p.Add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		at, err := cli.Address("the dispute", args[0])
		if err != nil {
			return err
		}
		answer, exhibits, err := p.Read(library.ObjectionFile)
		if err != nil {
			return err
		}
		return cli.Act(a, cmd, "answering the dispute", func(c *client.Client, ctx context.Context) (dispute.Done, error) {
			return dispute.Join(ctx, c, at, answer, exhibits...)
		}, doneSheet)
	}
	return cmd
}

func newShow(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show DISPUTE",
		Short: "Show a dispute and its verdict",
		Long: `Show reads a dispute from the chain: its parties, what it waits for, and the verdict account by
which other programs pay (docs/verdicts.md). While its case is there, "ojud case show" tells more.`,
		Example: `  ojud dispute show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud dispute show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq -r .account`,
		Args: cli.Takes(1, "the dispute's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := cli.Address("the dispute", args[0])
			if err != nil {
				return err
			}
			return cli.ShowOne(a, cmd, cli.PerhapsKey, at, func(c *client.Client, ctx context.Context, at onchain.Address) (dispute.View, error) {
				return dispute.Show(ctx, c, at)
			}, sheet)
		},
	}
}

func doneSheet(d dispute.Done) view.Sheet { return append(view.Sent(d.Sent), sheet(d.Dispute)...) }

// sheet shows a dispute.
func sheet(v dispute.View) (s view.Sheet) {
	s.Add("dispute", v.Dispute)
	s.Add("phase", v.Phase)
	if v.Verdict != "" {
		s.Add("verdict", v.Verdict)
	}
	s.Add("claimant", v.Claimant)
	s.Add("respondent", v.Respondent)
	s.Add("answered", map[bool]string{true: "yes", false: "no"}[v.Answered])
	if v.AnswerBy != 0 {
		s.Add("answer by", time.Unix(v.AnswerBy, 0).UTC().Format(time.DateTime))
	}
	s.Add("amount", v.Amount.String())
	if v.Fee != 0 {
		s.Add("fee", v.Fee.String())
	}
	s.Add("verdict account", v.Account)
	s.Add("final", strconv.FormatBool(v.Final))
	s.Add("claim", v.Claim)
	return s
}
