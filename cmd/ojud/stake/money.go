package stake

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Entrant is who joins a court, besides the keys of its node: flags of a command.
type Entrant struct {
	stake              cli.Amount
	excess             bool
	operator, withdraw string // as on the command line
	as                 client.Candidacy
}

// Add adds the flags.
func (c *Entrant) Add(cmd *cobra.Command) {
	cmd.Flags().Var(&c.stake, "stake", "the stake, such as 2sol (default the smallest that the court accepts, and a quarter of it)")
	cmd.Flags().BoolVar(&c.excess, "yes", false, "stake more than counts in a case")
	cmd.Flags().StringVar(&c.operator, "operator", "", "key file of the operator, if it also runs agents, which signs, too: its judge is never drawn into their cases")
	cmd.Flags().StringVar(&c.withdraw, "withdraw-key", "", "address of the key that can leave, take the stake and redirect rewards (default the node's own key)")
}

// Read reads the flags.
func (c *Entrant) Read() (err error) {
	if c.as.Withdraw, err = cli.Address("--withdraw-key", c.withdraw); err != nil {
		return err
	}
	c.as.Operator, err = cli.Operator(c.operator)
	return err
}

// Candidacy returns who joins, with the court's usual stake if none was given.
func (c *Entrant) Candidacy(ctx context.Context, court *client.Client) (client.Candidacy, error) {
	usual, least, most, err := court.UsualStake(ctx)
	if err != nil {
		return c.as, err
	}
	if c.as.Stake = c.stake.Lamports; !c.stake.Given {
		c.as.Stake = usual
	}
	if c.as.Stake < least {
		return c.as, cli.Fail("--stake %s is too small, this court wants at least %s", c.as.Stake, least).Next("stake more, or leave --stake out")
	}
	if c.as.Stake > most+most/4 && !c.excess { // a quarter more is for losses
		return c.as, cli.Usage("--stake %s: in a case at most %s of a stake count, and two signed votes for one round lose all of it", c.as.Stake, most).
			Next("stake less, or add --yes")
	}
	return c.as, nil
}

// holdingFlags name a judge and its withdraw key.
type holdingFlags struct{ judge, keypair string }

func (f *holdingFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.judge, "judge", "", "address of the judge (default the key's)")
	cmd.Flags().StringVar(&f.keypair, "withdraw-keypair", "", "key file of the judge's withdraw key, which signs (default the key)")
}

func (f *holdingFlags) holding() (h client.Holding, err error) {
	if h.Judge, err = cli.Address("--judge", f.judge); err != nil {
		return h, err
	}
	h.Key, err = cli.Signer("--withdraw-keypair", f.keypair, "the withdraw key signs")
	return h, err
}

// moneyAction is an action of a judge's withdraw key.
func moneyAction(a *cli.App, cmd *cobra.Command, f *holdingFlags, what string, do func(*client.Client, context.Context, client.Holding) (client.JudgeDone, error)) error {
	h, err := f.holding()
	if err != nil {
		return err
	}
	return judgeAction(a, cmd, what, func(c *client.Client, ctx context.Context) (client.JudgeDone, error) { return do(c, ctx, h) })
}

func newClaim(a *cli.App) *cobra.Command {
	var f holdingFlags
	var to string
	cmd := &cobra.Command{
		Use:   "claim",
		Short: "Have the rewards paid to the judge's withdraw key",
		Long: `Claim pays the judge's rewards to the account of its withdraw key. The node does this by itself from
time to time. Anyone may do it for any judge (--judge) and pays the fee. To another wallet (--to)
they go only if the withdraw key signs (--withdraw-keypair).`,
		Example: `  ojud judge claim
  ojud judge claim --judge 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin
  ojud judge claim --withdraw-keypair cold.json --to 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		wallet, err := cli.Address("--to", to)
		if err != nil {
			return err
		}
		return moneyAction(a, cmd, &f, "claiming the rewards", func(c *client.Client, ctx context.Context, h client.Holding) (client.JudgeDone, error) {
			return c.ClaimReward(ctx, h, wallet)
		})
	}
	f.add(cmd)
	cmd.Flags().StringVar(&to, "to", "", "address of another wallet that gets the rewards")
	return cmd
}

func newExit(a *cli.App) *cobra.Command {
	var f holdingFlags
	cmd := &cobra.Command{
		Use:   "exit",
		Short: "Begin to leave the roster",
		Long: `Exit starts the cooldown, after which "ojud judge withdraw" takes the stake, and the next season
gives the judge no weight. Until that season begins, panels are drawn with the judge as before, and
so are their appeals later: leaving must not choose who judges. The stake also stays until no season
has the judge's weight, which takes two turns of the season, and until nobody can bring evidence
about its last seat: "ojud judge status" says when. Keep the node running until then, because a
judge that is drawn and absent loses a little. To return, withdraw and register again.

The judge's withdraw key signs. If it is not the node's key, run the command where it is: with
--withdraw-keypair, or with --judge and the withdraw key as --key, which then pays the fee.`,
		Example: `  ojud judge exit
  ojud judge exit --withdraw-keypair cold.json
  ojud judge exit --judge 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key cold.json \
      --network http://court.example/network.json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return moneyAction(a, cmd, &f, "beginning to leave", (*client.Client).Exit)
		},
	}
	f.add(cmd)
	return cmd
}

func newWithdraw(a *cli.App) *cobra.Command {
	var f holdingFlags
	var to string
	cmd := &cobra.Command{
		Use:   "withdraw",
		Short: "Take stake and rewards and leave the roster",
		Long: `Withdraw pays stake and rewards to the account of the judge's withdraw key, or to another wallet
(--to), and leaves the roster. The withdraw key signs. It works after the cooldown of "ojud judge
exit" if no round is live and no season has the judge's weight.`,
		Example: `  ojud judge withdraw
  ojud judge withdraw --withdraw-keypair cold.json`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		wallet, err := cli.Address("--to", to)
		if err != nil {
			return err
		}
		h, err := f.holding()
		if err != nil {
			return err
		}
		leave := func(c *client.Client, ctx context.Context) (client.Left, error) {
			return c.WithdrawStake(ctx, h, wallet)
		}
		return cli.Act(a, cmd, "leaving the roster", leave, func(left client.Left) view.Sheet {
			return append(view.Sent(left.Sent), view.Sheet{
				{"stake", left.Stake.String()}, {"rewards", left.Rewards.String()}, {"to", left.To}, {"wallet", left.Wallet.String()},
			}...)
		})
	}
	f.add(cmd)
	cmd.Flags().StringVar(&to, "to", "", "address of another wallet that gets the stake")
	return cmd
}

func newWithdrawKey(a *cli.App) *cobra.Command {
	var f holdingFlags
	cmd := &cobra.Command{
		Use:   "withdraw-key ADDRESS",
		Short: "Give the judge another withdraw key",
		Long: `Withdraw-key replaces the key that can begin an exit, take the stake and send the rewards somewhere
else. The present withdraw key signs; for a judge that joined without --withdraw-key, that is its
own.

The judge's own key is on the node, because it signs votes. Whoever breaks into the node has it, and
can vote as it likes. If the withdraw key is elsewhere, the thief cannot take the stake or the
rewards. Check the address twice: if nobody has its key, the stake is lost, and no one can change
that.`,
		Example: `  ojud judge withdraw-key 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin
  ojud judge withdraw-key 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin \
      --withdraw-keypair old.json`,
		Args: cli.Takes(1, "the address of the new withdraw key"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		key, err := onchain.ParseAddress(args[0])
		if err != nil {
			return cli.Usage("%q is not an address", args[0]).Next("solana-keygen pubkey FILE prints the address of a key")
		}
		return moneyAction(a, cmd, &f, "changing the withdraw key", func(c *client.Client, ctx context.Context, h client.Holding) (client.JudgeDone, error) {
			return c.ChangeWithdraw(ctx, h, key)
		})
	}
	f.add(cmd)
	return cmd
}
