package brain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	agentwork "ojud/agent/work"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/brainagent"
	"ojud/node/client"
	"ojud/node/megabrain"
	"ojud/node/trader"
)

func newWork(a *cli.App) *cobra.Command {
	var w work
	var leave bool
	cmd := cli.Court(a, &cobra.Command{
		Use:   "work",
		Short: "Work or evaluate by itself, without a person",
		Long: `Work runs an agent of MegaBrain. brain.toml in the home, or the file of --config, says its role:
"megabrain-worker" or "megabrain-evaluator", and its classes. It registers for them with a stake.
When it is drawn for a task, a program or a model makes the result, or scores the results. Work
checks that, commits to it, reveals it, posts outcomes, disputes an outcome that wrongs it if that
pays, and takes what it earned. docs/working.md explains each setting.

A program gets the task as JSON on standard input and writes its answer as JSON. Without a command,
the models that ojud.toml in the home names are asked, as a judge's.

It may be killed at any moment; the next start goes on, and does nothing twice. While it does not
run, it may still be drawn, and loses the stake of a task in which it says nothing. So end it with
--leave: it leaves its classes, finishes what it was drawn for, takes its stakes back, and ends. It
does the same when its budget is used up. Run no other crank on this home.`,
		Example: `  ojud brain work --home ~/thinker --key worker.json
  ojud brain work --home ~/thinker --key worker.json --leave
  ojud brain work --config scores.toml --home ~/critic --json`,
		Args: cli.Takes(0),
	})
	w.add(cmd, true)
	cmd.Flags().BoolVar(&leave, "leave", false, "leave the classes, finish, take the stakes back, and end")
	cmd.Flags().StringVar(&a.Config, "config", "", "settings file (default "+trader.BrainFile+" in the home)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return w.live(cmd, a, leave) }
	return cmd
}

// live runs an agent until a signal comes, or until it has left.
func (w *work) live(cmd *cobra.Command, a *cli.App, leave bool) (err error) {
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	path := cli.First(a.Config, filepath.Join(home, trader.BrainFile))
	plan, err := trader.ReadBrain(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return cli.Fail("there is no %s", path).Next("write it as docs/working.md shows, or name another file with --config")
	case err != nil:
		return cli.Fail("%v", err).Next("correct " + trader.BrainFile + "; docs/working.md explains each field")
	}
	a.Config = "" // it is not that of a node
	settings, err := a.Settings()
	if err != nil {
		return err
	}
	log, err := a.Logger()
	if err != nil {
		return err
	}
	tools, err := trader.OpenTools(settings.Node.Judge, settings.Node.Models, home, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tools.Close()) }()
	tell := a.Teller()
	e := brainagent.Equipment{Plan: plan, Leave: leave, Thinkers: map[onchain.Address]trader.Thinker{}, Dir: filepath.Join(home, "brain", "agent"), Tell: func(l trader.Line) { tell(l.Task, l.Text) }}
	for _, c := range plan.Classes {
		if e.Thinkers[c.At], err = tools.Thinker(c.Duty); err != nil {
			return cli.Fail("nothing works for the class %s: %v", c.At, err).Next("add [[models.list]] to ojud.toml in the home, or a command or an agent to the class")
		}
	}
	w.memory = append(w.memory, plan.Memory...)
	a.Stays.Store(true)
	return w.with(cmd, a, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, c *client.Client) (err error) {
		if e.Self, err = onchain.ParseAddress(c.Me()); err != nil {
			return err
		}
		e.Desk, e.Question = d, d.Question
		e.Embed = func(ctx context.Context, of finding.TaskClass, results map[string][]byte) (map[string]json.RawMessage, agentwork.Use, error) {
			return bought(ctx, a, of, results)
		}
		e.Appeal = func(ctx context.Context, g megabrain.Grievance) (megabrain.Contested, error) { return g.Bring(ctx, d) }
		e.AppealCosts = func(ctx context.Context, t *brain.TaskAccount, c *brain.ClassAccount) (stake, fee client.Lamports, err error) {
			return megabrain.AppealCosts(ctx, d, t, c)
		}
		agent, err := brainagent.Open(e)
		if err != nil {
			return cli.Fail("%v", err)
		}
		if !a.Quiet && !a.JSON {
			if _, err := fmt.Fprintf(a.Out, "%s is a %s; ^C ends it, and the next start goes on.\n", c.Me(), plan.Role); err != nil {
				return errors.Join(err, agent.Close())
			}
		}
		if err := errors.Join(agent.Run(ctx), agent.Close()); err != nil {
			return err
		}
		t := agent.Takings()
		sheet := view.Sheet{{"earned", t.Earned.String()}, {"lost", t.Lost.String()}, {"open", fmt.Sprintf("%d tasks", t.Open)}}
		if t.Tokens > 0 {
			sheet.Add("models", fmt.Sprintf("%d tokens, %d.%06d USD", t.Tokens, t.Micros/1e6, t.Micros%1e6))
		}
		return a.Show(t, sheet.Write)
	})
}
