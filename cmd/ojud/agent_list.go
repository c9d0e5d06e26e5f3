package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newAgentList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List all agents of the court",
		Long:  `List prints every registered agent with its vault and record; with --json one object a line.`,
		Example: `  ojud agent list --network http://127.0.0.1:8899
  ojud agent list --json | jq -r .authority`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				all, err := c.Agents(ctx)
				if err != nil {
					return err
				}
				header := []string{"AGENT", "VAULT", "CREATED", "PAID", "MISSED", "WON", "LOST"}
				return list(a, all, "no agent is registered yet", header, func(v client.AgentView) []string {
					return []string{
						v.Authority, v.Vault.String(), strconv.FormatUint(v.TasksCreated, 10), number(v.TasksPaid), number(v.TasksMissed),
						number(v.CasesWon), number(v.CasesLost),
					}
				})
			})
		},
	}
}

func number(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
