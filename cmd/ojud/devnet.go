package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/browse"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/homes"
	"ojud/node/assay"
	"ojud/node/cluster"
	"ojud/node/cluster/npm"
	"ojud/node/marketdemo"
)

// Ports of a devnet that stays up: the RPC port of solana-test-validator, and one for the first
// node. A demo takes free ones.
const (
	devnetRPC = 8899
	devnetP2P = 4700
)

// devnet holds the flags of a devnet.
type devnet struct {
	app *app
	performance
	fast, warp, listed bool
	nodes              int
	cluster.Faults
	story, source             string
	holders, lying, strangers int
	data, host                string
	rpc, p2p                  int
	commit, reveal            time.Duration
	models                    homes.Models
	golden                    goldenRun
}

// performance says whether a dispute is played, and whether the court stays up after it.
type performance struct{ demo, stay bool }

func newDevnet(a *app) *cobra.Command {
	d := &devnet{app: a}
	cmd := &cobra.Command{
		Use:   "devnet [STORY]",
		Short: "Run a whole court on this machine: a Solana chain, its program, and judges",
		Long: `devnet runs an embedded Solana chain with the oju program, and the nodes of its judges, in one
process.

It stays up until you stop it, and tells what happens on the chain. Others join with "ojud join URL"
as it prints. With --host they can join from other machines, and everyone who reaches that address
can use the faucet. With --demo a creator and a worker bring a dispute before the court, the court
decides, and the command ends, with exit status 0 if the case file verifies. It prints the address
of the court's pages, where you see the dispute; with --stay they stay up after it.

The demo is about a drawing that code can judge. The story "data" (or "post") is about a post on a
site that runs on this machine. Only the first judges have access to it; the others ask them, and
get receipts. With --source mcp these judges have MCP servers instead, which npx fetches from npm
(@modelcontextprotocol/server-memory; it needs Node.js 20). In "dated" the post needs a day, in
"file" it is a file, byte for byte. In "payment" each judge's node looks a transaction up.

In the story "engine" not the court but three of five signers decide a first task. They are silent
about a second one, so the court decides it, and an escrow of another program pays by that verdict.

In the story "appeal" somebody pays five of the seven judges of the first panel after their draw.
They decide against the worker, who appeals to the 21 others. These pay it, and the five lose a part
of their stakes.

In the story "market" three creators and five workers trade without a person. One worker is lazy,
one lies, and one creator objects to everything. A table shows who gained what.

In the story "brain" a task of MegaBrain has five workers (one copies, one is lazy, one is wrong)
and three evaluators. One of these passes everything and posts a false outcome, which goes to the
court and back. A table shows who earned what, and why. Then a golden task that was opened with a
lie goes to the court. Its question has a check, so that judges decide the appeal without a model.
With --model-url and --model, the judges ask that model about two more: a lie about a question in
words, and the truth, whose question the appellant hides. A second table shows what the creator and
the appellant gained and lost, and to whom that went.

The stories "invoices", "median", "query", "report", "thumbnail" and "translation" are work that
firms pay for: data from a letter, a program and a query with tests, a report with citations, an
image, a translation. Code decides each by the checks of its task; so it does in "alan-walker".

The story "judges" is about ten lines on a musician, some of them perhaps off the topic. Code cannot
decide that, so each judge asks a model, as another of the 28 personas, and the demo prints each
vote with its reason. It needs a server that speaks as OpenAI does (--model-url), such as
llama.cpp's llama-server or Ollama on this machine. If you name several, the judges take turns. Each
judge asks twice, with either side first. Because models are slow, there are 7 minutes to commit
even with --fast, unless --commit says otherwise.

A round ends as soon as all judges have voted, so long limits cost no time. On a slow machine --fast
lengthens its limits by itself, and says so.

--absent, --contrary and --equivocating make the last judges misbehave, so that you see slashes.

With --judges each judge is one of a file: "ojud court judges --help" says what it has.

With --golden the court's keyholder admits a proctor, who posts golden cases among ordinary ones.
Its judges are scripted: some reject everything, some vote as the court decided last, the others are
right in --right percent of the cases. When all batches are applied, one table shows what each judge
was right in, what it earned, and whether its record lets it sit; then the command ends. A
case of 28 judges takes 6 s and more on two cores; with --golden 50% a batch of 20 has 40 cases, and
40 more come before the first one.`,
		Example: `  ojud devnet --demo --fast
  ojud devnet --demo --fast --stay
  ojud devnet --demo --fast --absent 5 --contrary 4
  ojud devnet --demo data --fast
  ojud devnet --demo data --fast --lying 1
  ojud devnet --demo data --fast --holders 1 --strangers 2
  ojud devnet --demo data --fast --source mcp
  ojud devnet --demo file --fast
  ojud devnet --demo engine --fast
  ojud devnet --demo appeal --fast
  ojud devnet --demo market --fast
  ojud devnet --demo brain --fast
  ojud devnet --demo brain --fast --nodes 7 --model-url http://127.0.0.1:8080/v1 --model qwen3-8b
  ojud devnet --demo judges --fast --model-url http://127.0.0.1:8080/v1 --model qwen3-8b
  ojud devnet --demo judges --fast --model-url https://api.openai.com/v1 --model gpt-5-mini \
      --model-key '${env:OPENAI_API_KEY}'
  ojud devnet --fast --judges examples/judges/panel.toml
  ojud devnet --golden 10% --fast --nodes 8 --leaves 4
  ojud devnet --golden 50% --fast --batches 3
  ojud devnet --fast --data ./devnet
  ojud devnet --fast --host 192.168.1.5
  ojud devnet --fast --listed
  ojud devnet --nodes 0`,
		Args: cli.Takes(0, "the story of the demo"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.count(cmd.Flags().Changed("nodes")); err != nil {
				return err
			}
			if err := d.tells(args, cmd.Flags().Changed("holders"), cmd.Flags().Changed("source")); err != nil {
				return err
			}
			d.ports(cmd.Context(), cmd.Flags().Changed("rpc-port"), cmd.Flags().Changed("p2p-port"))
			return d.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&d.demo, "demo", false, "settle one dispute, then end")
	flags.BoolVar(&d.stay, "stay", false, "keep the court and its pages up after the demo")
	flags.StringVar(&d.source, "source", string(cluster.UpstreamHTTP), "source of the holders: http (a site) or mcp (an MCP server from npm)")
	flags.IntVar(&d.holders, "holders", 2, "judges with access to the source of the story data")
	flags.IntVar(&d.lying, "lying", 0, "further judges that claim to have it, and lie")
	flags.IntVar(&d.strangers, "strangers", 0, "nodes without a stake that claim to have it, and lie")
	flags.IntVar(&d.nodes, "nodes", cluster.DefaultConfig().Nodes, "number of judges; 0: the chain alone (default with --data: those of the court that is there)")
	flags.BoolVar(&d.fast, "fast", false, "a court that decides in seconds on a fast machine: at most 60s to commit and 40s to reveal")
	flags.BoolVar(&d.warp, "warp", false, "the main network's times, but the clock moves if the demo only waits")
	flags.BoolVar(&d.listed, "listed", false, "a listed court: others join only if you admit them with \"ojud court admit\"")
	flags.StringVar(&d.data, "data", "", "directory that keeps everything; a second start continues (default a new temporary one)")
	flags.StringVar(&d.host, "host", "127.0.0.1", "IP address of this machine on which chain and nodes listen")
	flags.IntVar(&d.rpc, "rpc-port", devnetRPC, "port of JSON-RPC; the websocket has the next one; 0: free ones, as with --demo")
	flags.IntVar(&d.p2p, "p2p-port", devnetP2P, "TCP port of the first node; 0: a free one, as with --demo")
	flags.DurationVar(&d.commit, "commit", 0, "time to commit of a new court (default 7m, 60s with --fast unless judges ask a model)")
	flags.DurationVar(&d.reveal, "reveal", 0, "time to reveal of a new court (default 3m, 40s with --fast)")
	flags.IntVar(&d.Absent, "absent", 0, "judges with a stake whose nodes do not run")
	flags.IntVar(&d.Contrary, "contrary", 0, "judges that say the opposite of what they think")
	flags.IntVar(&d.Equivocating, "equivocating", 0, "judges that sign two different statements")
	d.models.Flags(flags)
	d.golden.flags(flags)
	return cmd
}

// tells reads the demo's story from the arguments and checks the flags of the stories.
func (d *devnet) tells(args []string, holders, source bool) error {
	d.story = string(cluster.StoryEleptiger)
	if len(args) > 0 {
		d.story = cmp.Or(map[string]string{"post": string(cluster.StoryData)}[args[0]], args[0]) // post is its folder of examples
	}
	switch {
	case d.stay && !d.demo:
		return cli.Usage("--stay is for a demo; without --demo a devnet stays up anyway").Next("add --demo, or leave --stay out")
	case len(args) > 0 && !d.demo:
		return cli.Usage("a story is for a demo").Next("add --demo, or leave it out")
	case d.several() && (!d.fast || d.Faults != cluster.Faults{}):
		return cli.Usage("the story %s needs --fast, and its judges are honest", d.story).Next("ojud devnet --demo " + d.story + " --fast")
	case !slices.Contains(stories(), d.story):
		return cli.Usage("there is no story %q", d.story).Next("take one of " + strings.Join(stories(), ", "))
	case d.story != string(cluster.StoryJudges) && d.story != storyBrain && d.models.Given():
		return cli.Usage("--model-url, --model, --model-key and --model-seats belong to the stories judges and brain").Next("ojud devnet --demo judges, or ojud devnet --demo brain --fast")
	case d.source != string(cluster.UpstreamHTTP) && d.source != string(cluster.UpstreamMCP):
		return cli.Usage("there is no source %q", d.source).Next("take --source http or --source mcp")
	case source && d.story != string(cluster.StoryData) || !cluster.Story(d.story).Asked() && (holders || d.lying != 0 || d.strangers != 0):
		return cli.Usage("--holders, --lying and --strangers belong to the stories data, dated and file, and --source belongs to the story data").Next("ojud devnet --demo data")
	case !cluster.Story(d.story).Asked():
		d.holders = 0
	case d.lying > 0 && !holders:
		d.holders = min(d.holders, max(d.nodes-d.lying, 0))
	}
	return nil
}

// config returns the configuration of the cluster that the flags describe.
func (d *devnet) config() (cluster.Config, error) {
	c := cluster.DefaultConfig().Sized(d.nodes)
	switch {
	case d.fast && d.warp:
		return c, cli.Usage("--fast and --warp exclude each other").Next("take --fast for a court of seconds, --warp for the main network's times")
	case d.demo && d.nodes == 0:
		return c, cli.Usage("a court without judges cannot decide the demo's dispute").Next("leave --nodes out, or set it to 1 or more")
	case !listens(d.host):
		return c, cli.Usage("--host %q is not an IP address of one machine", d.host).Next("leave it out, or take an address of this machine that others can reach, such as 192.168.1.5 or 2a00:7::5")
	case d.rpc < 0 || d.rpc > 65534 || d.p2p < 0 || d.p2p > 65535:
		return c, cli.Usage("a port is between 0 and 65535").Next("leave --rpc-port and --p2p-port out to take the usual ones")
	case d.fast:
		c = c.Fast()
	case d.warp:
		c = c.Warped()
	}
	if d.golden.share != "" {
		share, err := d.assay()
		if err != nil {
			return c, err
		}
		c = c.Golden(share.Share)
	}
	c.Story = cluster.Story(d.story)
	c, err := d.models.Ask(c)
	if err != nil {
		return c, err
	}
	c = c.Rounds(d.commit, d.reveal)
	c.Dir = d.data
	c.Faults = d.Faults
	c.Story, c.Holders, c.Lying, c.Upstream = cluster.Story(d.story), d.holders, d.lying, cluster.Upstream(d.source)
	if d.several() {
		c = marketdemo.Rules(c)
		if c.Story = cluster.StoryEleptiger; d.models.Given() { // neither is played
			c.Story = cluster.StoryJudges
		}
	}
	if d.lying > 0 { // each judge asks all, so that the liar is found
		r := &c.Node.Data.Requester
		r.Answers = min(max(r.Answers, d.holders+d.lying), r.MaxHolders)
	}
	c.Strangers, c.Listed = d.strangers, d.listed
	c.Chain.RPC, c.Chain.WS = net.JoinHostPort(d.host, strconv.Itoa(d.rpc)), ""
	if d.rpc == 0 {
		c.Chain.WS = net.JoinHostPort(d.host, "0") // the port after a free one may be taken
	}
	c.P2P = net.JoinHostPort(d.host, strconv.Itoa(d.p2p))
	return c, nil
}

// listens reports whether other machines can use this address, because network.json names it.
func listens(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && !ip.Is4In6() && !ip.IsUnspecified() && !ip.IsMulticast() && !ip.IsLinkLocalUnicast()
}

func (d *devnet) run(ctx context.Context) (err error) {
	cfg, err := d.config()
	if err != nil {
		return err
	}
	log, err := d.logger(ctx)
	if err != nil {
		return err
	}
	d.app.Stays.Store(!d.ends())
	d.app.EndTime.Store(int64(devnetEndTime))
	t := newTeller(d.app)
	if cfg.Dir, err = d.dir(ctx, cfg, t); err != nil {
		return err
	}
	t.say("Everything is kept in %s.", cfg.Dir)
	deps, bench := cluster.Deps{Logger: log, Tell: t.tell}, (*assay.Bench)(nil)
	if d.several() {
		deps.Tell = t.notes
	}
	if d.golden.share != "" {
		share, err := d.assay()
		if err == nil {
			bench, err = assay.NewBench(share, d.nodes)
		}
		if err != nil {
			return err
		}
		deps.Tell, deps.Judge = t.notes, bench.Judge
	}
	c, err := cluster.Start(ctx, cfg, deps)
	if err != nil {
		if d.data == "" {
			err = errors.Join(err, os.RemoveAll(cfg.Dir))
		}
		return d.ended(ctx, err)
	}
	defer func() { err = errors.Join(err, c.Stop(), t.fault()) }()
	pages := ""
	if m := c.Members(); len(m) > 0 {
		if pages, err = browse.Await(ctx, m[0].Home.Dir); err != nil {
			return err
		}
		t.result("See the court in a browser: %s/", pages)
	}
	if d.demo {
		task, err := d.play(ctx, t, c, cfg.Dir)
		if err != nil || !d.stay {
			return err
		}
		t.result("The court stays up. See the case at %s/case/%s", pages, task)
	}
	if bench != nil {
		return t.measure(ctx, bench, c, cfg.Dir)
	}
	program := "ojud"
	if strings.HasPrefix(os.Args[0], "./") {
		program = os.Args[0] // as the person typed it
	}
	link := ""
	if pages != "" {
		link = " --pages " + pages
	}
	if cfg.Listed {
		t.result("This court is listed. Admit others with: %s court admit ADDRESS --key %s --network %s",
			program, filepath.Join(cfg.Dir, "keys", "deployer.json"), c.Chain().RPC())
	}
	t.result("Trade with: %s desk --network %s --wallet%s", program, strings.TrimPrefix(c.Chain().RPC(), "http://"), link) // in one line, to be copied
	t.result("Join with: %s join %s/network.json (end this with Ctrl-C).", program, c.Chain().RPC())
	if err = c.Wait(ctx); err == nil && ctx.Err() != nil && !d.app.Quiet {
		_, err = fmt.Fprintln(d.app.Err, "stopped")
	}
	return err
}

// logger writes only errors, unless --log-level asks for more: most warnings of the nodes are about
// a busy machine. After a signal it writes nothing, because a shutdown interrupts everything.
func (d *devnet) logger(ctx context.Context) (*slog.Logger, error) {
	return d.app.LoggerTo(untilEnd{ctx, d.app.Err}, "error")
}

// untilEnd is a writer that discards everything after its context has ended.
type untilEnd struct {
	ctx context.Context
	io.Writer
}

// Write implements io.Writer.
func (w untilEnd) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return len(p), nil
	}
	return w.Writer.Write(p)
}

// dir returns the directory for all files. It creates nothing if the command line is wrong or if a
// program is missing.
func (d *devnet) dir(ctx context.Context, cfg cluster.Config, t *teller) (string, error) {
	if d.data == "" {
		cfg.Dir = os.TempDir()
	}
	if err := cfg.Validate(); err != nil {
		return "", cli.Usage("%s", cli.Plain(err))
	}
	if err := cfg.Check(ctx); errors.Is(err, npm.ErrNoNode) {
		return "", cli.Fail("%v", err).Next("install Node.js from your distribution or https://nodejs.org, or leave --source out")
	} else if err != nil {
		return "", err
	}
	if err := d.free(ctx); err != nil {
		return "", err
	}
	if err := homes.Probe(ctx, cfg, t.say); err != nil {
		return "", err
	}
	if d.data != "" {
		return d.data, nil
	}
	return os.MkdirTemp("", "ojud-devnet-")
}

// ended returns nil if a person interrupted the start of a devnet that was to stay up.
func (d *devnet) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && !d.ends() {
		return nil
	}
	return fmt.Errorf("the devnet did not start: %w", err)
}
