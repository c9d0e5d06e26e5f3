package brain

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/providers"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/remote"
	"ojud/node/brainview"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/node/megabrain"
)

// work has the flags of commands that act on the chain.
type work struct {
	program string
	memory  []string
	token   string
	days    int64
	content bool              // there are flags of memory nodes
	far     *remote.Strangers // reaches the nodes that classes name
}

// defaultDays is the term of what is put, in days.
const defaultDays = 30

// add adds the flags. Content says whether the command needs documents or makes some.
func (w *work) add(cmd *cobra.Command, content bool) {
	cmd.Flags().StringVar(&w.program, "program", brain.Devnet().ID().String(), "address of MegaBrain's program")
	if w.content = content; content {
		cmd.Flags().StringArrayVar(&w.memory, "memory", nil, "memory node beside those that the class names, over HTTP or libp2p; may be repeated")
		cmd.Flags().StringVar(&w.token, "memory-token", "", "file with the text that the memory nodes want of those who put")
		cmd.Flags().Int64Var(&w.days, "memory-days", defaultDays, "term in days of what is put")
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
	return a.With(cmd, n, func(ctx context.Context, c *client.Client) (err error) {
		needs, err := w.means(c, home)
		if err != nil {
			return err
		}
		words := &lazyWords{open: func() (*brainview.Words, error) { return openWords(ctx, a) }}
		defer func() { err = errors.Join(err, words.close()) }()
		w.far, err = strangers(ctx, a)
		if err != nil {
			return err
		}
		needs.Named, needs.Made, needs.Words = w.named(needs.Folder), words.made, words.all
		d, err := megabrain.Open(needs)
		if err != nil {
			return err
		}
		return do(ctx, d, c)
	})
}

// strangers reaches the memory nodes that classes name. Those of this machine and of private
// networks are reached if all nodes of the court are there, or if it has none and is a devnet here.
func strangers(ctx context.Context, a *cli.App) (*remote.Strangers, error) {
	network, err := a.LoadNetwork(ctx)
	if err != nil {
		return nil, err
	}
	private := network.Faucet && providers.Inside(network.RPC)
	if len(network.Bootstrap) > 0 {
		_, private, err = library.Near(network)
	}
	return &remote.Strangers{Private: private}, err
}

// lazyWords reads transactions of tasks, and begins with that when it is asked.
type lazyWords struct {
	open  func() (*brainview.Words, error)
	mu    sync.Mutex
	words *brainview.Words
}

func (l *lazyWords) opened() (_ *brainview.Words, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.words == nil {
		l.words, err = l.open()
	}
	return l.words, err
}

func (l *lazyWords) made(ctx context.Context, at onchain.Address, t *brain.TaskAccount) (brain.Told, error) {
	words, err := l.opened()
	if err != nil {
		return brain.Told{}, err
	}
	return words.Made(ctx, at, t)
}

func (l *lazyWords) all(ctx context.Context, at onchain.Address) ([][]byte, error) {
	words, err := l.opened()
	if err != nil {
		return nil, err
	}
	return words.All(ctx, at)
}

func (l *lazyWords) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.words == nil {
		return nil
	}
	return l.words.Close()
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
	if w.days == 0 && !w.content {
		w.days = defaultDays
	}
	if w.days < 1 || w.days > memory.MaxTerm/memory.Day {
		return megabrain.Means{}, cli.Usage("--memory-days is %d; it is 1 to %d", w.days, memory.MaxTerm/memory.Day)
	}
	out := megabrain.Means{Client: c, Program: program, Folder: megabrain.Folder{Dir: filepath.Join(home, "brain")}}
	for _, address := range w.memory {
		out.Folder.Archives = append(out.Folder.Archives, keeper{
			address: address, token: token, heads: &remote.Heads{Dir: filepath.Join(home, "memory")}, term: w.term(),
		})
	}
	return out, nil
}

// term is how long what is put is kept.
func (w *work) term() time.Duration { return time.Duration(w.days*memory.Day) * time.Second }

// named reaches the nodes that classes name. One that --memory names, too, is the owner's.
func (w *work) named(own megabrain.Folder) func(string) megabrain.Archive {
	return func(address string) megabrain.Archive {
		if i := slices.Index(w.memory, address); i >= 0 {
			return own.Archives[i]
		}
		return stranger{address, w.far, w.term()}
	}
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
	c.Token, c.Heads, c.Most = k.token, k.heads, megabrain.MaxKept
	return do(ctx, c)
}

// Get implements megabrain.Archive.
func (k keeper) Get(ctx context.Context, hash [32]byte) (content []byte, err error) {
	err = k.ask(ctx, func(ctx context.Context, c *remote.Auditor) (err error) {
		content, err = c.Get(ctx, memory.Digest(hash))
		return err
	})
	return content, got(k.address, err)
}

// Put implements megabrain.Archive.
func (k keeper) Put(ctx context.Context, content []byte) error {
	return k.ask(ctx, func(ctx context.Context, c *remote.Auditor) error {
		_, err := c.Put(ctx, content, k.term)
		return err
	})
}

// stranger is a memory node that a class names.
type stranger struct {
	address string
	far     *remote.Strangers
	term    time.Duration
}

// Get implements megabrain.Archive.
func (s stranger) Get(ctx context.Context, hash [32]byte) ([]byte, error) {
	content, err := s.far.Get(ctx, s.address, hash, megabrain.MaxKept)
	return content, got(s.address, err)
}

// Put implements megabrain.Archive.
func (s stranger) Put(ctx context.Context, content []byte) error {
	if err := s.far.Put(ctx, s.address, content, s.term); err != nil {
		return fmt.Errorf("%s: %w", s.address, err)
	}
	return nil
}

// got says which node failed, and how.
func got(node string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, remote.ErrLarger):
		return fmt.Errorf("%w: %s: %w", megabrain.ErrTooLarge, node, err)
	}
	return fmt.Errorf("%s: %w", node, err)
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
