package holdings

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/holdings"
	"ojud/node/library"
)

// Beside has the flags of a pledge to a task that is created.
type Beside struct {
	mint, tokens string
	transfer     holdings.Transfer
}

// Add adds the flags.
func (p *Beside) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.mint, "mint", "", "mint of the tokens of --tokens")
	cmd.Flags().StringVar(&p.tokens, "tokens", "", "tokens of the vault to put beside the reward, such as 12.5")
}

// Read reads the flags.
func (p *Beside) Read() (err error) {
	if (p.mint == "") != (p.tokens == "") {
		return cli.Usage("--mint and --tokens belong together: they name the tokens beside the reward, and how many")
	}
	p.transfer.Amount = p.tokens
	p.transfer.Mint, err = cli.Address("--mint", p.mint)
	return err
}

// Check refuses tokens that the vault does not have, before the task is posted.
func (p *Beside) Check(ctx context.Context, c *client.Client, task library.Document, again bool) error {
	if p.mint == "" {
		return nil
	}
	err := holdings.Enough(ctx, c, p.transfer, task.Hash, again)
	if !errors.Is(err, holdings.ErrShort) {
		return err
	}
	return cli.Fail("%s", cli.Plain(err)).Next("put tokens into the vault: ojud agent tokens deposit " + p.mint + " AMOUNT")
}

// Keep puts the tokens beside a task, if the flags name some, and says so.
func (p *Beside) Keep(ctx context.Context, a *cli.App, c *client.Client, task string) error {
	if p.mint == "" || task == "" {
		return nil
	}
	at, err := onchain.ParseAddress(task)
	if err != nil {
		return err
	}
	done, err := holdings.PledgeTokens(ctx, c, at, p.transfer)
	if err == nil && done.Signature != "" {
		_, err := fmt.Fprintf(a.Err, "%s of the mint %s stand beside the reward: transaction %s\n", p.tokens, p.mint, done.Signature)
		return err
	}
	if err != nil {
		return cli.Fail("the task %s is posted, but without its tokens: %s", task, cli.Plain(err)).Next("put them beside it: ojud task pledge " + task + " " + p.mint + " " + p.tokens)
	}
	return nil
}

// WarnOfPledge adds what a worker should know of the pledge of a task.
func WarnOfPledge(ctx context.Context, c *client.Client, task onchain.Address, review *advice.Review) error {
	p, err := holdings.PledgeOf(ctx, c, task)
	if err != nil || p == nil || p.Freezer == "" {
		return err
	}
	review.Warnings = append(review.Warnings, advice.Warning{
		Term: p.Amount + " tokens of the mint " + p.Mint.String() + " beside the reward",
		Why:  "the freezer of the mint, " + p.Freezer + ", can freeze accounts of it, and then you do not get them",
		Fix:  "claim it only if you trust this mint, or if the reward alone is enough",
	})
	return nil
}

// Pledged shows a task with its pledge.
type Pledged struct {
	client.TaskView
	Pledge *holdings.Pledge `json:"pledge,omitempty"`
}

// ReadPledged reads a task with its pledge.
func ReadPledged(ctx context.Context, c *client.Client, task onchain.Address) (out Pledged, err error) {
	if out.TaskView, err = c.Task(ctx, task); err != nil {
		return out, err
	}
	out.Pledge, err = holdings.PledgeOf(ctx, c, task)
	return out, err
}

// Sheet shows the task.
func (p Pledged) Sheet() view.Sheet { return append(view.Task(p.TaskView), pledgeSheet(p.Pledge)...) }

func pledgeSheet(p *holdings.Pledge) (s view.Sheet) {
	if p == nil {
		return nil
	}
	s.Add("tokens", p.Amount+" of the mint "+p.Mint.String()+", beside the reward")
	if p.Freezer != "" {
		s.Add("freezer", p.Freezer+", who can freeze accounts of this mint")
	}
	if p.Creator != "0" || p.Worker != "0" {
		s.Add("not paid", "creator "+p.Creator+", worker "+p.Worker+"; do: ojud task pay-pledge")
	}
	return s
}

// NewPledge returns the command that puts tokens beside a task.
func NewPledge(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "pledge TASK MINT AMOUNT",
		Short: "Put tokens of the vault beside the reward of a task",
		Long: `Pledge puts tokens of the creator's vault beside the reward of a task that nobody has claimed, once
for a task. They stay there until the task is over, and then go where the reward goes: to the
worker, back to the creator, or half to each. The wallet pays the rent of two accounts, about 0.004
SOL, and gets it back when the tokens are paid. Mints are refused as by "agent tokens deposit".`,
		Example: `  ojud task pledge 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU 12.5 --key creator.json`,
		Args: cli.Takes(3, "a task", "a mint", "an amount"),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := cli.Address("the task", args[0])
			if err != nil {
				return err
			}
			t := holdings.Transfer{Amount: args[2]}
			if t.Mint, err = cli.Address("the mint", args[1]); err != nil {
				return err
			}
			return cli.Act(a, cmd, "pledging the tokens", func(c *client.Client, ctx context.Context) (holdings.PledgeDone, error) {
				return holdings.PledgeTokens(ctx, c, task, t)
			}, pledgeDone)
		},
	}
}

// NewPayPledge returns the command that pays the tokens beside a task.
func NewPayPledge(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "pay-pledge TASK",
		Short: "Pay the tokens beside the reward of a task that is over",
		Long: `Pay-pledge brings the tokens beside a reward into the vaults of those who are due them. Anybody may
do it. It makes the token account of a vault that has none, and your wallet pays the rent, about
0.002 SOL. A vault whose account is frozen gets its part later, and keeps nobody else from theirs.
A task cannot be closed before.`,
		Example: `  ojud task pay-pledge 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
		Args:    cli.Takes(1, "a task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := cli.Address("the task", args[0])
			if err != nil {
				return err
			}
			return cli.Act(a, cmd, "paying the tokens", func(c *client.Client, ctx context.Context) (holdings.PledgeDone, error) {
				return holdings.PayPledge(ctx, c, task)
			}, pledgeDone)
		},
	}
}

func pledgeDone(d holdings.PledgeDone) view.Sheet {
	return append(view.Sent(d.Sent), pledgeSheet(d.Pledge)...)
}
