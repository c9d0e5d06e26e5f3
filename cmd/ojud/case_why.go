package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/api"
	"ojud/node/client"
	"ojud/node/client/offline"
	"ojud/node/why"
)

func newCaseWhy(a *app) *cobra.Command {
	var flags cli.NodeFlags
	var file, judge string
	cmd := &cobra.Command{
		Use:   "why TASK",
		Short: "Explain why a judge was or was not drawn, voted so, was late, rewarded or slashed",
		Long: `Why explains round by round what happened to a judge in a case: whether it could be drawn and how
likely that was, what it thought, whether its commitment and its vote reached the chain and if not
why, and which rule slashed or rewarded it. Each line names a fact, and a next step if there is one.
For a running case it says what the case waits for.

It asks the node of the home, or reads the home's disk if no node runs. This node also knows facts
that are in no case file: whether it was running, whether its model answered, and what happened to
its transactions. --judge chooses another judge.

With --file it only reads a case file, offline and of any court, and says what the file does not
show. Without --judge it explains the home's judge, or without a home the judge whose node exported
the file. The exit status is 1 if nothing is known about the case.`,
		Example: `  ojud case why 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case why 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --home /srv/ojud --json \
      | jq -r '.lines[] | .code'
  ojud case why --file case.json --judge 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		who, err := cli.Address("the judge", judge)
		if err != nil {
			return err
		}
		var answer why.Explanation
		switch {
		case file != "" && len(args) > 0:
			return cli.Usage("a case file names its case: leave out TASK with --file")
		case file != "":
			answer, err = a.whyFile(file, who)
		case len(args) == 0:
			return cli.Usage("this takes the task's address, or --file")
		default:
			answer, err = a.whyHere(cmd, &flags, args[0], who)
		}
		if err != nil {
			return err
		}
		if file == "" {
			answer.Lines = append(answer.Lines, a.whyGolden(cmd, answer)...)
		}
		for i := range answer.Lines {
			answer.Lines[i].Next = a.Typed(answer.Lines[i].Next)
		}
		if err := a.Show(answer, view.Why(answer)); err != nil {
			return err
		}
		if slices.ContainsFunc(answer.Lines, func(l why.Line) bool { return l.Code == why.NoCase }) {
			return cli.Fail("nothing is known about case %s here", answer.Case).Next("ask the home of a judge of the case, or read its case file with --file")
		}
		return nil
	}
	flags.Add(a.App, cmd)
	cmd.Flags().StringVar(&file, "file", "", "a case file to read instead of asking the node")
	cmd.Flags().StringVar(&judge, "judge", "", "address of the judge (default the home's judge)")
	return cmd
}

// whyFile reads a file. If no judge is given, it explains the judge of the home, if there is one.
func (a *app) whyFile(path string, judge onchain.Address) (why.Explanation, error) {
	if judge.IsZero() {
		dir, err := a.HomeDir()
		if err != nil {
			return why.Explanation{}, err
		}
		if home, err := node.OpenHome(dir); err == nil {
			judge = home.Keys.Authority.Address()
		}
	}
	return offline.Why(path, judge)
}

// whyHere asks the node of the home. If no node runs, it reads the disk.
func (a *app) whyHere(cmd *cobra.Command, flags *cli.NodeFlags, task string, judge onchain.Address) (why.Explanation, error) {
	id, err := cli.Address("the task", task)
	if err != nil {
		return why.Explanation{}, err
	}
	home, cfg, err := a.homeWith(flags)
	if err != nil {
		return why.Explanation{}, err
	}
	log, err := a.Logger()
	if err != nil {
		return why.Explanation{}, err
	}
	return api.Why(cmd.Context(), home, cfg.Node, id, judge, log)
}

// whyGolden says that a case was golden, if the chain shows it: the node's record does not have it.
// Without a chain it says nothing, because all else stands without it.
func (a *app) whyGolden(cmd *cobra.Command, answer why.Explanation) []why.Line {
	var v client.CaseView
	err := a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) (err error) {
		v, err = c.Case(ctx, onchain.Address(answer.Case))
		return err
	})
	if err != nil || v.Golden.Answer == "" {
		return nil
	}
	return []why.Line{why.GoldenLine(goldenSeat(v, answer.Judge.String()), "the case on the chain")}
}

// goldenSeat is what the chain shows of a golden case and of a judge's seat in it.
func goldenSeat(v client.CaseView, judge string) why.GoldenSeat {
	g := why.GoldenSeat{Batch: v.Golden.Batch, Answer: v.Golden.Answer, Applied: v.Golden.Applied, InAll: true}
	if i := slices.IndexFunc(v.Seats, func(s client.SeatView) bool { return s.Judge == judge }); i >= 0 {
		s := v.Seats[i]
		g.Choice, g.Earned, g.Slashed = s.Choice, uint64(s.Earned), uint64(s.Slashed)
	}
	return g
}
