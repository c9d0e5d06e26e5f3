package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newCaseWatch(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "watch TASK",
		Short: "Follow a case live until it is over",
		Long: `Watch prints a line for everything that happens in a case: the draw, each commit and vote, the verdict. It ends with the case. With
--json each line is an object.`,
		Example: `  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq -r .kind`,
		Args: takes(1, "the task's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := address("the task", args[0])
			if err != nil {
				return err
			}
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				_, err := c.Watch(ctx, task, func(change client.Change) error {
					return a.show(change, func(w io.Writer) error {
						_, err := fmt.Fprintf(w, "%s  %s\n", time.Unix(change.At, 0).UTC().Format(time.TimeOnly), change.Text)
						return err
					})
				})
				return err
			})
		},
	}
}
