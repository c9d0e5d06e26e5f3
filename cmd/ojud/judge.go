package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/examine"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/client"
)

func newJudge(a *app) *cobra.Command {
	cmd := cli.Court(a.App, cli.Group(&cobra.Command{
		Use:   "judge",
		Short: "Join the roster, keep the stake, leave; examine the judge",
		Long: `A judge has a stake on the roster and a node that votes. Most of these commands manage the stake;
"ojud run" starts the node. The key is the authority.json of the home. Exam, redteam, personas and
memory concern the way it judges, and need no court.`,
		Example: `  ojud judge register --stake 2sol
  ojud judge status
  ojud judge claim
  ojud judge exam`,
	}))
	cmd.AddCommand(newJudgeRegister(a), newJudgeTopUp(a), newJudgeExit(a), newJudgeWithdraw(a), newJudgeClaim(a), newJudgeStatus(a), newJudgeList(a))
	cmd.AddCommand(append(examine.Commands(a.App), newJudgeMemory(a))...)
	return cmd
}

// judgeAction runs an action on the roster and shows the entry afterwards.
func (a *app) judgeAction(cmd *cobra.Command, what string, do func(*client.Client, context.Context) (client.JudgeDone, error)) error {
	return act(a, cmd, what, do, func(d client.JudgeDone) view.Sheet { return append(view.Sent(d.Sent), view.Judge(d.Judge)...) })
}

func newJudgeRegister(a *app) *cobra.Command {
	var stake cli.Amount
	var operator string
	cmd := &cobra.Command{
		Use:   "register",
		Short: "Put a stake on the roster: become a judge",
		Long: `Register binds the home's two keys to each other on the roster and moves the stake there from the
authority's wallet. Then keep the node running (ojud run), because a judge that is drawn but absent
loses a little stake each time.`,
		Example: `  ojud judge register --stake 2sol
  ojud judge register --stake 10sol --operator 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin \
      --home /srv/ojud`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		runsBy, err := cli.Address("--operator", operator)
		if err != nil {
			return err
		}
		dir, err := a.HomeDir()
		if err != nil {
			return err
		}
		keys, err := node.LoadKeys(dir)
		if err != nil {
			return cli.Fail("%v", err).Next("make the home first: ojud init --network URL")
		}
		return a.judgeAction(cmd, "joining the roster", func(c *client.Client, ctx context.Context) (client.JudgeDone, error) {
			if !stake.Given {
				if stake.Lamports, err = c.MinStake(ctx); err != nil {
					return client.JudgeDone{}, err
				}
			}
			return c.Join(ctx, keys, runsBy, stake.Lamports)
		})
	}
	cmd.Flags().Var(&stake, "stake", "the stake, such as 2sol (default the smallest that the court accepts)")
	cmd.Flags().StringVar(&operator, "operator", "", "address of the operator, if it also runs agents")
	return cmd
}

func newJudgeTopUp(a *app) *cobra.Command {
	return withAmount(&cobra.Command{
		Use:   "top-up AMOUNT",
		Short: "Add to the judge's stake",
		Long: `Top-up moves lamports from the wallet to the stake of the key's judge, and waits until that is
final. Each run adds again. The new stake only counts in draws by later blocks, because otherwise
someone who knows the block could choose the panel. For the same reason you cannot top up within 512
slots (about 205 s) of the last top-up or of joining. To add to another judge's stake, send SOL to
its address, and let it top up.`,
		Example: `  ojud judge top-up 1sol`,
	}, func(cmd *cobra.Command, much client.Lamports) error {
		return a.judgeAction(cmd, "adding to the stake", func(c *client.Client, ctx context.Context) (client.JudgeDone, error) {
			return c.TopUp(ctx, much)
		})
	})
}

func newJudgeStatus(a *app) *cobra.Command {
	return showMine(a, &cobra.Command{
		Use:   "status [ADDRESS]",
		Short: "Show a judge: stake, rewards, record, and what it abstained in",
		Long: `Status prints the roster's entry of the key's judge, or of the judge with that address. If that
judge's node runs on the home, status also prints how many cases it works on, how many wait, and
since its start in how many cases it abstained, and why.`,
		Example: `  ojud judge status
  ojud judge status 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --json`,
	}, "the judge", func(c *client.Client, ctx context.Context, judge onchain.Address) (client.JudgeHere, error) {
		home, err := a.HomeDir()
		if err != nil {
			return client.JudgeHere{}, err
		}
		return c.JudgeHere(ctx, judge, home)
	}, view.JudgeHere)
}

func newJudgeList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the roster",
		Long:  `List prints every judge of the court with stake and record. With --json each line is an object.`,
		Example: `  ojud judge list --network http://127.0.0.1:8899
  ojud judge list --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			header := []string{"JUDGE", "STATE", "STAKE", "REWARDS", "ROUNDS", "MAJORITY", "MINORITY", "ABSENT"}
			return listAll(a, cmd, (*client.Client).Judges, "no judge has joined yet", header, func(v client.JudgeView) []string {
				return []string{
					v.Judge, v.State, v.Stake.String(), v.Rewards.String(), fmt.Sprint(v.Record.Seated), fmt.Sprint(v.Record.Majority),
					fmt.Sprint(v.Record.Minority), fmt.Sprint(v.Record.Absent),
				}
			})
		},
	}
}

func newJudgeClaim(a *app) *cobra.Command {
	var judge string
	cmd := &cobra.Command{
		Use:   "claim",
		Short: "Have the rewards paid to the judge's wallet",
		Long: `Claim pays the judge's rewards to its wallet. The node does this by itself from time to time. Anyone
may do it for any judge (--judge) and pays the fee.`,
		Example: `  ojud judge claim
  ojud judge claim --judge 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		whose, err := cli.Address("--judge", judge)
		if err != nil {
			return err
		}
		return a.judgeAction(cmd, "claiming the rewards", func(c *client.Client, ctx context.Context) (client.JudgeDone, error) {
			return c.ClaimReward(ctx, whose)
		})
	}
	cmd.Flags().StringVar(&judge, "judge", "", "address of the judge (default the key's)")
	return cmd
}

func newJudgeExit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "exit",
		Short: "Begin to leave the roster",
		Long: `Exit ends new draws of this judge and starts the cooldown, after which "ojud judge withdraw" takes
the stake. Keep the node running until then: its present rounds still count, and a round that
already waits for its draw may still seat it. To return, withdraw and register again.`,
		Example: `  ojud judge exit`,
		Args:    cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.judgeAction(cmd, "beginning to leave", (*client.Client).Exit)
		},
	}
}

func newJudgeWithdraw(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "withdraw",
		Short: "Take stake and rewards and leave the roster",
		Long: `Withdraw pays stake and rewards to the wallet and leaves the roster. It works after the cooldown of
"ojud judge exit" if no round is live.`,
		Example: `  ojud judge withdraw`,
		Args:    cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return act(a, cmd, "leaving the roster", (*client.Client).WithdrawStake, func(left client.Left) view.Sheet {
				return append(view.Sent(left.Sent), view.Sheet{
					{"stake", left.Stake.String()}, {"rewards", left.Rewards.String()}, {"wallet", left.Wallet.String()},
				}...)
			})
		},
	}
}
