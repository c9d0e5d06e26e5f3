package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
