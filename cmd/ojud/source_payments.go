package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ojud/node"
	"ojud/node/client"
)

func newSourcePayments(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "payments",
		Short: "Tell what was earned and paid for data, and who owes",
		Long: `Payments asks the node that runs on the home what judges have paid for its answers, what waits to be drawn from their vaults, which
answers were not paid for, and what the node itself has paid others.`,
		Example: `  ojud source payments
  ojud source payments --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := a.homeDir()
			if err != nil {
				return err
			}
			local, err := client.OpenLocal(home)
			if err != nil {
				return err
			}
			p, err := wait(cmd.Context(), a, "asking the node", func(ctx context.Context) (node.Payments, error) { return local.Payments(ctx) })
			if err != nil {
				return err
			}
			return a.show(p, func(w io.Writer) error { return writePayments(w, p) })
		},
	}
}

// writePayments writes what there is to say, and nothing about what there is not.
func writePayments(w io.Writer, p node.Payments) error {
	var s sheet
	if p.Problem == "" {
		s.add("vault", client.Lamports(p.Vault).Argument())
	} else {
		s.add("vault", "not known: "+plain(errors.New(p.Problem)))
	}
	if err := s.write(w); err != nil {
		return err
	}
	var earned, owed, spent [][]string
	for _, e := range p.Earned {
		earned = append(earned, []string{fmt.Sprint(e.Answers), client.Lamports(e.Earned).Argument(), client.Lamports(e.Pulled).Argument(), client.Lamports(e.Waiting).Argument(), until(e.Expires),
			client.Lamports(e.Lost).Argument(), e.Judge.String()})
	}
	for _, o := range p.Owed {
		owed = append(owed, []string{client.Lamports(o.Price).Argument(), time.Unix(o.At, 0).UTC().Format(time.DateTime), fmt.Sprint(o.Round), o.Case.String(), o.Judge.String()})
	}
	for _, e := range p.Spent {
		payee := e.Payee.String()
		if e.Payee == [32]byte{} {
			payee = "not known"
		}
		spent = append(spent, []string{fmt.Sprint(e.Answers), client.Lamports(e.Billed).Argument(), client.Lamports(e.Paid).Argument(), client.Lamports(e.Open).Argument(), until(e.Expires),
			client.Lamports(e.Due).Argument(), payee})
	}
	return errors.Join(
		section(w, "paid by judges", earned, "ANSWERS\tEARNED\tDRAWN\tWAITING\tUNTIL\tLOST\tJUDGE"),
		section(w, "not paid", owed, "PRICE\tSINCE\tROUND\tCASE\tJUDGE"),
		section(w, "paid to holders", spent, "ANSWERS\tBILLED\tDRAWN\tPROMISED\tUNTIL\tDUE\tHOLDER"),
	)
}

// section writes a table under a title, or that it is empty.
func section(w io.Writer, title string, rows [][]string, header string) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintf(w, "\n%s: nothing\n", title)
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", title); err != nil {
		return err
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(out, header); err != nil {
		return err
	}
	for _, row := range rows {
		for i, cell := range row {
			end := "\t"
			if i == len(row)-1 {
				end = "\n"
			}
			if _, err := fmt.Fprint(out, cell, end); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func until(at int64) string {
	if at == 0 {
		return "-"
	}
	return time.Unix(at, 0).UTC().Format(time.DateTime)
}
