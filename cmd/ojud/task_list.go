package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskList(a *app) *cobra.Command {
	var creator, worker, status string
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tasks, newest first",
		Long:  `List prints the tasks that are not over, or with --all every one; with --json one object a line.`,
		Example: `  ojud task list --status created
  ojud task list --creator 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --all --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := client.Filter{Status: status, Live: !all && status == ""}
			var err error
			if f.Creator, err = address("--creator", creator); err != nil {
				return err
			}
			if f.Worker, err = address("--worker", worker); err != nil {
				return err
			}
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				tasks, err := c.Tasks(ctx, f)
				if err != nil {
					return err
				}
				none := "no such task"
				if f.Live {
					none = "no such task is open; --all shows those that are over"
				}
				return list(a, tasks, none, []string{"TASK", "STATUS", "REWARD", "NEXT"}, func(v client.TaskView) []string {
					return []string{v.Task, v.Status, v.Price.String(), moveText(v.Move)}
				})
			})
		},
	}
	cmd.Flags().StringVar(&creator, "creator", "", "address of the creator")
	cmd.Flags().StringVar(&worker, "worker", "", "address of the worker")
	cmd.Flags().StringVar(&status, "status", "", strings.Join(client.TaskStatuses(), ", "))
	cmd.Flags().BoolVar(&all, "all", false, "also tasks that are over")
	return cmd
}
