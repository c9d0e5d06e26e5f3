package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node"
	"ojud/node/client"
)

func newCase(a *app) *cobra.Command {
	cmd := court(a, group(&cobra.Command{
		Use:   "case",
		Short: "Look at disputes, export and verify case files",
		Long:  `A case is one dispute about a task, and is named by the task's address. A case file is its signed record, which anyone can verify offline.`,
		Example: `  ojud case list
  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 && ojud case verify 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.case.json`,
	}))
	cmd.AddCommand(newCaseList(a), newCaseShow(a), newCaseWatch(a), newCaseExport(a), newCaseVerify(a), newCaseWhy(a))
	return cmd
}

// caseText writes a case for people.
func caseText(v shown) func(io.Writer) error {
	return func(w io.Writer) error {
		var s sheet
		s.add("case", v.Case)
		s.add("status", v.Status)
		s.add("now", v.What)
		s.add("round", fmt.Sprintf("%d of at most %d", v.Round, v.MaxRounds))
		s.add("weights", fmt.Sprintf("accept %s, reject %s, abstain %s of %s seated", v.Weights.Accept, v.Weights.Reject, v.Weights.Abstain, v.Weights.Seated))
		s.add("votes", v.votes())
		s.add("opened", clock(v.OpenedAt))
		s.add("decided", clock(v.SettledAt))
		if err := s.write(w); err != nil || len(v.Seats) == 0 {
			return err
		}
		return seatTable(w, v.CaseView)
	}
}

func seatTable(out io.Writer, v client.CaseView) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, "\nSEAT\tJUDGE\tWEIGHT\tCOMMITTED\tVOTE\tRESULT\tSLASHED\tEARNED"); err != nil {
		return err
	}
	for _, s := range v.Seats {
		yes := map[bool]string{true: "yes", false: "no"}[s.Committed]
		if _, err := fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Seat, s.Judge, s.Weight, yes, s.Choice, s.Result, s.Slashed, s.Earned); err != nil {
			return err
		}
	}
	return w.Flush()
}

func newCaseList(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cases, newest first",
		Long:  `List prints the cases that are not decided, or with --all every one that is not closed; with --json one object a line.`,
		Example: `  ojud case list
  ojud case list --all --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				cases, err := c.Cases(ctx, !all)
				if err != nil {
					return err
				}
				none := "no case is open; --all shows those that are decided"
				if all {
					none = "there is no case"
				}
				return list(a, cases, none, []string{"CASE", "STATUS", "ROUND", "VERDICT", "NEXT"}, func(v client.CaseView) []string {
					return []string{v.Case, v.Status, number(uint32(v.Round)), v.Verdict, v.What}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also cases that are decided")
	return cmd
}

func newCaseShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show TASK",
		Short: "Show a case: round, seats, votes, times",
		Long: `Show prints what the chain has of the case of a task, with every seat of the round. Votes are hidden until the judges reveal.

Beside the tally it says how many independent votes the panel's are worth: judges of one model family err together. Families, dimensions
and the agreement in earlier rounds come from the node that runs on the home.`,
		Example: `  ojud case show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq '.seats[].choice'`,
		Args: takes(1, "the task's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := address("the task", args[0])
			if err != nil {
				return err
			}
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				v, err := c.Case(ctx, task)
				if err != nil {
					return err
				}
				s, err := a.panel(ctx, task, v)
				if err != nil {
					return err
				}
				return a.show(s, caseText(s))
			})
		},
	}
}

// shown is a case with what the node of the home knows of its panel.
type shown struct {
	client.CaseView
	// Panel is nil if no node runs here, if it does not know the case, or if nobody was drawn yet.
	Panel *node.PanelStatus `json:"panel,omitempty"`
	why   string            // there is no Panel
}

// panel asks the node that runs on the home how many votes the panel is worth. The case is shown without it too.
func (a *app) panel(ctx context.Context, task solana.PublicKey, v client.CaseView) (shown, error) {
	s := shown{CaseView: v}
	if len(v.Seats) == 0 {
		return s, nil
	}
	home, err := a.homeDir()
	if err != nil {
		return s, err
	}
	local, err := client.OpenLocal(home)
	var p node.PanelStatus
	if err == nil {
		p, err = local.Panel(ctx, task)
	}
	switch {
	case err == nil:
		s.Panel = &p
	case errors.Is(err, client.ErrNotRunning):
		s.why = "a node that runs here knows; start it with: ojud run"
	default:
		s.why = "the node here does not know: " + err.Error()
	}
	return s, ctx.Err()
}

// votes is the raw tally in seats, and what it is worth.
func (s shown) votes() string {
	switch {
	case len(s.Seats) == 0:
		return ""
	case s.Panel == nil:
		return fmt.Sprintf("%d for two sides; how many independent ones these are worth: %s", s.sides(), s.why)
	case !s.Panel.Cast:
		return fmt.Sprintf("%d for two sides so far; those of all %d seats would be worth %s independent ones %s",
			s.sides(), s.Panel.Votes, s.Panel.Independent, s.Panel.Basis())
	}
	return s.Panel.String()
}

// sides counts the votes for a side that the chain shows.
func (s shown) sides() (n int) {
	for _, seat := range s.Seats {
		if (seat.Choice == "accept" || seat.Choice == "reject") && !seat.Equivocated {
			n++
		}
	}
	return n
}
