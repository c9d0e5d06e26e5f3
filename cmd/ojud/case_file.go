package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/browse"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/compare"
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
	// Page is about the page; nil: it is a case file.
	Page *offline.Page `json:"page,omitempty"`
}

func newCaseExport(a *app) *cobra.Command {
	var output string
	var patience time.Duration
	var asPage bool
	cmd := &cobra.Command{
		Use:   "export TASK | FILE",
		Short: "Write the case file of a case, or a page that shows and verifies it",
		Long: `Export asks the node that runs on the home for the case file and writes it to TASK.case.json, or to
--output ("-" is standard output). A file is complete some seconds after the decision, when the
judges' nodes have exchanged their records. Export waits for that (--wait). Every node that followed
an old case can export its file.

--html writes one HTML file instead, TASK.case.html. It opens from the disk in any browser, offline:
it has the case, draws it step by step, and verifies it with the verifier that is in it. A case file
on the disk (FILE) becomes a page without a node. "ojud case verify" says whether anybody changed
the page.`,
		Example: `  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --home /srv/ojud --output case.json
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --html
  ojud case export case.json --html --output case.html`,
		Args: cli.Takes(1, "the address of a task, or a case file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if browse.IsFile(args[0]) {
			return a.convert(args[0], output, asPage)
		}
		task, err := cli.Address("task", args[0])
		if err != nil {
			return err
		}
		file, complete, err := a.caseFile(cmd.Context(), task, patience)
		if err != nil {
			return err
		}
		done := exported{Case: task.String(), File: cli.First(output, task.String()+".case.json"), Complete: complete}
		if asPage {
			done.File = cli.First(output, task.String()+".case.html")
			return a.writePage(done, file)
		}
		return a.writeCase(done, file)
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", `file to write, or "-"`)
	cmd.Flags().BoolVar(&asPage, "html", false, "write a page that shows and verifies the case")
	cmd.Flags().DurationVar(&patience, "wait", 30*time.Second, "how long to wait for the records of all judges")
	return cmd
}

// convert makes a page of a case file on the disk.
func (a *app) convert(path, output string, asPage bool) error {
	if !asPage {
		return cli.Fail("%s is a case file already", path).Next("make a page of it: ojud case export " + path + " --html")
	}
	file, err := offline.Read(path)
	if err != nil {
		return err
	}
	report, err := offline.Verify(path)
	if err != nil {
		return err
	}
	if !report.OK() {
		if _, err := fmt.Fprintln(a.Err, "the case file does not verify, and the page will say so"); err != nil {
			return err
		}
	}
	return a.writePage(exported{Case: report.Case.String(), File: cli.First(output, strings.TrimSuffix(path, ".json")+".html"), Complete: true}, file)
}

// writePage writes the page of a case file.
func (a *app) writePage(e exported, file []byte) error {
	written, about, err := offline.WritePage(file)
	if err != nil {
		return err
	}
	e.Page = &about
	return a.writeCase(e, written)
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
	e.Bytes = len(file)
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
		if e.Page != nil && err == nil {
			_, err = fmt.Fprintf(w, "or open it in a browser; without its case it has the SHA-256\n  %s\n", e.Page.Hash)
		}
		return err
	})
}

// verified is a report with its verdict about the file.
type verified struct {
	File string `json:"file"`
	OK   bool   `json:"ok"`
	// Page is about the page around the case; nil: there is none.
	Page *offline.Page `json:"page,omitempty"`
	// Court is what the chain says; empty without --chain.
	Court compare.Compared `json:"court"`
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

A page of "ojud case export --html" is taken apart, written again by this program, and compared: a
byte that anybody changed is named, and the page does not verify. A program that was built without
the pages ("go build" instead of "make build") cannot compare them. It says so, checks the case, and
exits with 3 because the page was not compared.

The file alone cannot show that its judges belong to a real court: it may be consistent, and seven
judges of any roster can write one that is. The first lines say so, and the exit code is 0 all the
same. --chain also compares network, program and judges with the court of --network, and the verdict
with the case on the chain, or with its published verdict. If the chain has neither, or another
verdict, the file is not verified. It reports judges that have left since as unknown.`,
		Example: `  ojud case verify 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.case.json
  ojud case verify case.html
  ojud case verify case.json --chain --network http://127.0.0.1:8899 --json`,
		Args: cli.Takes(1, "a case file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		report, court, err := a.verify(cmd, args[0], online)
		if err != nil {
			return err
		}
		around, err := offline.CheckPage(args[0])
		if err != nil {
			return err
		}
		v := verified{File: args[0], OK: report.OK() && court.Fault == "" && (around == nil || around.OK()), Page: around, Court: court, Report: report}
		if err := a.Show(v, v.write); err != nil {
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

// write writes the report for people. The page comes first, because it is around the case.
func (v verified) write(w io.Writer) error {
	name := v.File
	if v.Page != nil {
		text := v.File + ": " + v.Page.Heading() + v.Page.Words()
		if _, err := fmt.Fprintln(w, view.Wrap(view.Escape(text), 0)); err != nil {
			return err
		}
		name = "the case in it"
	}
	return view.Report(name, v.File, v.Report, v.Court)(w)
}

func (a *app) verify(cmd *cobra.Command, path string, online bool) (report client.Report, court compare.Compared, err error) {
	if !online {
		report, err = offline.Verify(path)
		return report, court, err
	}
	err = a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
		report, court, err = c.VerifyFile(ctx, path)
		return err
	})
	return report, court, err
}
