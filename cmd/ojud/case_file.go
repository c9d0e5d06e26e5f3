package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/offline"
)

// exported is the result of "case export".
type exported struct {
	Case  string `json:"case"`
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
	// Complete means that every judge of the last round who revealed has confirmed the result in
	// it.
	Complete bool `json:"complete"`
}

func newCaseExport(a *app) *cobra.Command {
	var output string
	var patience time.Duration
	cmd := withTask(&cobra.Command{
		Use:   "export TASK",
		Short: "Write the case file of a case, from the node that runs here",
		Long: `Export asks the node that runs on the home for the case file and writes it to TASK.case.json, or to
--output ("-" is standard output). A file is complete some seconds after the decision, when the
judges' nodes have exchanged their records. Export waits for that (--wait). Every node that followed
an old case can export its file.`,
		Example: `  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --home /srv/ojud --output case.json`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		file, complete, err := a.caseFile(cmd.Context(), task, patience)
		if err != nil {
			return err
		}
		return a.writeCase(exported{Case: task.String(), File: cli.First(output, task.String()+".case.json"), Bytes: len(file), Complete: complete}, file)
	})
	cmd.Flags().StringVarP(&output, "output", "o", "", `file to write, or "-"`)
	cmd.Flags().DurationVar(&patience, "wait", 30*time.Second, "how long to wait for the records of all judges")
	return cmd
}

// caseFile gets the file. It waits for a complete file as long as the node expects one.
func (a *app) caseFile(ctx context.Context, task onchain.Address, patience time.Duration) (file []byte, complete bool, err error) {
	running, err := a.Node()
	if err != nil {
		return nil, false, err
	}
	complete, err = cli.Wait(ctx, a.App, "waiting for the judges' records", func(ctx context.Context) (bool, error) {
		return running.Await(ctx, task, patience)
	})
	if err != nil {
		return nil, false, err
	}
	file, err = cli.Wait(ctx, a.App, "putting the case file together", func(ctx context.Context) ([]byte, error) { return running.CaseFile(ctx, task) })
	return file, complete, err
}

// writeCase writes the whole file or nothing.
func (a *app) writeCase(e exported, file []byte) error {
	if !e.Complete {
		if _, err := fmt.Fprintln(a.Err, "the case is not over, or not every judge who revealed has said how it ended: the file may not verify"); err != nil {
			return err
		}
	}
	if e.File == "-" {
		return a.Content(file, false)
	}
	part := e.File + ".part"
	if err := os.WriteFile(part, file, 0o600); err != nil {
		return err
	}
	if err := os.Rename(part, e.File); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return a.Show(e, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s  %d bytes\nnext: ojud case verify %s\n", e.File, e.Bytes, e.File)
		return err
	})
}

// verified is a report with its verdict about the file.
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
		Long: `Verify checks a case file by itself: form and seal, every signature and chain, the draw, the votes
against their commitments, the tally, slashes, shares and payments. It prints a line for each check
and how many independent votes each panel was worth, and exits with 3 if any check failed. It needs
no network.

The file alone cannot show that its judges belong to a real court. --chain also compares network,
program and judges with the court of --network. It reports judges that have left since as unknown.`,
		Example: `  ojud case verify 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.case.json
  ojud case verify case.json --chain --network http://127.0.0.1:8899 --json`,
		Args: cli.Takes(1, "a case file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		report, err := a.verify(cmd, args[0], online)
		if err != nil {
			return err
		}
		v := verified{File: args[0], OK: report.OK(), Report: report}
		if err := a.Show(v, view.Report(v.File, v.Report)); err != nil {
			return err
		}
		if !v.OK {
			return cli.ErrUnverified
		}
		return nil
	}
	cmd.Flags().BoolVar(&online, "chain", false, "also compare with the court's chain")
	return cmd
}

func (a *app) verify(cmd *cobra.Command, path string, online bool) (report client.Report, err error) {
	if !online {
		return offline.Verify(path)
	}
	err = a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
		report, err = c.VerifyFile(ctx, path)
		return err
	})
	return report, err
}
