// Package stake has the commands of a judge's money: joining the roster, adding to the stake,
// leaving, the rewards and the withdraw key.
package stake

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/founding"
)

// Commands returns the commands of a judge that concern its stake.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newRegister(a), newTopUp(a), newExit(a), newWithdraw(a), newWithdrawKey(a), newClaim(a), newStatus(a), newList(a),
	}
}

// judgeAction runs an action on the roster and shows the entry afterwards.
func judgeAction(a *cli.App, cmd *cobra.Command, what string, do func(*client.Client, context.Context) (client.JudgeDone, error)) error {
	return cli.Act(a, cmd, what, do, func(d client.JudgeDone) view.Sheet { return append(view.Sent(d.Sent), view.Judge(d.Judge)...) })
}

func newRegister(a *cli.App) *cobra.Command {
	var who Entrant
	var signer string
	cmd := &cobra.Command{
		Use:   "register",
		Short: "Put a stake on the roster: become a judge",
		Long: `Register binds the home's two keys to each other on the roster and moves the stake there from the
authority's wallet. Then keep the node running (ojud run), because a judge that is drawn but absent
loses a little stake each time.

The authority's key is on the node, because it signs votes. Whoever breaks into the node has it.
With --withdraw-key, another key owns the money: only that key can begin an exit, take the stake and
send the rewards somewhere else. Make it on another machine (solana-keygen new, or a hardware
wallet), and give the node its address only.

Before it pays, it asks the chain whether the key that signed network.json has a power over the
court, and whether the withdraw key has agents there, or other judges with another operator.`,
		Example: `  ojud judge register --stake 2sol
  ojud judge register --stake 10sol --operator operator.json --home /srv/ojud \
      --withdraw-key 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := who.Read(); err != nil {
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
		return judgeAction(a, cmd, "joining the roster", func(c *client.Client, ctx context.Context) (client.JudgeDone, error) {
			as, err := who.Candidacy(ctx, c)
			if err != nil {
				return client.JudgeDone{}, err
			}
			if err := MayEnter(ctx, founding.Entering{Ledger: a.ClientConfig().Ledger, Signer: signer, Judges: []string{keys.Authority.Address().String()}, Transport: a.Transport}, c, as); err != nil {
				return client.JudgeDone{}, err
			}
			return c.Join(ctx, keys, as)
		})
	}
	who.Add(cmd)
	SignedBy(cmd, &signer)
	return cmd
}

// SignedBy adds the flag that demands who signed network.json.
func SignedBy(cmd *cobra.Command, signer *string) {
	cmd.Flags().StringVar(signer, "signed-by", "", "address of the key that has to have signed network.json")
}

// MayEnter looks at the court before the client's key stakes in it. A judge that has its stake may.
func MayEnter(ctx context.Context, e founding.Entering, c *client.Client, as client.Candidacy) error {
	if on, err := c.OnRoster(ctx, onchain.Address{}); on || err != nil {
		return err
	}
	e.Court, e.Withdraw = c.Network(), as.Withdraw
	if as.Operator != nil {
		e.Operator = as.Operator.Address()
	}
	if err := founding.MayEnter(ctx, e); err != nil {
		return cli.Fail("%s", cli.Plain(err))
	}
	return nil
}

func newTopUp(a *cli.App) *cobra.Command {
	return cli.WithAmount(&cobra.Command{
		Use:   "top-up AMOUNT",
		Short: "Add to the judge's stake",
		Long: `Top-up moves lamports from the wallet to the stake of the key's judge, and waits until that is
final. Each run adds again. The new stake counts in draws from the next season on, because otherwise
someone who knows a draw's block could choose the panel. "ojud judge status" says when that season
may begin. To add to another judge's stake, send SOL to its address, and let it top up.`,
		Example: `  ojud judge top-up 1sol`,
	}, func(cmd *cobra.Command, much client.Lamports) error {
		return judgeAction(a, cmd, "adding to the stake", func(c *client.Client, ctx context.Context) (client.JudgeDone, error) {
			return c.TopUp(ctx, much)
		})
	})
}

func newStatus(a *cli.App) *cobra.Command {
	return cli.ShowMine(a, &cobra.Command{
		Use:   "status [ADDRESS]",
		Short: "Show a judge: stake, rewards, record, and what it abstained in",
		Long: `Status prints the roster's entry of the key's judge, or of the judge with that address, and which
version of the court's rules is in force. If that judge's node runs on the home, status also prints
how many cases it works on, how many wait, and since its start in how many cases it abstained, and
why.`,
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

func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the roster",
		Long: `List prints every judge of the court with stake and record. GOLDEN is how many of its votes in
golden cases were right, and how many golden cases it saw. With --json each line is an object.`,
		Example: `  ojud judge list --network http://127.0.0.1:8899
  ojud judge list --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			header := []string{"JUDGE", "STATE", "STAKE", "REWARDS", "ROUNDS", "MAJORITY", "MINORITY", "ABSENT", "GOLDEN", "MAY SIT"}
			return cli.ListAll(a, cmd, (*client.Client).Judges, "no judge has joined yet", header, func(v client.JudgeView) []string {
				return []string{
					v.Judge, v.State, v.Stake.String(), v.Rewards.String(), fmt.Sprint(v.Record.Seated), fmt.Sprint(v.Record.Majority),
					fmt.Sprint(v.Record.Minority), fmt.Sprint(v.Record.Absent), fmt.Sprintf("%d/%d of %d", v.Golden.Right, v.Golden.Right+v.Golden.Wrong, v.Golden.Seen),
					maySit(v.Golden),
				}
			})
		},
	}
}

// maySit says whether the record in golden cases lets a judge sit.
func maySit(g client.Golden) string {
	return map[bool]string{true: "yes", false: "no"}[g.Holds || !g.Asked]
}
