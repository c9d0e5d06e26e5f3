// Package desk has the command that serves the pages on which a party acts.
package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/ledger/onchain"
	"ojud/node/api"
	"ojud/node/client"
	"ojud/node/desk"
	"ojud/node/evidence"
	"ojud/node/library"
)

// serveTime bounds reading a request and writing its answer.
const serveTime = time.Minute

// opened is the result of the command.
type opened struct {
	URL   string `json:"url"` // with the word that opens the desk
	Party string `json:"party,omitempty"`
}

// options are the flags of the command.
type options struct {
	listen, pages string
	wallet        bool
	sources       bool
}

// Command returns the command desk.
func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := cli.Court(a, &cobra.Command{
		Use:   "desk",
		Short: "Order work, deliver and dispute it, or offer data, in a browser",
		Long: `Desk serves pages on this machine, on which you act as an agent of a court: your tasks, the market,
new tasks, results, objections, answers and appeals. They do what the commands under "ojud task" do,
and need no node.

The key of --key signs, or with --wallet a wallet in your browser that speaks the Wallet Standard
for Solana. Then the desk never has the key, and the wallet shows each transaction before it signs.

With --sources the desk also adds and tries the data sources of a node's home, as the commands under
"ojud source" do, and asks the judges of the court for theirs if the node runs. Without --key and
--wallet it then does only this, and has no key. Such a desk starts the programs that you name, so
its word is worth what your account on this machine is worth.

Desk prints an address with a word at its end. Open it in your browser. Whoever has the word can act
as you, so show it to nobody. The desk serves until you stop it, and answers only to this machine.`,
		Example: `  ojud desk --network http://127.0.0.1:8899 --key alice.json
  ojud desk --network http://127.0.0.1:8899 --wallet
  ojud desk --sources --home ~/judge
  ojud desk --listen 127.0.0.1:4600 --pages http://127.0.0.1:8080/`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), a, o) },
	})
	cmd.Flags().BoolVar(&o.wallet, "wallet", false, "a wallet in the browser signs, and no key file")
	cmd.Flags().BoolVar(&o.sources, "sources", false, "add and try the data sources of the home; without --key and --wallet nothing else")
	cmd.Flags().StringVar(&a.Config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:0", "loopback address and port; port 0 takes a free one")
	cmd.Flags().StringVar(&o.pages, "pages", "", "address of the court's pages, for links (default the node of the home, if it runs)")
	return cmd
}

// check refuses flags that do not fit.
func (o options) check() error {
	host, _, err := net.SplitHostPort(o.listen)
	if ip := net.ParseIP(host); err != nil || !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback()) {
		return cli.Usage("--listen is %q, and a desk is only for its own machine", o.listen).Next("give a loopback address, such as 127.0.0.1:4600")
	}
	if u, err := url.Parse(o.pages); o.pages != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return cli.Usage("--pages is %q, which is no address of a page", o.pages).Next("give the address that a node prints, such as http://127.0.0.1:8080/")
	}
	return nil
}

// signer says who signs if it is no key file.
func (o options) signer() string {
	if o.wallet {
		return "the account of the wallet in your browser"
	}
	return "nobody: this desk has no key, and only the data sources of the home"
}

// run serves a desk until ctx ends.
func run(ctx context.Context, a *cli.App, o options) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	log, err := a.Logger()
	if err != nil {
		return err
	}
	needs := desk.Needs{Open: a.OpenAs, Plain: cli.Plain, Pages: func() string { return pages(a, o.pages) }, Log: log,
		Object: func(ctx context.Context, c *client.Client, task onchain.Address, doc library.Document, exhibits []library.Document) (client.TaskDone, error) {
			return cli.Object(ctx, a, c, task, doc, exhibits, false)
		}}
	if o.sources {
		if needs.Data, err = data(ctx, a); err != nil {
			return err
		}
		needs.Alone = !o.wallet && cli.First(a.Key, a.Getenv(config.KeyVariable)) == ""
	}
	party, err := o.party(ctx, a, needs.Alone)
	if err != nil {
		return err
	}
	if party != nil {
		defer func() { err = errors.Join(err, party.Close()) }()
	}
	d, err := desk.New(party, needs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	var sockets net.ListenConfig
	listener, err := sockets.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return cli.Fail("the desk cannot listen: %v", err).Next("give another port with --listen, or none")
	}
	server := &http.Server{Handler: d.Handler(), ReadTimeout: serveTime, WriteTimeout: serveTime, MaxHeaderBytes: 16 << 10}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { closed <- server.Close() })
	defer stop()
	a.Stays.Store(true)
	at := opened{URL: "http://" + listener.Addr().String() + "/login?word=" + d.Word()}
	if party != nil {
		at.Party = party.Me()
	}
	// It opens no browser: every user of the machine can read the arguments of another program.
	if err := a.Show(at, func(w io.Writer) error {
		s := view.Sheet{{"desk", at.URL}, {"you act as", cli.First(at.Party, o.signer())}}
		s.Add("ready", "open the address in a browser, and keep it secret; ^C ends the desk")
		return s.Write(w)
	}); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	err = <-closed
	if err == nil && !a.Quiet {
		_, err = fmt.Fprintln(a.Err, "stopped")
	}
	return err
}

// party opens the party whose key is in a file; nil: its key is in a wallet, or there is no party.
func (o options) party(ctx context.Context, a *cli.App, alone bool) (*client.Client, error) {
	if alone {
		return nil, nil
	}
	if o.wallet {
		_, err := a.LoadNetwork(ctx) // now, and not when the wallet is there
		return nil, err
	}
	return a.Open(ctx, cli.WithKey)
}

// data opens the data sources of the home, and the node that may run there.
func data(ctx context.Context, a *cli.App) (*desk.Data, error) {
	home, err := a.Sources(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := a.HomeDir()
	if err != nil {
		return nil, err
	}
	return &desk.Data{
		Home: home,
		Ask: func(ctx context.Context, q evidence.Query) (api.QueryView, error) {
			running, err := a.Node()
			if err != nil {
				return api.QueryView{}, err
			}
			network, err := client.LoadNetwork(ctx, filepath.Join(dir, "network.json"), nil)
			if err != nil {
				return api.QueryView{}, err
			}
			return running.Query(ctx, network, q)
		},
		Known: func(ctx context.Context) ([]string, error) {
			running, err := a.Node()
			if err != nil {
				return nil, err
			}
			return running.Sources(ctx)
		},
	}, nil
}

// pages returns the address of the court's pages; empty: there are none.
func pages(a *cli.App, given string) string {
	if given == "" {
		n, err := a.Node()
		if err != nil {
			return "" // no node runs here
		}
		given = n.URL()
	}
	return strings.TrimSuffix(given, "/") + "/"
}
