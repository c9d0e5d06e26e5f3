package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

// termFlags are what a creator offers.
type termFlags struct {
	reward, least, most  amount
	auction, work, claim span
	undecided            string
	forever, again       bool
}

func (t *termFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&t.reward, "reward", "what the first claimer gets, as 1sol")
	flags.Var(&t.least, "reward-min", "auction: the reward at the beginning")
	flags.Var(&t.most, "reward-max", "auction: the reward at the end; it is taken from the vault")
	flags.Var(&t.auction, "auction", "auction: how long the reward rises, as 1h")
	t.work.seconds, t.claim.seconds = 24*3600, 7*24*3600
	flags.Var(&t.work, "work", "from the claim to the result")
	flags.Var(&t.claim, "claim-within", "how long it may be claimed; after it anyone may expire it, which refunds")
	flags.BoolVar(&t.forever, "claim-forever", false, "it may be claimed for ever, until it is cancelled")
	flags.StringVar(&t.undecided, "on-undecided", "split", "when the court cannot decide: refund, pay or split")
	flags.BoolVar(&t.again, "again", false, "post it although an open task of yours has the same document")
}

func (t *termFlags) terms() (client.Terms, error) {
	out := client.Terms{
		RewardMin: t.reward.Lamports, RewardMax: t.reward.Lamports, AuctionSeconds: t.auction.seconds, WorkSeconds: t.work.seconds,
		ClaimWithin: t.claim.seconds, OnUndecided: t.undecided,
	}
	if t.forever {
		out.ClaimWithin = 0
	}
	auction := t.least.set || t.most.set || t.auction.seconds > 0
	switch {
	case t.reward.set && auction:
		return out, usage("--reward goes without --reward-min, --reward-max and --auction").next("give either one reward or an auction")
	case t.reward.set:
		return out, nil
	case t.least.set && t.most.set && t.auction.seconds > 0:
		out.RewardMin, out.RewardMax = t.least.Lamports, t.most.Lamports
		return out, nil
	}
	return out, usage("a task needs --reward, or for an auction --reward-min, --reward-max and --auction")
}

func newTaskCreate(a *app) *cobra.Command {
	var flags termFlags
	cmd := &cobra.Command{
		Use:   "create TASK.json",
		Short: "Post a task with its reward in escrow",
		Long: `Create checks the task file, moves the reward from the vault into escrow, puts the file's hash on the chain, and brings the
file to nodes of the court. A task file has "instruction", "output_schema" and optionally "input_data", "pda", "data_sources" and
"expected"; a wrong field is named. "-" reads standard input.

With an auction the reward rises until somebody claims. A second run with the same file reports the open task instead of posting
another, unless --again.`,
		Example: `  ojud task create examples/eleptiger/eleptiger.task.json --reward 1sol --key creator.json
  ojud task create task.json --reward-min 0.1sol --reward-max 1sol --auction 1h --work 8h --on-undecided refund`,
		Args: takes(1, "a task file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		terms, err := flags.terms()
		if err != nil {
			return err
		}
		doc, err := client.TaskFile(args[0])
		if err != nil {
			return err
		}
		return a.taskDeed(cmd, "creating the task", func(ctx context.Context, c *client.Client) (client.TaskDone, error) {
			return c.CreateTask(ctx, doc, terms, flags.again)
		})
	}
	flags.add(cmd)
	return cmd
}
