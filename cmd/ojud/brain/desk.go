package brain

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/remote"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// work has the flags of commands that act on the chain.
type work struct {
	program string
	memory  []string
	token   string
	days    int64
}

// add adds the flags. Content says whether the command needs documents or makes some.
func (w *work) add(cmd *cobra.Command, content bool) {
	cmd.Flags().StringVar(&w.program, "program", brain.Devnet().ID().String(), "address of MegaBrain's program")
	if content {
		cmd.Flags().StringArrayVar(&w.memory, "memory", nil, "memory node that keeps or has documents, over HTTP or libp2p; may be repeated")
		cmd.Flags().StringVar(&w.token, "memory-token", "", "file with the text that the memory nodes want of those who put")
		cmd.Flags().Int64Var(&w.days, "memory-days", 30, "term in days of what is put")
	}
}

// with opens a desk for a command, and closes it.
func (w *work) with(cmd *cobra.Command, a *cli.App, n cli.Need, do func(context.Context, *megabrain.Desk, *client.Client) error) error {
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	if _, err := w.means(nil, home); err != nil {
		return err
	}
	return a.With(cmd, n, func(ctx context.Context, c *client.Client) error {
		needs, err := w.means(c, home)
		if err != nil {
			return err
		}
		d, err := megabrain.Open(needs)
		if err != nil {
			return err
		}
		return do(ctx, d, c)
	})
}

// means are what a desk works with, as the flags say.
func (w *work) means(c *client.Client, home string) (megabrain.Means, error) {
	program, err := onchain.ParseAddress(w.program)
	if err != nil {
		return megabrain.Means{}, cli.Usage("--program: %v", err)
	}
	token, err := readToken(w.token)
	if err != nil {
		return megabrain.Means{}, err
	}
	if len(w.memory) > 0 && (w.days < 1 || w.days > memory.MaxTerm/memory.Day) {
		return megabrain.Means{}, cli.Usage("--memory-days is %d; it is 1 to %d", w.days, memory.MaxTerm/memory.Day)
	}
	out := megabrain.Means{Client: c, Program: program, Folder: megabrain.Folder{Dir: filepath.Join(home, "brain")}}
	for _, address := range w.memory {
		out.Folder.Archives = append(out.Folder.Archives, keeper{
			address: address, token: token, heads: &remote.Heads{Dir: filepath.Join(home, "memory")}, term: time.Duration(w.days*memory.Day) * time.Second,
		})
	}
	return out, nil
}

// keeper is a memory node as a place of documents.
type keeper struct {
	address, token string
	heads          *remote.Heads
	term           time.Duration
}

// patience is how long a memory node may take.
const patience = time.Minute

func (k keeper) ask(ctx context.Context, do func(context.Context, *remote.Auditor) error) (err error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	c, err := remote.Dial(ctx, k.address, nil, passing)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.Token, c.Heads = k.token, k.heads
	return do(ctx, c)
}

// Get implements megabrain.Archive.
func (k keeper) Get(ctx context.Context, hash [32]byte) (content []byte, err error) {
	err = k.ask(ctx, func(ctx context.Context, c *remote.Auditor) (err error) {
		content, err = c.Get(ctx, memory.Digest(hash))
		return err
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", k.address, err)
	}
	return content, err
}

// Put implements megabrain.Archive.
func (k keeper) Put(ctx context.Context, content []byte) error {
	return k.ask(ctx, func(ctx context.Context, c *remote.Auditor) error {
		_, err := c.Put(ctx, content, k.term)
		return err
	})
}

// roles are the roles of a member, as people write them.
var roles = map[string]brain.Role{"worker": brain.WorkerRole, "evaluator": brain.EvaluatorRole}

// roleFlag adds the flag that names a role.
func roleFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("role", "", "worker or evaluator")
}

func role(text string) (brain.Role, error) {
	r, ok := roles[text]
	if !ok {
		return 0, cli.Usage("--role is %q; it is worker or evaluator", text).Next("add --role worker, or --role evaluator")
	}
	return r, nil
}
