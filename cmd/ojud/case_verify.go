package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

// verified is the report with its conclusion.
type verified struct {
	File string `json:"file"`
	OK   bool   `json:"ok"`
	client.Report
}

func newCaseVerify(a *app) *cobra.Command {
	var online bool
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a case file, offline",
		Long: `Verify checks a case file by itself: form and seal, every signature and chain, the draw, the votes against their commitments, the tally,
slashes, shares and payments. It prints a line for each check and how many independent votes each panel's were worth, and exits with 3 if
any check failed. It needs no network.

The file alone cannot show that its judges are those of a real court: --chain also compares network, program and judges with the
court of --network. Judges who have left since are then reported as unknown.`,
		Example: `  ojud case verify 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.case.json
  ojud case verify case.json --chain --network http://127.0.0.1:8899 --json`,
		Args: takes(1, "a case file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		report, err := a.verify(cmd, args[0], online)
		if err != nil {
			return err
		}
		v := verified{File: args[0], OK: report.OK(), Report: report}
		if err := a.show(v, reportText(v)); err != nil {
			return err
		}
		if !v.OK {
			return errUnverified
		}
		return nil
	}
	cmd.Flags().BoolVar(&online, "chain", false, "also compare with the court's chain")
	return cmd
}

func (a *app) verify(cmd *cobra.Command, path string, online bool) (report client.Report, err error) {
	if !online {
		return client.VerifyFile(path)
	}
	err = a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
		report, err = c.VerifyFile(ctx, path)
		return err
	})
	return report, err
}

func reportText(v verified) func(io.Writer) error {
	return func(w io.Writer) error {
		word := map[bool]string{true: "verified", false: "NOT VERIFIED"}[v.OK]
		_, err := fmt.Fprintf(w, "%s\n%s: %s\n", v.Report.String(), v.File, word)
		return err
	}
}
