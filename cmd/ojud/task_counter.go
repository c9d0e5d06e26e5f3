package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskCounter(a *app) *cobra.Command {
	return plead(a, &cobra.Command{
		Use:   "counter-object TASK --reason TEXT",
		Short: "Stand by the result: the court decides",
		Long: `Counter-object opens a case: judges are drawn and decide within minutes. It takes a bond from the vault, which is lost if the
court finds for the creator, and rent from the wallet that comes back when the case is closed.`,
		Example: `  ojud task counter-object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --reason "Line 3 has five stripes." --key worker.json
  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2`,
	}, "opening a case", client.CounterObjectionFile, func(ctx context.Context, c *client.Client, task solana.PublicKey, doc client.Document, exhibits []client.Document) (client.TaskDone, error) {
		return c.CounterObject(ctx, task, doc, exhibits...)
	})
}
