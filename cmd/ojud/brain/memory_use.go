package brain

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/remote"
	"ojud/node/library"
	"ojud/p2p/direct"
	"ojud/p2p/identity"
)

// asks are the flags of commands that ask a node.
type asks struct {
	node, peer, token string
	exposure          string
	wait              time.Duration
}

func (f *asks) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.node, "node", "http://127.0.0.1:4900", "address of the node, over HTTP or libp2p")
	cmd.Flags().StringVar(&f.peer, "peer", "", "did:key of the node that it must be")
	cmd.Flags().StringVar(&f.exposure, "exposure", "", "file for the proof if the node lies (default: exposure-….json in the home)")
	cmd.Flags().DurationVar(&f.wait, "wait", time.Minute, "how long the node may take")
}

// with asks the node. If it lies, the proof is saved.
func (f *asks) with(cmd *cobra.Command, a *cli.App, ask func(context.Context, *remote.Auditor) error) (err error) {
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	var want *delegation.Principal
	if f.peer != "" {
		p, err := delegation.ParsePrincipal(f.peer)
		if err != nil {
			return cli.Usage("--peer: %v", err)
		}
		want = &p
	}
	token, err := readToken(f.token)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(cmd.Context(), f.wait)
	defer stop()
	c, err := remote.Dial(ctx, f.node, want, passing)
	if err != nil {
		return cli.Fail("%v", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	dir := filepath.Join(home, "memory")
	c.Token, c.Heads = token, &remote.Heads{Dir: dir}
	return f.exposed(ask(ctx, c), dir)
}

// passing is a key for one conversation.
func passing() (direct.Key, error) {
	id, err := identity.New(rand.Reader)
	if err != nil {
		return direct.Key{}, err
	}
	return keyOf(id).direct(), nil
}

// exposed saves the proof of a lie.
func (f *asks) exposed(err error, dir string) error {
	var e *remote.Exposed
	if !errors.As(err, &e) {
		return err
	}
	d := memory.Document{Exposure: &e.Exposure}
	raw, encoded := d.Encode()
	if encoded != nil {
		return errors.Join(err, encoded)
	}
	name := f.exposure
	if name == "" {
		sum := memory.Digest(sha256.Sum256(raw))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return cli.Fail("%v", err)
		}
		name = filepath.Join(dir, fmt.Sprintf("exposure-%.16s.json", sum))
	}
	if failed := save(name, d); failed != nil {
		return errors.Join(err, failed)
	}
	return cli.Fail("%v; the proof is in %s", err, name).Next("show it to others, who check it with: ojud brain memory verify " + name)
}

// receipt shows a receipt.
func receipt(a *cli.App, in memory.Inclusion, file string) error {
	d := memory.Document{Receipt: &in}
	if file != "" {
		if err := save(file, d); err != nil {
			return err
		}
	}
	p := in.Promise
	sheet := view.Sheet{
		{"artifact", p.Hash.String()}, {"bytes", fmt.Sprint(p.Size)}, {"node", in.Head.Node.String()},
		{"kept until", stamp(p.Until)}, {"place", fmt.Sprintf("%d of %d promises", in.Index, in.Head.Size)}, {"rate", fmt.Sprintf("%d lamports for a GiB and a day", p.Rate)},
	}
	sheet.Add("receipt", file)
	return a.Show(d, sheet.Write)
}

func stamp(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

func newMemoryPut(a *cli.App) *cobra.Command {
	var f asks
	var days int64
	var file string
	cmd := &cobra.Command{
		Use:   "put FILE",
		Short: "Have a memory node keep a file",
		Long: `Put gives a file to a memory node for a term, and checks the receipt: that the node promised these
bytes, and that the promise is in its log. Keep the receipt: it proves the promise for ever. -
reads standard input. If the node promised the same bytes for that long already, put returns that
receipt.`,
		Example: `  ojud brain memory put result.json --receipt receipt.json
  ojud brain memory put result.json --days 365 --node http://10.0.0.7:4900 --token token.txt`,
		Args: cli.Takes(1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if days < 1 || days > memory.MaxTerm/memory.Day {
				return cli.Usage("--days is %d; it is 1 to %d", days, memory.MaxTerm/memory.Day)
			}
			content, err := library.ReadFile(args[0], memory.MaxArtifact)
			if err != nil {
				return cli.Usage("%v", err)
			}
			return f.with(cmd, a, func(ctx context.Context, c *remote.Auditor) error {
				in, err := c.Put(ctx, content, time.Duration(days*memory.Day)*time.Second)
				if err != nil {
					return err
				}
				return receipt(a, in, file)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().Int64Var(&days, "days", 30, "term in days")
	cmd.Flags().StringVar(&file, "receipt", "", "file for the receipt")
	cmd.Flags().StringVar(&f.token, "token", "", "file with the text that the node wants of those who put")
	return cmd
}

func newMemoryGet(a *cli.App) *cobra.Command {
	var f asks
	var out string
	cmd := &cobra.Command{
		Use:   "get HASH",
		Short: "Get an artifact from a memory node",
		Long: `Get asks a node for an artifact by its SHA-256, checks it, and writes it to standard output or to
--out. After its term an artifact is erased; prove still gives its receipt.`,
		Example: `  ojud brain memory get 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 \
      --out result.json`,
		Args: cli.Takes(1, "the SHA-256 of an artifact"),
		RunE: func(cmd *cobra.Command, args []string) error {
			hash, err := memory.ParseDigest(args[0])
			if err != nil {
				return cli.Usage("%v", err)
			}
			return f.with(cmd, a, func(ctx context.Context, c *remote.Auditor) error {
				content, err := c.Get(ctx, hash)
				if err != nil {
					return err
				}
				if out == "" {
					return a.Content(content, false)
				}
				if err := os.WriteFile(out, content, 0o600); err != nil {
					return cli.Fail("%v", err)
				}
				return nil
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "file for the artifact")
	return cmd
}

func newMemoryProve(a *cli.App) *cobra.Command {
	var f asks
	var at int64
	var file, since string
	cmd := &cobra.Command{
		Use:   "prove [HASH]",
		Short: "Get the proof that a promise is in a node's log",
		Long: `Prove asks a node for the receipt of an artifact, or with --at of the promise at a place of its
log, and checks it: the promise, the proof that it is in the log, and the signature of the head.
The receipt verifies without the node, also when the artifact is erased after its term. With
--since, prove gets the proof that the log goes on with the one that an earlier document shows.`,
		Example: `  ojud brain memory prove 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 \
      --receipt receipt.json
  ojud brain memory prove --at 0 --json
  ojud brain memory prove --since receipt.json --receipt growth.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			byPlace := cmd.Flags().Changed("at")
			if since != "" && len(args) == 0 && !byPlace {
				return f.with(cmd, a, func(ctx context.Context, c *remote.Auditor) error { return growth(ctx, a, c, since, file) })
			}
			if byPlace == (len(args) == 1) || at < 0 || since != "" {
				return cli.Usage("name one: the SHA-256 of an artifact, the place of a promise with --at, or a document with --since")
			}
			var hash memory.Digest
			if !byPlace {
				var err error
				if hash, err = memory.ParseDigest(args[0]); err != nil {
					return cli.Usage("%v", err)
				}
			}
			return f.with(cmd, a, func(ctx context.Context, c *remote.Auditor) error {
				ask := func() (memory.Inclusion, error) { return c.Prove(ctx, hash) }
				if byPlace {
					ask = func() (memory.Inclusion, error) { return c.ProveAt(ctx, at) }
				}
				in, err := ask()
				if err != nil {
					return err
				}
				return receipt(a, in, file)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().Int64Var(&at, "at", 0, "place of the promise in the log, from 0")
	cmd.Flags().StringVar(&since, "since", "", "earlier document of the node: receipt, head or audit")
	cmd.Flags().StringVar(&file, "receipt", "", "file for the proof")
	return cmd
}

// growth proves that the log of a node goes on with that of a document.
func growth(ctx context.Context, a *cli.App, c *remote.Auditor, since, file string) error {
	documents, err := readDocuments([]string{since})
	if err != nil {
		return err
	}
	heads, _ := documents[0].Shows()
	if len(heads) == 0 {
		return cli.Usage("%s shows no tree head to begin with", since)
	}
	now, err := c.Head(ctx)
	if err != nil {
		return err
	}
	g, err := c.Grown(ctx, heads[0], now)
	if err != nil {
		return err
	}
	if g == nil {
		return a.Show(now, view.Sheet{{"node", now.Node.String()}, {"log", now.String()}, {"since then", "no promise"}}.Write)
	}
	d := memory.Document{Growth: g}
	if file != "" {
		if err := save(file, d); err != nil {
			return err
		}
	}
	sheet := view.Sheet{{"node", now.Node.String()}, {"log", g.Prefix.Head.String()}, {"goes on with", g.Old.String()}}
	sheet.Add("proof", file)
	return a.Show(d, sheet.Write)
}
