package agentcard

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Retire returns the command "retire".
func Retire(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "retire",
		Short: "Stop trading: take the card off and empty the vault",
		Long: `Retire takes the agent's card off the chain, so that nobody finds it by its skills, and moves its
whole vault to the wallet. It refuses while a task of the agent is not over. The account and its
record stay: no agent is ever deleted. To trade again, deposit and update.`,
		Example: `  ojud agent retire --key worker.json`,
		Args:    cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Act(a, cmd, "retiring the agent", func(c *client.Client, ctx context.Context) (client.AgentDone, error) { return retire(ctx, c) }, func(d client.AgentDone) view.Sheet { return append(view.Sent(d.Sent), view.Agent(d.Agent)...) })
		},
	}
}

// retire takes the card of the client's agent off, and empties its vault. Each step may have been
// done before.
func retire(ctx context.Context, c *client.Client) (client.AgentDone, error) {
	agent, err := c.Agent(ctx, onchain.Address{})
	if err != nil {
		return client.AgentDone{}, err
	}
	me, err := onchain.ParseAddress(agent.Authority)
	if err != nil {
		return client.AgentDone{}, err
	}
	for _, f := range []client.Filter{{Creator: me, Live: true}, {Worker: me, Live: true}} {
		live, err := c.Tasks(ctx, f)
		if err != nil {
			return client.AgentDone{}, err
		}
		if len(live) > 0 {
			return client.AgentDone{}, cli.Fail("%s of this agent %s not over, such as %s", view.Count(len(live), "task"), isOrAre(len(live)), live[0].Task).
				Next("see what it waits for: ojud task show " + live[0].Task)
		}
	}
	done := client.AgentDone{Agent: agent}
	if agent.CardHash != "" {
		if done, err = c.Update(ctx, client.Profile{KeepOperator: true}); err != nil {
			return done, err
		}
	}
	if done.Agent.Vault > 0 {
		return c.Withdraw(ctx, done.Agent.Vault)
	}
	return done, nil
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
