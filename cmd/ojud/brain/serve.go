package brain

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/node/brainapi"
	"ojud/node/brainview"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// serves are the flags of "serve".
type serves struct {
	listen string
	keys   []string
	names  []string
	open   bool
	life   time.Duration
	every  time.Duration
}

// serving says where a server answers.
type serving struct {
	At     string   `json:"at"`
	Agents []string `json:"agents"` // keys with which it acts
}

func newServe(a *cli.App) *cobra.Command {
	var w work
	var f serves
	cmd := cli.Court(a, &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP API for agents until you stop it",
		Long: `Serve answers the calls of the specification's section C.6 below /api/v1: agents register with a
signature, look for tasks, hand in results with attachments, and score results. Results,
reputations, disputes and events are there, too. /api/v1/openapi.json describes all calls.

The server acts with your key, and with those of --agent-key. An agent shows by the signature of its
registration that one of them is its own. The server reveals what it committed to, posts outcomes
and carries tasks on, as "ojud brain crank" does, so run no other crank on this home. If ojud.toml
in the home names the embedding of a class in [[models.embeddings]], the server adds its vectors to
the scores of an evaluator that sends none.

It listens on this machine. Tokens and results go over the wire as they are, so an address beyond
this machine needs --open, and belongs behind a proxy with TLS. No page of a browser may ask, and a
name by which agents ask needs --host.`,
		Example: `  ojud brain serve --agent-key worker.json --memory http://127.0.0.1:4900
  ojud brain serve --listen 0.0.0.0:4950 --open --host brain.example --agent-key worker.json \
      --memory http://127.0.0.1:4900`,
		Args: cli.Takes(0),
	})
	w.add(cmd, true)
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:4950", "where to answer HTTP")
	cmd.Flags().StringArrayVar(&f.keys, "agent-key", nil, "key file of a further agent that the server acts for; may be repeated")
	cmd.Flags().StringSliceVar(&f.names, "host", nil, "names by which agents ask, such as brain.example; addresses need none")
	cmd.Flags().BoolVar(&f.open, "open", false, "answer other machines")
	cmd.Flags().DurationVar(&f.life, "token-life", time.Hour, "how long a token is valid")
	cmd.Flags().DurationVar(&f.every, "every", 5*time.Second, "time between two looks at all tasks")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case f.life < time.Minute || f.life > 30*24*time.Hour:
			return cli.Usage("--token-life is %s; it is 1m to 720h", f.life)
		case f.every < 100*time.Millisecond || f.every > time.Hour:
			return cli.Usage("--every is %s; it is 100ms to 1h", f.every)
		case len(f.keys) > maxAgents:
			return cli.Usage("--agent-key stands %d times; it stands at most %d times", len(f.keys), maxAgents)
		case beyond(f.listen) && !f.open:
			return cli.Usage("--listen %s is reached from other machines", f.listen).Next("allow that with --open")
		}
		a.Stays.Store(true)
		return w.with(cmd, a, cli.PerhapsKey, func(ctx context.Context, d *megabrain.Desk, c *client.Client) error {
			return f.run(ctx, a, &w, d, c)
		})
	}
	return cmd
}

// maxAgents bounds the keys of a server.
const maxAgents = 32

func (f *serves) run(ctx context.Context, a *cli.App, w *work, own *megabrain.Desk, c *client.Client) (err error) {
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	log, err := a.LoggerTo(a.Err, "info")
	if err != nil {
		return err
	}
	means, err := w.means(c, home)
	if err != nil {
		return err
	}
	words, err := openWords(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, words.Close()) }()
	means.Named, means.Made, means.Words = w.named(means.Folder), words.Made, words.All
	desks := map[onchain.Address]*megabrain.Desk{}
	if me := c.Me(); me != "" {
		at, err := onchain.ParseAddress(me)
		if err != nil {
			return err
		}
		desks[at] = own
	}
	for _, path := range f.keys {
		key, err := client.LoadKey(path)
		if err != nil {
			return cli.Usage("--agent-key: %v", err)
		}
		of, err := a.OpenAs(ctx, key)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, of.Close()) }()
		means.Client = of
		if desks[key.Address()], err = megabrain.Open(means); err != nil {
			return err
		}
	}
	reader := openView(c, means, words, 0)
	secret, err := secretOf(filepath.Join(home, "brain"))
	if err != nil {
		return err
	}
	hands, s := map[onchain.Address]brainapi.Hand{}, serving{Agents: []string{}}
	for at, d := range desks {
		hands[at], s.Agents = d, append(s.Agents, at.String())
	}
	settings, err := a.Settings()
	if err != nil {
		return err
	}
	var embed func(ctx context.Context, key, at onchain.Address, scores []megabrain.Score) (map[string]json.RawMessage, error)
	if len(settings.Node.Models.Embeddings) > 0 {
		embed = func(ctx context.Context, key, at onchain.Address, scores []megabrain.Score) (map[string]json.RawMessage, error) {
			return megabrain.Embed(ctx, desks[key], at, scores, embedder(a))
		}
	}
	server := brainapi.New(brainapi.Means{
		View: reader, Embed: embed,
		Appeal: func(ctx context.Context, key onchain.Address, g megabrain.Grievance) (megabrain.Contested, error) {
			return g.Bring(ctx, desks[key])
		},
		Hands: hands, Folder: means.Folder, Secret: secret, Life: f.life, Now: time.Now, Log: log, Names: f.names,
	})
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return cli.Fail("%v", err).Next("give another address with --listen")
	}
	if len(means.Folder.Archives) == 0 {
		log.Warn("no memory node is named by --memory: in classes that name none, what this machine does not have stays unknown, attachments are given to nobody, and tasks end inconclusive")
	}
	s.At = "http://" + l.Addr().String() + "/api/v1"
	if err := a.Show(s, (view.Sheet{{"api", s.At}, {"acts for", fmt.Sprintf("%d agents: %v", len(s.Agents), s.Agents)}, {"description", s.At + "/openapi.json"}}).Write); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return server.Run(ctx, l) })
	g.Go(func() error {
		for every := time.NewTicker(min(f.every, 5*time.Second)); ; { // scores wait for no longer, but for vectors
			select {
			case <-ctx.Done():
				every.Stop()
				return nil
			case <-every.C:
				if err := server.Tend(ctx); err != nil && ctx.Err() == nil {
					log.Warn("brain api", "err", err)
				}
			}
		}
	})
	for _, d := range desks {
		g.Go(func() error {
			return d.Run(ctx, megabrain.Crank{Every: f.every, Tell: func(done megabrain.Deed) {
				log.Info("task", "task", done.Task, "did", done.Did, "err", done.Error)
			}})
		})
	}
	return g.Wait()
}

// openView opens a reader of tasks with their questions.
func openView(c *client.Client, m megabrain.Means, words *brainview.Words, patience time.Duration) *brainview.TaskReader {
	return brainview.New(brainview.Sources{
		Chain: client.OfficeOf(c), Program: m.Program, Content: m.Among(nil).Get, Words: words.All, Patience: patience,
		Nodes: func(ctx context.Context, nodes []string, hash [32]byte) ([]byte, error) {
			return m.Among(nodes).Get(ctx, hash)
		},
	})
}

// openWords opens what reads transactions of tasks.
func openWords(ctx context.Context, a *cli.App) (*brainview.Words, error) {
	network, err := a.LoadNetwork(ctx)
	if err != nil {
		return nil, err
	}
	cfg := a.ClientConfig()
	return brainview.OpenWords(cli.First(cfg.Ledger.RPC, network.RPC), cfg.Ledger.Calls, a.Transport)
}

// secretOf reads the secret that signs tokens, or makes it.
func secretOf(dir string) ([]byte, error) {
	path := filepath.Join(dir, "api.secret")
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret = make([]byte, 32)
		rand.Read(secret)
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = durable.Create(path, secret)
		}
	}
	if err == nil && len(secret) != 32 {
		err = fmt.Errorf("%s has %d bytes, not 32; delete it, and a new one is made", path, len(secret))
	}
	return secret, err
}
