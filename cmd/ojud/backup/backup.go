// Package backup has the commands that keep a node's home in a file and make a home of it again.
package backup

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node"
	"ojud/node/backup"
)

// Command returns the command "node" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "node",
		Short: "Back up and restore the home of a node",
		Long: `A backup is one file with the whole home of a node: keys, settings, journal, content. It can take
the stake, as the keys can. docs/install.md says when to make one.`,
		Example: `  ojud node backup /mnt/usb/judge.tar.gz
  ojud node restore /mnt/usb/judge.tar.gz --home ~/judge`,
	})
	cmd.AddCommand(newBackup(a), newRestore(a))
	return cmd
}

// done is the result of both commands.
type done struct {
	File    string    `json:"file"`
	Home    string    `json:"home"`
	Judge   string    `json:"judge"`
	NodeID  string    `json:"agent_id"`
	Network string    `json:"network"`
	Made    time.Time `json:"made"`
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"` // of the files
	Left    []string  `json:"left_out,omitempty"`
}

func show(a *cli.App, file, home string, m backup.Manifest, next string) error {
	d := done{file, home, m.Judge, m.NodeID, m.Network, m.Made, len(m.Files), m.Bytes, m.Left}
	return a.Show(d, func(w io.Writer) error {
		s := view.Sheet{
			{"file", file}, {"home", home}, {"judge", d.Judge}, {"court", d.Network}, {"made", d.Made.Format(time.RFC3339)},
			{"files", fmt.Sprintf("%d, %d bytes", d.Files, d.Bytes)},
		}
		if len(d.Left) > 0 {
			s = append(s, [2]string{"left out", fmt.Sprintf("%.1000q, which are of no use in another home", d.Left)})
		}
		s = append(s, [2]string{"next", a.Typed(next)})
		return s.Write(w)
	})
}

func newBackup(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the whole home into one new file",
		Long: `Backup writes every file of the home into one archive: keys, settings, journal, content, and files
of yours, executable ones as such. It leaves out its own locks and the address of the node, and
says so. It refuses while a node, an agent host or another program uses the home, because the copy
would be of no single moment: stop it, make the backup, and start it again. A judge that is away for
seconds loses nothing. The file is readable by you alone. It has the keys, so keep it as you keep
them.`,
		Example: `  ojud node backup /mnt/usb/judge.tar.gz
  ojud node backup judge.tar.gz --home /srv/ojud --json`,
		Args: cli.Takes(1, "a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.HomeDir()
			if err != nil {
				return err
			}
			h, err := node.OpenHome(dir)
			if err != nil {
				return err
			}
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			if cfg.Node.Journal.Dir != "" || cfg.Node.Blobs.Dir != "" {
				return cli.Fail("the settings journal.dir and blobs.dir put parts of this node outside of its home, and a backup has the home alone").
					Next("stop the node, and copy all these folders yourself")
			}
			over := a.Waiting("reading the home")
			m, err := backup.Write(h, args[0], time.Now())
			over()
			if err != nil {
				return err
			}
			return show(a, args[0], h.Dir, m, "ojud node restore "+args[0]+" --home DIR")
		},
	}
}

func newRestore(a *cli.App) *cobra.Command {
	const gib = 1 << 30
	most := int64(backup.DefaultMost / gib)
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a home from a backup",
		Long: `Restore makes the home from a backup. The home must be missing or empty: it is never mixed with
another one. Use it only if the old node never runs again, because two copies can lose the stake.

The restored node does not know what the old one signed after the backup. In rounds that were drawn
before it starts it asks the chain and the other judges, and signs only if enough of them know of no
vote of it. So at worst it is absent in a round, and does not sign twice. It also forgot what it
spent and paid since, by "ojud mcp --spend" and under delegations.

A backup that unpacks to more than --most-gib, or to more than the disk has free, is refused before
anything is written.`,
		Example: `  ojud node restore /mnt/usb/judge.tar.gz --home ~/judge
  ojud node restore judge.tar.gz --home /srv/ojud --most-gib 64
  ojud run --home ~/judge`,
		Args: cli.Takes(1, "a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.HomeDir()
			if err != nil {
				return err
			}
			if dir, err = filepath.Abs(dir); err != nil {
				return err
			}
			if most < 1 || most > math.MaxInt64/gib {
				return cli.Usage("--most-gib is a number from 1")
			}
			over := a.Waiting("unpacking the backup")
			m, err := backup.Restore(args[0], dir, most*gib)
			over()
			if errors.Is(err, backup.ErrDamaged) {
				return cli.Fail("%s", cli.Plain(err)).Next("nothing was restored; take another backup, or join with node.key and authority.json alone")
			}
			if errors.Is(err, backup.ErrLarge) {
				return cli.Fail("%s", cli.Plain(err)).Next("nothing was restored; if you made this backup, make room, or raise --most-gib")
			}
			if err != nil {
				return err
			}
			return show(a, args[0], dir, m, "ojud run --home "+dir)
		},
	}
	cmd.Flags().Int64Var(&most, "most-gib", most, "how much the backup may unpack to, in GiB")
	return cmd
}
