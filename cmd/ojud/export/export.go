// Package export has the commands that write case files and check them.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/casefile/car"
	"ojud/casefile/verify"
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
	// Page is about the page; nil: it is none.
	Page *offline.Page `json:"page,omitempty"`
	// CAR is about the CAR; nil: it is none.
	CAR *car.About `json:"car,omitempty"`
}

// Export returns the command "case export".
func Export(a *cli.App) *cobra.Command {
	w := writer{App: a, form: plain}
	var patience time.Duration
	var asPage, asCAR bool
	cmd := &cobra.Command{
		Use:   "export TASK | FILE",
		Short: "Write the case file of a case, a page that verifies it, or a CAR for IPFS",
		Long: `Export asks the node that runs on the home for the case file and writes it to TASK.case.json, or to
--output ("-" is standard output). A file is complete some seconds after the decision, when the
judges' nodes have exchanged their records. Export waits for that (--wait). Every node that followed
an old case can export its file.

--html writes one HTML file instead, TASK.case.html. It opens from the disk in any browser, offline:
it has the case, draws it step by step, and verifies it with the verifier that is in it. A case file
on the disk (FILE) becomes a page without a node. "ojud case verify" says whether anybody changed
the page.

--car writes a CAR, TASK.case.car, which every IPFS node can pin ("ipfs dag import"). Its root is a
folder with the case file and with each content of the case, such as results, opinions and answers
of sources. The CID of a content is CIDv1 raw of the SHA-256 that the case names it by. A FILE
becomes a CAR without a node, and a CAR or a page becomes a case file again.`,
		Example: `  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --home /srv/ojud --output case.json
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --html
  ojud case export case.json --html --output case.html
  ojud case export case.json --car
  ojud case export case.car --output case.json`,
		Args: cli.Takes(1, "the address of a task, or a case file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case asPage && asCAR:
			return cli.Usage("a file is a page or a CAR: leave out --html or --car")
		case asPage:
			w.form = html
		case asCAR:
			w.form = forIPFS
		}
		if browse.IsFile(args[0]) {
			return w.convert(args[0])
		}
		task, err := cli.Address("task", args[0])
		if err != nil {
			return err
		}
		file, complete, err := w.caseFile(cmd.Context(), task, patience)
		if err != nil {
			return err
		}
		done := exported{Case: task.String(), File: cli.First(w.output, task.String()+".case"+string(w.form)), Complete: complete}
		return w.as(done, file)
	}
	cmd.Flags().StringVarP(&w.output, "output", "o", "", `file to write, or "-"`)
	cmd.Flags().BoolVar(&asPage, "html", false, "write a page that shows and verifies the case")
	cmd.Flags().BoolVar(&asCAR, "car", false, "write a CAR, which IPFS nodes can pin")
	cmd.Flags().DurationVar(&patience, "wait", 30*time.Second, "how long to wait for the records of all judges")
	return cmd
}

// form is how a case is written, by the end of the file's name.
type form string

const (
	plain   form = ".json"
	html    form = ".html"
	forIPFS form = ".car"
)

// writer writes cases.
type writer struct {
	*cli.App
	form   form
	output string
}

// convert writes a case on the disk in another form.
func (w writer) convert(path string) error {
	was, err := offline.FormOf(path)
	if err != nil {
		return err
	}
	if w.form == plain && was == offline.CaseFile {
		return cli.Fail("%s is a case file already", path).Next("make a page of it: ojud case export " + path + " --html")
	}
	file, err := offline.Read(path)
	if err != nil {
		return err
	}
	report := verify.File(file)
	if !report.OK() {
		told := "the case file does not verify"
		if w.form == html {
			told += ", and the page will say so"
		}
		if _, err := fmt.Fprintln(w.Err, told); err != nil {
			return err
		}
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path, string(plain)), string(html)), string(forIPFS))
	return w.as(exported{Case: report.Case.String(), File: cli.First(w.output, name+string(w.form)), Complete: true}, file)
}

// as writes a case file in the form that is wanted.
func (w writer) as(e exported, file []byte) error {
	switch w.form {
	case html:
		written, about, err := offline.WritePage(file)
		if err != nil {
			return err
		}
		e.Page = &about
		return w.write(e, written)
	case forIPFS:
		written, about, err := car.Write(file)
		if err != nil {
			return err
		}
		e.CAR = &about
		return w.write(e, written)
	}
	return w.write(e, file)
}

// caseFile gets the file. It waits for a complete file as long as the node expects one.
func (w writer) caseFile(ctx context.Context, task onchain.Address, patience time.Duration) (file []byte, complete bool, err error) {
	running, err := w.Node()
	if err != nil {
		return nil, false, err
	}
	complete, err = cli.Wait(ctx, w.App, "waiting for the judges' records", func(ctx context.Context) (bool, error) {
		return running.Await(ctx, task, patience)
	})
	if err != nil {
		return nil, false, err
	}
	file, err = cli.Wait(ctx, w.App, "putting the case file together", func(ctx context.Context) ([]byte, error) { return running.CaseFile(ctx, task) })
	return file, complete, err
}

// write writes the whole file or nothing.
func (w writer) write(e exported, file []byte) error {
	e.Bytes = len(file)
	if !e.Complete {
		if _, err := fmt.Fprintln(w.Err, "the case is not over, or not every judge who revealed has said how it ended: the file may not verify"); err != nil {
			return err
		}
	}
	if e.File == "-" {
		return w.Content(file, w.form == forIPFS)
	}
	part := e.File + ".part"
	if err := os.WriteFile(part, file, 0o600); err != nil {
		return err
	}
	if err := os.Rename(part, e.File); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return w.Show(e, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "%s  %d bytes\nnext: ojud case verify %s\n", e.File, e.Bytes, e.File)
		if e.Page != nil && err == nil {
			_, err = fmt.Fprintf(out, "or open it in a browser; without its case it has the SHA-256\n  %s\n", e.Page.Hash)
		}
		if e.CAR != nil && err == nil {
			_, err = fmt.Fprintf(out, "or pin it: ipfs dag import %s; its root is\n  %s\n", e.File, e.CAR.Root)
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
	// CAR is about the CAR around the case; nil: there is none.
	CAR *car.About `json:"car,omitempty"`
	// Court is what the chain says; empty without --chain.
	Court compare.Compared `json:"court"`
	client.Report
}

// Verify returns the command "case verify".
func Verify(a *cli.App) *cobra.Command {
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

A CAR of "ojud case export --car" is hashed block by block. It must have the blocks of its case
file, no more and no less, in any order, so one that an IPFS node exported verifies, too.

The file alone cannot show that its judges belong to a real court: it may be consistent, and seven
judges of any roster can write one that is. The first lines say so, and the exit code is 0 all the
same. --chain also compares network, program and judges with the court of --network, and the verdict
with the case on the chain, or with its published verdict. If the chain has neither, or another
verdict, the file is not verified. It reports judges that have left since as unknown.`,
		Example: `  ojud case verify 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.case.json
  ojud case verify case.html
  ojud case verify case.car
  ojud case verify case.json --chain --network http://127.0.0.1:8899 --json`,
		Args: cli.Takes(1, "a case file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		report, court, err := check(a, cmd, args[0], online)
		if err != nil {
			return err
		}
		around, err := offline.CheckPage(args[0])
		if err != nil {
			return err
		}
		packed, err := offline.AboutCAR(args[0])
		if err != nil {
			return err
		}
		v := verified{CAR: packed, File: args[0], OK: report.OK() && court.Fault == "" && (around == nil || around.OK()), Page: around, Court: court, Report: report}
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
	if v.CAR != nil {
		text := fmt.Sprintf("%s: a CAR of %d blocks, each with the hash that names it; its root is %s", v.File, v.CAR.Blocks, v.CAR.Root)
		if _, err := fmt.Fprintln(w, view.Wrap(view.Escape(text), 0)); err != nil {
			return err
		}
		name = "the case in it"
	}
	return view.Report(name, v.File, v.Report, v.Court)(w)
}

// check checks a file, with --chain also against the court.
func check(a *cli.App, cmd *cobra.Command, path string, online bool) (report client.Report, court compare.Compared, err error) {
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
