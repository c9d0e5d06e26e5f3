package brain

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ojud/agent/delegation"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/keep"
	"ojud/megabrain/memory/remote"
	"ojud/node/brainview"
	"ojud/node/library"
	"ojud/p2p/direct"
	"ojud/p2p/identity"
)

// newMemory returns the command "brain memory" with all that belong to it.
func newMemory(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "memory",
		Short: "Keep artifacts of tasks on memory nodes, and audit these",
		Long: `A memory node keeps artifacts, such as results and evaluations, by their SHA-256 for a term. Each
promise is a line of a log that only grows, and a receipt proves that it is there. The node signs
the head of the log. A node that takes a promise back has to sign two heads that do not fit
together: that is an exposure, which anybody verifies without the node. Commands that ask a node
remember its newest head in the home, and check that its log goes on with it. docs/megabrain.md
says more.`,
		Example: `  ojud brain memory run ./memory
  ojud brain memory put result.json --node http://127.0.0.1:4900 --receipt receipt.json
  ojud brain memory audit --node http://127.0.0.1:4900`,
	})
	cmd.AddCommand(newMemoryRun(a), newMemoryPut(a), newMemoryGet(a), newMemoryProve(a), newMemoryAudit(a), newMemoryVerify(a), newMemoryPay(a), newMemoryPaid(a))
	return cmd
}

// key is the key of a node or of a client.
type key struct{ private ed25519.PrivateKey }

func keyOf(id identity.Identity) key { return key{id.Ed25519()} }

// Principal implements delegation.Signer.
func (k key) Principal() (p delegation.Principal) {
	copy(p[:], k.private[ed25519.SeedSize:])
	return p
}

// Sign implements delegation.Signer.
func (k key) Sign(message []byte) [ed25519.SignatureSize]byte {
	return [ed25519.SignatureSize]byte(ed25519.Sign(k.private, message))
}

func (k key) direct() direct.Key {
	p := k.Principal()
	return direct.Key{Public: p[:], Sign: k.Sign}
}

const (
	maxToken   = 1 << 10
	eraseEvery = time.Minute
)

// runs are the flags of "memory run".
type runs struct {
	listen, p2p, token string
	wallet             string
	open               bool
	hosts              []string
	artifact, days     int64
	quota, grace       int64
	rate               uint64
}

func newMemoryRun(a *cli.App) *cobra.Command {
	var f runs
	cmd := cli.Court(a, &cobra.Command{
		Use:   "run DIR",
		Short: "Run a memory node until you stop it",
		Long: `Run keeps artifacts and the log in DIR, with the node's key in DIR/node.key. It answers HTTP at
--listen, and libp2p at --p2p. A receipt is given when artifact, promise and head are on the device.
When a term is over, the artifact is erased after --grace-hours; its promise stays in the log, so
that its receipt stays valid. Do not bring back an old copy of DIR: a node that forgets what it
signed exposes itself.

HTTP clients ask by the node's IP address, or by a name that --host gives, also through a proxy. All
other names are refused: a web page could have its own name lead here.

With --wallet ADDRESS the node signs that what it earns goes there, and counts each minute what was
paid to it by "memory pay". It reads that from the chain of --network; "memory paid DIR" shows it.

With --token FILE only those who have the text in this file may put. Without it everybody may, so an
address beyond this machine, or a name, needs --open as well.`,
		Example: `  ojud brain memory run ./memory
  ojud brain memory run ./memory --listen 0.0.0.0:4900 --token token.txt --quota-gib 100
  ojud brain memory run ./memory --host memory.example --token token.txt
  ojud brain memory run ./memory --p2p /ip4/0.0.0.0/tcp/4901 --open --rate 1000000 \
      --wallet 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G`,
		Args: cli.Takes(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Stays.Store(true)
			log, err := a.LoggerTo(a.Err, "info")
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), a, args[0], log)
		},
	})
	d := keep.DefaultConditions()
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:4900", "where to answer HTTP; empty: not at all")
	cmd.Flags().StringSliceVar(&f.hosts, "host", nil, "names by which HTTP clients ask, such as memory.example; addresses need none")
	cmd.Flags().StringVar(&f.p2p, "p2p", "", "where to answer libp2p, such as /ip4/0.0.0.0/tcp/4901")
	cmd.Flags().StringVar(&f.token, "token", "", "file with the text that those who put must have")
	cmd.Flags().BoolVar(&f.open, "open", false, "let everybody put who reaches the node")
	cmd.Flags().Int64Var(&f.artifact, "max-artifact-kib", d.MaxArtifact>>10, "size of the largest artifact, in KiB")
	cmd.Flags().Int64Var(&f.days, "max-days", d.MaxTerm/memory.Day, "longest term, in days")
	cmd.Flags().Int64Var(&f.quota, "quota-gib", d.Quota>>30, "how much is kept, in GiB")
	cmd.Flags().Int64Var(&f.grace, "grace-hours", d.Grace/3600, "hours for which an artifact is kept after its term")
	cmd.Flags().Uint64Var(&f.rate, "rate", 0, "price in lamports for a GiB and a day, which promises name")
	cmd.Flags().StringVar(&f.wallet, "wallet", "", "address to which payments for keeping go; with another address the count begins anew")
	return cmd
}

// conditions are what the flags say.
func (f *runs) conditions() (keep.Conditions, error) {
	c := keep.DefaultConditions()
	if f.artifact > memory.MaxArtifact>>10 || f.days > memory.MaxTerm/memory.Day || f.quota > 1<<20 || f.grace > 366*24 {
		return c, cli.Usage("a node keeps artifacts of at most %d KiB for at most %d days, at most %d GiB in all, with at most %d hours of grace",
			memory.MaxArtifact>>10, memory.MaxTerm/memory.Day, 1<<20, 366*24)
	}
	c.MaxArtifact, c.MaxTerm, c.Quota, c.Grace, c.Rate, c.Wallet = f.artifact<<10, f.days*memory.Day, f.quota<<30, f.grace*3600, f.rate, f.wallet
	if err := c.Validate(); err != nil {
		return c, cli.Usage("%v", err)
	}
	return c, nil
}

// beyond reports whether an address is reached from other machines.
func beyond(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return true
	}
	at, err := netip.ParseAddr(host)
	return host != "localhost" && (err != nil || !at.IsLoopback())
}

func (f *runs) run(ctx context.Context, a *cli.App, dir string, log *slog.Logger) (err error) {
	c, err := f.conditions()
	if err != nil {
		return err
	}
	if f.listen == "" && f.p2p == "" {
		return cli.Usage("a node answers at --listen, --p2p, or both")
	}
	wide := len(f.hosts) > 0 || f.listen != "" && beyond(f.listen) || f.p2p != "" && !strings.HasPrefix(f.p2p, "/ip4/127.") && !strings.HasPrefix(f.p2p, "/ip6/::1/")
	token, err := readToken(f.token)
	if err != nil {
		return err
	}
	if wide && token == "" && !f.open {
		return cli.Usage("everybody who reaches this address could fill the disk").Next("say who may put with --token FILE, or allow all with --open")
	}
	var wallet onchain.Address
	var words *brainview.Words
	if f.wallet != "" {
		if wallet, err = cli.Address("the wallet", f.wallet); err != nil {
			return err
		}
		if words, err = openWords(ctx, a); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, words.Close()) }()
	}
	id, _, err := identity.LoadOrCreate(filepath.Join(dir, "node.key"))
	if err != nil {
		return cli.Fail("%v", err)
	}
	k := keyOf(id)
	n, err := keep.Open(dir, k, c, func() int64 { return time.Now().Unix() }, log)
	if err != nil {
		return cli.Fail("%v", err)
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	g, ctx := errgroup.WithContext(ctx)
	desk := remote.NewDesk(n, token, time.Now, log)
	s := began{Node: k.Principal().String(), Head: n.Head().String()}
	if f.listen != "" {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
		if err != nil {
			return cli.Fail("%v", err).Next("give another address with --listen")
		}
		s.At = append(s.At, "http://"+l.Addr().String())
		g.Go(func() error { return desk.ServeHTTP(ctx, l, f.hosts...) })
	}
	if f.p2p != "" {
		at, wait, err := desk.Listen(ctx, k.direct(), f.p2p)
		if err != nil {
			return cli.Fail("%v", err).Next("give another address with --p2p")
		}
		s.At = append(s.At, at...)
		g.Go(wait)
	}
	s.Kept, s.Bytes = n.Kept()
	if err := a.Show(s, s.sheet().Write); err != nil {
		return err
	}
	g.Go(func() error { return erase(ctx, n, log) })
	if f.wallet != "" {
		e := earnings{earnedFile(dir), wallet, k.Principal(), n.ProveAt, words.Received, log}
		g.Go(func() error { return e.run(ctx) })
	}
	return g.Wait()
}

// erase erases artifacts whose terms are over until ctx ends.
func erase(ctx context.Context, n *keep.Node, log *slog.Logger) error {
	if err := n.Tidy(); err != nil {
		log.Error("tidying failed", "err", err)
	}
	t := time.NewTicker(eraseEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		switch erased, err := n.Erase(); {
		case err != nil:
			log.Error("erasing failed", "err", err)
		case erased > 0:
			log.Info("artifacts were erased after their terms", "artifacts", erased)
		}
	}
}

// readToken reads the text that those who put must have.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	raw, err := library.ReadFile(file, maxToken)
	if err != nil {
		return "", cli.Usage("--token: %v", err)
	}
	token := strings.TrimSpace(string(raw))
	if len(token) < 16 || strings.ContainsAny(token, "\r\n") {
		return "", cli.Usage("--token: %s has one line of 16 characters or more", file)
	}
	return token, nil
}

// began is what run says when it has begun.
type began struct {
	Node  string   `json:"node"`
	At    []string `json:"at"`
	Head  string   `json:"head"`
	Kept  int64    `json:"kept"`
	Bytes int64    `json:"bytes"`
}

func (s began) sheet() view.Sheet {
	return view.Sheet{{"node", s.Node}, {"at", strings.Join(s.At, " ")}, {"log", s.Head}, {"ready", "^C ends it"}}
}

// saved is where a file of a document was written.
func save(name string, d memory.Document) error {
	raw, err := d.Encode()
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, append(raw, '\n'), 0o600); err != nil {
		return cli.Fail("%v", err)
	}
	return nil
}
