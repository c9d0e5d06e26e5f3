package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newAgent(a *app) *cobra.Command {
	cmd := court(a, group(&cobra.Command{
		Use:   "agent",
		Short: "Register as an agent and keep its vault: creators and workers are agents",
		Long: `An agent trades work. Its account holds a vault, from which rewards and bonds are taken and into which they are paid; its
wallet (the key's own lamports) pays fees.`,
		Example: `  ojud agent register --create-key --key creator.json --network http://127.0.0.1:8899
  ojud agent deposit 5sol --key creator.json`,
	}))
	cmd.AddCommand(newAgentRegister(a), newAgentUpdate(a), newAgentDeposit(a), newAgentWithdraw(a), newAgentShow(a), newAgentList(a))
	return cmd
}

// agentDeed runs an action on the key's own agent and shows the agent afterwards.
func (a *app) agentDeed(cmd *cobra.Command, what string, act func(context.Context, *client.Client) (client.AgentDone, error)) error {
	return a.with(cmd, withKey, func(ctx context.Context, c *client.Client) error {
		done, err := wait(ctx, a, what, func(ctx context.Context) (client.AgentDone, error) { return act(ctx, c) })
		if err != nil {
			return err
		}
		return a.show(done, func(w io.Writer) error {
			s := sent(done.Sent)
			return append(s, agentSheet(done.Agent)...).write(w)
		})
	})
}

// sent says what became of a transaction.
func sent(d client.Sent) sheet {
	var s sheet
	switch {
	case d.Signature != "":
		s.add("done", "transaction "+d.Signature)
	default:
		s.add("done", "it was done already, nothing was sent")
	}
	return s
}

func agentSheet(v client.AgentView) sheet {
	var s sheet
	s.add("agent", v.Authority)
	s.add("vault", v.Vault.String())
	if v.Wallet != nil {
		s.add("wallet", v.Wallet.String())
	}
	s.add("operator", v.Operator)
	s.add("card", v.CardHash)
	s.add("tasks", fmt.Sprintf("%d created, %d claimed, %d paid, %d missed", v.TasksCreated, v.TasksClaimed, v.TasksPaid, v.TasksMissed))
	s.add("cases", fmt.Sprintf("%d won, %d lost", v.CasesWon, v.CasesLost))
	return s
}
