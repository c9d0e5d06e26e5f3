package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/browse"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/export"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/api"
	"ojud/node/client"
	"ojud/node/dispute"
	"ojud/node/record"
)

func newCase(a *app) *cobra.Command {
	cmd := cli.Court(a.App, cli.Group(&cobra.Command{
		Use:   "case",
		Short: "Look at disputes, export and verify case files",
		Long: `A case is one dispute about a task. Its name is the task's address. A case file is its signed
record. Anyone can verify it offline.`,
		Example: `  ojud case list
  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      && ojud case verify 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.case.json`,
	}))
	cmd.AddCommand(newCaseList(a), newCaseShow(a), newCaseWatch(a), export.Export(a.App), export.Verify(a.App), browse.Serve(a.App), newCaseWhy(a), newCaseVerdict(a),
		newCaseAppeal(a), newCaseWaive(a))
	return cmd
}

func newCaseList(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cases, newest first",
		Long: `List prints the cases that are not decided, or with --all every case that is not closed. With --json
each line is an object.`,
		Example: `  ojud case list
  ojud case list --all --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			none := "no case is open; --all shows those that are decided"
			if all {
				none = "there is no case"
			}
			get := func(c *client.Client, ctx context.Context) ([]client.CaseView, error) { return c.Cases(ctx, !all) }
			return cli.ListAll(a.App, cmd, get, none, []string{"CASE", "STATUS", "ROUND", "VERDICT", "NEXT"}, func(v client.CaseView) []string {
				return []string{v.Case, v.Status, fmt.Sprint(v.Round), v.Verdict, v.What}
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also decided cases")
	return cmd
}

func newCaseShow(a *app) *cobra.Command {
	return withTask(&cobra.Command{
		Use:   "show TASK",
		Short: "Show a case: round, seats, votes, times",
		Long: `Show prints the chain's data about the case of a task, with every seat of the round. Votes are
hidden until the judges reveal them.

Beside the tally it prints how many independent votes the panel is worth, because judges of one
model family err together. Families, dimensions and the agreement in earlier rounds come from the
node of the home, if it runs.`,
		Example: `  ojud case show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq '.seats[].choice'`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			v, err := c.Case(ctx, task)
			if err != nil {
				return err
			}
			words, err := dispute.Sides(ctx, c, task)
			if err != nil {
				return err
			}
			v.What = words(v.What)
			s, err := a.panel(ctx, task, v)
			if err != nil {
				return err
			}
			return a.Show(s, view.Case(s))
		})
	})
}

// panel asks the node on this home how many votes the panel is worth. The case is shown even if
// panel fails.
func (a *app) panel(ctx context.Context, task onchain.Address, v client.CaseView) (view.CaseWithPanel, error) {
	s := view.CaseWithPanel{CaseView: v}
	if len(v.Seats) == 0 {
		return s, nil
	}
	running, err := a.Node()
	var p record.PanelStatus
	if err == nil {
		p, err = running.Panel(ctx, task)
	}
	switch {
	case err == nil:
		s.Panel = &p
	case errors.Is(err, api.ErrNotRunning):
		s.Missing = a.Typed("a node that runs here also tells how many independent votes they are worth; start it with: ojud run")
	default:
		s.Missing = "the node here does not know how many independent votes they are worth: " + err.Error()
	}
	return s, ctx.Err()
}

func newCaseWatch(a *app) *cobra.Command {
	return withTask(&cobra.Command{
		Use:   "watch TASK",
		Short: "Follow a case live until it is over",
		Long: `Watch follows a case: the draw, the commits and votes of the judges, the verdict. It begins with
what has happened, at the times of the chain as far as the RPC node still tells them, and ends with
the case. If nothing happens, it says every 30 seconds what the case waits for. As text it counts
commits and votes. With --json it writes an object for each of them.`,
		Example: `  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq -r .kind`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			words, err := dispute.Sides(ctx, c, task)
			if err != nil {
				return err
			}
			f := follower{app: a, words: words}
			v, err := c.Watch(ctx, task, f.tell)
			if err != nil || a.JSON {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "why       the reasons of the judges: ojud open %s, or ojud case export %s\n", v.Case, v.Case)
			return err
		})
	})
}

// follower writes the changes of a case. It joins the changes of the judges into a few lines.
type follower struct {
	app   *app
	votes crowd
	words func(string) string // for the sides of the case; nil: those of a task
}

func (f *follower) tell(c client.Change) error {
	if f.words != nil {
		c.Text = f.words(c.Text)
	}
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
	if c.Kind == "drawn" {
		f.votes = crowd{}
	}
	return f.write(c.At, c.Text)
}

func (f *follower) write(at int64, text string) error {
	when := "earlier " // the node does not tell it any more
	if at > 0 {
		when = time.Unix(at, 0).UTC().Format(time.TimeOnly)
	}
	_, err := fmt.Fprintf(f.app.Out, "%s  %s\n", when, text)
	return err
}
