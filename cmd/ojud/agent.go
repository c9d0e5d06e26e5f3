package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	card "ojud/casefile/agentcard"
	"ojud/cmd/ojud/agentcard"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/delegation"
	"ojud/cmd/ojud/holdings"
	"ojud/cmd/ojud/talk"
	"ojud/cmd/ojud/trade"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
)

func newAgent(a *app) *cobra.Command {
	cmd := cli.Court(a.App, cli.Group(&cobra.Command{
		Use:   "agent",
		Short: "Register as an agent and keep its vault: creators and workers are agents",
		Long: `An agent trades work. Rewards and bonds come from the vault of its account and return there. Its
wallet (the key's own lamports) pays fees.`,
		Example: `  ojud agent register --create-key --key creator.json --network http://127.0.0.1:8899
  ojud agent deposit 5sol --key creator.json`,
	}))
	cmd.AddCommand(newAgentRegister(a), newAgentUpdate(a), newAgentDeposit(a), newAgentWithdraw(a), newAgentShow(a), newAgentList(a), agentcard.Retire(a.App), agentcard.Find(a.App), agentcard.Command(a.App), delegation.Delegate(a.App), delegation.Group(a.App), delegation.Audit(a.App), trade.Work(a.App), trade.Post(a.App), talk.Command(a.App), talk.Meet(a.App), holdings.Command(a.App), holdings.Tokens(a.App))
	return cmd
}

// agentAction runs an action on the key's own agent, and shows the agent.
func (a *app) agentAction(cmd *cobra.Command, what string, do func(*client.Client, context.Context) (client.AgentDone, error)) error {
	return cli.Act(a.App, cmd, what, do, func(d client.AgentDone) view.Sheet { return append(view.Sent(d.Sent), view.Agent(d.Agent)...) })
}

// profileFlags describe an agent.
type profileFlags struct {
	operator, card string
	keep           bool
	signed         *card.Signed // that --card names
}

func (p *profileFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.operator, "operator", "", "key file of the agent's operator, which signs, too; its judges are never drawn into the agent's cases")
	cmd.Flags().StringVar(&p.card, "card", "", "file of the agent's signed card (ojud agent card sign); the chain gets its SHA-256, and nodes get the card")
}

func (p *profileFlags) profile(a *app) (out client.Profile, err error) {
	if p.keep && p.operator != "" {
		return out, cli.Usage("--operator names an operator and --keep-operator keeps the present one: give one of them")
	}
	out.KeepOperator = p.keep
	if out.Operator, err = cli.Operator(p.operator); err != nil || p.card == "" {
		return out, err
	}
	signed, err := agentcard.Own(a.App, p.card)
	out.CardHash, p.signed = signed.Hash, &signed
	return out, err
}

// publish brings the card of the flags to nodes.
func (p *profileFlags) publish(a *app, cmd *cobra.Command, agent client.AgentView) error {
	if p.signed == nil {
		return nil
	}
	return agentcard.Bring(a.App, cmd, *p.signed, p.card, agent)
}

func newAgentRegister(a *app) *cobra.Command {
	var profile profileFlags
	var deposit cli.Amount
	var create, drop bool
	cmd := &cobra.Command{
		Use:   "register",
		Short: "Make a key an agent, with a first deposit",
		Long: `Register makes the agent account of the key. --deposit moves lamports from the wallet into the vault
in the same transaction. If the key is registered already, it only fills the vault up to the amount,
so you may repeat the command. --create-key makes the key file if there is none. --airdrop asks the
faucet of a test court for the deposit and 1 SOL for fees if the wallet has less.`,
		Example: `  ojud agent register --create-key --airdrop --deposit 5sol --key creator.json \
      --network http://127.0.0.1:8899
  ojud agent register --key ~/.config/solana/id.json --operator operator.json`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := profile.profile(a)
		if err != nil {
			return err
		}
		if create {
			if err := a.CreateKey(); err != nil {
				return err
			}
		}
		var now client.AgentDone
		err = a.agentAction(cmd, "registering the agent", func(c *client.Client, ctx context.Context) (client.AgentDone, error) {
			if drop {
				if err := a.fund(ctx, c, deposit.Lamports+joinFees); err != nil {
					return client.AgentDone{}, err
				}
			}
			now, err = c.Register(ctx, p, deposit.Lamports)
			return now, err
		})
		if err != nil {
			return err
		}
		return profile.publish(a, cmd, now.Agent)
	}
	profile.add(cmd)
	cmd.Flags().Var(&deposit, "deposit", "first deposit into the vault, such as 5sol")
	cmd.Flags().BoolVar(&create, "create-key", false, "make the key file if there is none")
	cmd.Flags().BoolVar(&drop, "airdrop", false, "get the missing lamports from the faucet of a test court")
	return cmd
}

func newAgentUpdate(a *app) *cobra.Command {
	var profile profileFlags
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Replace operator and card of the agent",
		Long: `Update replaces both operator and card of the agent by those of the flags. A missing flag removes
the old value, and --keep-operator keeps the operator, which need not sign again. A new operator
signs with its key file. The card is brought to nodes, so that others find the agent. A task keeps
the operator that the agent had when it created or claimed the task.`,
		Example: `  ojud agent update --card signed.json --operator operator.json --key worker.json
  ojud agent update --card signed.json --keep-operator --key worker.json`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := profile.profile(a)
		if err != nil {
			return err
		}
		var now client.AgentDone
		err = a.agentAction(cmd, "updating the agent", func(c *client.Client, ctx context.Context) (client.AgentDone, error) {
			now, err = c.Update(ctx, p)
			return now, err
		})
		if err != nil {
			return err
		}
		return profile.publish(a, cmd, now.Agent)
	}
	profile.add(cmd)
	cmd.Flags().BoolVar(&profile.keep, "keep-operator", false, "keep the operator that the agent has")
	return cmd
}

func newAgentDeposit(a *app) *cobra.Command {
	var upTo bool
	cmd := cli.WithAmount(&cobra.Command{
		Use:   "deposit AMOUNT",
		Short: "Move lamports from the wallet into the vault",
		Long: `Deposit moves lamports from the key's wallet into the agent's vault, and waits until that is final.
Each run deposits again. With --up-to it only fills the vault up to AMOUNT, so a script may repeat
it.`,
		Example: `  ojud agent deposit 5sol --key creator.json
  ojud agent deposit 5sol --up-to --key creator.json`,
	}, func(cmd *cobra.Command, much client.Lamports) error {
		return a.agentAction(cmd, "depositing", func(c *client.Client, ctx context.Context) (client.AgentDone, error) {
			if upTo {
				return c.DepositUpTo(ctx, much)
			}
			return c.Deposit(ctx, much)
		})
	})
	cmd.Flags().BoolVar(&upTo, "up-to", false, "only fill the vault up to AMOUNT")
	return cmd
}

func newAgentWithdraw(a *app) *cobra.Command {
	return cli.WithAmount(&cobra.Command{
		Use:   "withdraw AMOUNT",
		Short: "Move lamports from the vault to the wallet",
		Long: `Withdraw moves lamports from the agent's vault to the key's wallet, and waits until that is final.
Each run withdraws again. The vault does not include the escrows and bonds of tasks.`,
		Example: `  ojud agent withdraw 0.5sol --key worker.json`,
	}, func(cmd *cobra.Command, much client.Lamports) error {
		return a.agentAction(cmd, "withdrawing", func(c *client.Client, ctx context.Context) (client.AgentDone, error) {
			return c.Withdraw(ctx, much)
		})
	})
}

func newAgentShow(a *app) *cobra.Command {
	return cli.ShowMine(a.App, &cobra.Command{
		Use:   "show [ADDRESS]",
		Short: "Show an agent: vault, wallet, record",
		Long:  `Show prints the chain's data about the key's own agent, or about the agent with that address.`,
		Example: `  ojud agent show --key creator.json
  ojud agent show 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --json`,
	}, "the agent", (*client.Client).Agent, view.Agent)
}

func newAgentList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List all agents of the court",
		Long:  `List prints every registered agent with its vault and record. With --json each line is an object.`,
		Example: `  ojud agent list --network http://127.0.0.1:8899
  ojud agent list --json | jq -r .authority`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			header := []string{"AGENT", "VAULT", "CREATED", "PAID", "MISSED", "WON", "LOST"}
			return cli.ListAll(a.App, cmd, (*client.Client).Agents, "no agent is registered yet", header, func(v client.AgentView) []string {
				return []string{
					v.Authority, v.Vault.String(), fmt.Sprint(v.TasksCreated), fmt.Sprint(v.TasksPaid), fmt.Sprint(v.TasksMissed),
					fmt.Sprint(v.CasesWon), fmt.Sprint(v.CasesLost),
				}
			})
		},
	}
}
