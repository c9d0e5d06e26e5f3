package export

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/browse"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/archive"
	"ojud/node/client"
	"ojud/node/client/offline"
)

// archived is the result of "court archive".
type archived struct {
	Folder  string `json:"folder"`
	Added   int    `json:"added"`
	Present int    `json:"present"` // were there before
	// Left are cases and files that were left out, because they cannot be read or do not verify,
	// yet or at all.
	Left []left `json:"left"`
}

// left is a case or a file that was left out.
type left struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Archive returns the command "court archive".
func Archive(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive FOLDER [FILE...]",
		Short: "Write decided cases as Parquet tables, for DuckDB and the like",
		Long: `Archive adds cases to a folder of Parquet tables: cases, seats with their votes, payments, evidence.
docs/archive.md describes each column and has queries for DuckDB.

Without FILE it takes the decided cases that the court's chain still has, from the node that runs on
the home. FILE is a case file, a page or a CAR of any court. Only files that verify are added. A
case that is in the folder already stays as it is, so a second run adds what is new: let a timer run
it. If the program or the machine dies, the folder has whole cases only, and the next run adds the
rest.

If a case is left out because it cannot be read, or does not verify, or not yet, archive says why,
goes on, and exits with 3 in the end.`,
		Example: `  ojud court archive ~/court --home /srv/ojud
  ojud court archive ~/court *.case.json`,
		Args: cobra.MinimumNArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		for _, path := range args[1:] {
			if !browse.IsFile(path) {
				return cli.Fail("there is no file %s", path)
			}
		}
		folder, err := archive.Open(args[0])
		if err != nil {
			return err
		}
		done := archived{Folder: args[0], Left: []left{}}
		if len(args) > 1 {
			err = done.files(cmd.Context(), folder, args[1:])
		} else {
			err = done.court(a, cmd, folder)
		}
		if err = errors.Join(err, folder.Close()); err != nil {
			return err
		}
		if err := a.Show(done, done.write); err != nil {
			return err
		}
		if len(done.Left) > 0 {
			return cli.ErrUnverified
		}
		return nil
	}
	return cli.Court(a, cmd)
}

// files adds case files on the disk.
func (d *archived) files(ctx context.Context, folder *archive.Archive, paths []string) error {
	for _, path := range paths {
		file, err := offline.Read(path)
		if err := d.add(ctx, folder, path, file, err); err != nil {
			return err
		}
	}
	return nil
}

// court adds the cases of the chain, as the node of the home tells them.
func (d *archived) court(a *cli.App, cmd *cobra.Command, folder *archive.Archive) error {
	running, err := a.Node()
	if err != nil {
		return err
	}
	return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
		cases, err := c.Cases(ctx, false)
		if err != nil {
			return err
		}
		for _, v := range cases {
			if !v.Over {
				continue
			}
			if folder.Has(v.Case) {
				d.Present++
				continue
			}
			task, err := onchain.ParseAddress(v.Case)
			if err != nil {
				return err
			}
			file, err := running.CaseFile(ctx, task)
			if err := d.add(ctx, folder, v.Case, file, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// add adds a file, or says why it could not be read. One that cannot be added keeps none behind it
// out.
func (d *archived) add(ctx context.Context, folder *archive.Archive, what string, file []byte, unread error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if unread != nil {
		d.Left = append(d.Left, left{what, unread.Error()})
		return nil
	}
	added, err := folder.Add(file)
	switch {
	case errors.Is(err, archive.ErrUnverified):
		d.Left = append(d.Left, left{what, "it does not verify, or not yet; ojud case verify FILE says why"})
	case errors.Is(err, archive.ErrUnfit):
		d.Left = append(d.Left, left{what, err.Error()})
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case added:
		d.Added++
	default:
		d.Present++
	}
	return nil
}

// write writes the result for people.
func (d archived) write(w io.Writer) error {
	var s view.Sheet
	s.Add("folder", d.Folder)
	s.Add("added", fmt.Sprintf("%d cases", d.Added))
	s.Add("present", fmt.Sprintf("%d cases", d.Present))
	for _, l := range d.Left {
		s.Add("left out", l.What+": "+l.Why)
	}
	return s.Write(w)
}
