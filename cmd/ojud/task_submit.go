package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskSubmit(a *app) *cobra.Command {
	var hold bool
	cmd := &cobra.Command{
		Use:   "submit TASK RESULT.json",
		Short: "Hand in a result, and start the creator's time to answer",
		Long: `Submit puts the result's hash on the chain and brings the file to nodes. A result is any JSON that fits the task's
output_schema. It also opens the verification, with which the creator's time to answer begins (--hold leaves that to others), and
starts a task that was not started. "-" reads standard input.`,
		Example: `  ojud task submit 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 result.json --key worker.json`,
		Args:    takes(2, "the task's address", "a result file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := address("the task", args[0])
		if err != nil {
			return err
		}
		result, err := client.ResultFile(args[1])
		if err != nil {
			return err
		}
		return a.taskDeed(cmd, "submitting the result", func(ctx context.Context, c *client.Client) (client.TaskDone, error) {
			return c.Submit(ctx, task, result, !hold)
		})
	}
	cmd.Flags().BoolVar(&hold, "hold", false, "do not open the verification")
	return cmd
}
