// Package mcp has the command that lets a model use a court, as a server of the Model Context
// Protocol.
package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	server "ojud/agent/face/mcp"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
)

const (
	headerTime = 10 * time.Second // for the headers and the body of a request
	idleTime   = 5 * time.Minute  // of a connection
	leastWord  = 16               // bytes of the word of a server
	mostWord   = 256
	mostSpend  = 1 << 62 // lamports, more than there are
)

// options are the flags of the command.
type options struct {
	listen, word, files string
	queue               string // of ojud agent post
	spend               cli.Amount
}

// opened is what the command prints if it serves over HTTP.
type opened struct {
	URL      string `json:"url"`
	Card     string `json:"card,omitempty"` // of an agent
	WordFile string `json:"word_file"`
}

// Command returns the command mcp.
func Command(a *cli.App) *cobra.Command {
	var o options
	cmd := cli.Court(a, &cobra.Command{
		Use:   "mcp",
		Short: "Let a model use a court, as a server of the Model Context Protocol",
		Long: `Mcp serves tools to a program that speaks the Model Context Protocol, such as an assistant or an
agent: list tasks and show one, find agents and data sources, show and watch a case, write its case
file, verify it, explain what happened to a judge, and ask a data source. None of them moves money
or signs for a party, so no key is needed. docs/mcp.md lists the tools.

With --queue FOLDER a tool puts tasks into the queue of "ojud agent post" (queue in its post.toml),
which posts them within its own budget, and checks and answers the results by itself.

With --spend AMOUNT more tools post and claim tasks with the key, hand in results of the tasks that
they claimed, and accept the results of those that they posted, or object. Together they take at
most that amount out of its vault and wallet: rewards, bonds, and 0.01 SOL for each post, claim and
objection; other answers count their fee. What they took stays counted when the server is started
again, and also when it comes back: the file mcp.spent in the home has it. Start with a larger
amount to let them go on.

It speaks on standard input and output, which is what programs expect that start a server
themselves. With --listen it serves over HTTP on this machine. Then a client sends a word as a
bearer token. The word is in the file of --word, and the command makes one there if the file is
missing. A client that loses a stream resumes it with the id of the last event that it got.

The tools case_file, verify, why and ask_source ask the node of the home, if it runs. Case files are
in the folder of --files, and no tool reads or writes another one. Answers have the words of
strangers: they are escaped, and the client is told that they are no instructions.`,
		Example: `  ojud mcp --network http://127.0.0.1:8899
  ojud mcp --home ~/judge --listen 127.0.0.1:4700 --word ~/judge/mcp.word
  ojud mcp --network http://127.0.0.1:8899 --key creator.json --spend 0.5sol
  ojud mcp --network http://127.0.0.1:8899 --queue ~/creator/orders`,
		Args: cli.Takes(0),
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd, a, o) }
	cmd.Flags().StringVar(&o.listen, "listen", "", "loopback address and port, to serve over HTTP instead of standard input and output")
	cmd.Flags().StringVar(&o.word, "word", "", "file with the word that clients send with --listen (default mcp.word in the home)")
	cmd.Flags().StringVar(&o.files, "files", "", "folder of case files (default case-files in the home)")
	cmd.Flags().StringVar(&o.queue, "queue", "", "folder of orders of ojud agent post, into which a tool puts tasks")
	cmd.Flags().Var(&o.spend, "spend", "let tools post, claim and answer tasks with the key, and take at most so much in all")
	return cmd
}

// run serves until the client or ctx ends.
func run(cmd *cobra.Command, a *cli.App, o options) (err error) {
	ctx := cmd.Context()
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	if o.word != "" && o.listen == "" {
		return cli.Usage("--word is only for --listen")
	}
	log, err := a.Logger()
	if err != nil {
		return err
	}
	c := &court{app: a, ctx: ctx, files: cli.First(o.files, filepath.Join(home, "case-files")), verifying: make(chan struct{}, 1)}
	defer func() { err = errors.Join(err, c.close()) }()
	if o.spend.Lamports > mostSpend {
		return cli.Usage("--spend is %s, and at most %s are possible", o.spend.Lamports, client.Lamports(mostSpend))
	}
	tools, about := c.tools(), instructions
	if o.queue != "" {
		if info, err := os.Stat(o.queue); err != nil || !info.IsDir() {
			return cli.Usage("--queue is %q, which is no folder", o.queue).Next("make it, and name it as queue in post.toml of ojud agent post")
		}
		tools, about = append(tools, queue{o.queue}.tools()...), about+"\n"+queues
	}
	if o.spend.Lamports > 0 {
		var d *dealer
		if d, err = newDealer(a, c, home, o.spend.Lamports); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.purse.close()) }()
		tools, about = append(tools, d.tools()...), about+"\n"+spends
	}
	s, err := server.New(server.Appearance{
		Name: "ojud", Version: cli.ThisBuild().Line(), Instructions: about,
		Escape: view.Escape, Plain: cli.Plain, Log: log,
	}, tools...)
	if err != nil {
		return err
	}
	a.Stays.Store(true)
	if o.listen == "" {
		return s.Stdio(ctx, cmd.InOrStdin(), a.Out)
	}
	return serve(ctx, a, o.listen, cli.First(o.word, filepath.Join(home, "mcp.word")), false, func(_, word string) http.Handler { return s.Handler(word) })
}

// serve serves over HTTP until ctx ends.
func serve(ctx context.Context, a *cli.App, listen, path string, carded bool, handler func(url, word string) http.Handler) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback()) {
		return cli.Usage("--listen is %q, and the server is only for its own machine", listen).Next("give a loopback address, such as 127.0.0.1:4700")
	}
	word, err := readWord(path)
	if err != nil {
		return err
	}
	var sockets net.ListenConfig
	listener, err := sockets.Listen(ctx, "tcp", listen)
	if err != nil {
		return cli.Fail("the server cannot listen: %v", err).Next("give another port with --listen")
	}
	at := opened{URL: "http://" + listener.Addr().String() + "/", WordFile: path}
	if carded {
		at.Card = at.URL + ".well-known/agent-card.json"
	}
	web := &http.Server{Handler: handler(at.URL, word), ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: 16 << 10}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { closed <- web.Close() })
	defer stop()
	if err := a.Show(at, func(w io.Writer) error {
		s := view.Sheet{{"server", at.URL}}
		if carded {
			s.Add("agent card", at.Card)
		}
		s.Add("word", "in "+path)
		s.Add("ready", "clients send the header Authorization: Bearer WORD; ^C ends the server")
		return s.Write(w)
	}); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-closed
}

// readWord reads the word of a server, or makes one.
func readWord(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", cli.Fail("the folder of the server's word cannot be made: %v", err).Next("name another file with --word")
		}
		word := rand.Text()
		return word, os.WriteFile(path, []byte(word+"\n"), 0o600)
	}
	if err != nil {
		return "", err
	}
	if info.Size() > mostWord || info.Mode().Perm()&0o077 != 0 {
		return "", cli.Fail("%s is no word of a server: others can read it, or it is too long", path).Next("remove the file, and the command makes a new one; or: chmod 600 " + path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	word := strings.TrimSpace(string(raw))
	if len(word) < leastWord || strings.ContainsAny(word, " \t\r\n") {
		return "", cli.Fail("the word in %s has to be one line of %d bytes or more without spaces", path, leastWord).Next("remove the file, and the command makes a new one")
	}
	return word, nil
}
