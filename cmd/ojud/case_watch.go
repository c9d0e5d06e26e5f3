package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

func newCaseWatch(a *app) *cobra.Command {
	return withTask(&cobra.Command{
		Use:   "watch TASK",
		Short: "Follow a case live until it is over",
		Long: `Watch follows a case: the draw, the commits and votes of the judges, the verdict. It ends with the case.
As text it counts commits and votes. With --json it writes an object for each of them.`,
		Example: `  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq -r .kind`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			f := follower{app: a}
			_, err := c.Watch(ctx, task, f.tell)
			return err
		})
	})
}

// follower writes the changes of a case. It joins the changes of the judges into a few lines.
type follower struct {
	app   *app
	votes crowd
}

func (f *follower) tell(c client.Change) error {
	if f.app.JSON {
		return f.app.Line(c)
	}
	event := map[string]string{"committed": "Committed", "revealed": "Revealed"}[c.Kind]
	if event != "" {
		for _, text := range f.votes.add(event, c.Choice, c.Seats) {
			if err := f.write(c.At, text); err != nil {
				return err
			}
		}
		return nil
	}
	if text := f.votes.rest(); text != "" {
		if err := f.write(c.At, text); err != nil {
			return err
		}
	}
	return f.write(c.At, c.Text)
}

func (f *follower) write(at int64, text string) error {
	_, err := fmt.Fprintf(f.app.Out, "%s  %s\n", time.Unix(at, 0).UTC().Format(time.TimeOnly), text)
	return err
}
