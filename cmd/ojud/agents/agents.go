// Package agents has the commands of an agent host: it runs agents from files, and people call
// them, look at them and change their lives.
package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/host"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// Command returns the command "agents" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "agents",
		Short: "Run agents on this machine, call them, and manage their lives",
		Long: `An agent host runs agents from the files in the folder agents of its home: programs of any
framework, models with tools, or MCP servers. It wakes an agent for a call, bounds what it uses,
remembers for it, and keeps each call on the disk before it is made. Each result is signed by the
key of the agent, and the caller checks it. docs/agents.md begins with an empty folder.

The court's agents, which have a vault on the chain, are those of "ojud agent".`,
		Example: `  ojud agents run --home ~/agents
  ojud agents list --home ~/agents
  ojud agents invoke agent://upper/shout '"hello"' --home ~/agents`,
	})
	cmd.AddCommand(newRun(a), newCheck(a), newPage(a), newList(a), newLineage(a), newStatus(a), newCard(a), newInvoke(a), newTalk(a), newSpawn(a),
		newLife(a, host.Wake, "Open an agent, so that its next call starts at once", `Wake opens an agent: it starts the servers that its file names, and waits for them. A call does the
same by itself.`),
		newLife(a, host.Hibernate, "Free the processes and the memory of an agent", `Hibernate ends the processes of an agent and frees its memory. Its state is on the disk, and a call
wakes it. It is refused while a call is under way. Agents do it by themselves after the time "idle"
of their file.`),
		newLife(a, host.Terminate, "End an agent for ever and archive its identity", `Terminate ends an agent for ever. Its calls under way end as cancelled, what it remembered is
forgotten, and its key goes to the folder keys/archive. Its id is never used again.`),
		newRecall(a), newLearn(a), newForget(a), newExport(a), newImport(a), newDeploy(a))
	return cmd
}

// open finds the host of the home.
func open(a *cli.App) (*door.Guest, error) {
	dir, err := a.HomeDir()
	if err != nil {
		return nil, err
	}
	c, err := door.Open(dir)
	return c, explained(err)
}

// explained turns an error of the host into one with the next step.
func explained(err error) error {
	var refused *host.Refused
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Code == host.Form:
		return cli.Usage("%s", refused.Words)
	case errors.As(err, &refused):
		return cli.Fail("%s (%s)", refused.Words, refused.Code)
	case errors.Is(err, door.ErrNotRunning):
		return cli.Fail("%v", err).Next("start it with: ojud agents run")
	}
	return cli.Fail("%v", err)
}

// started is the result of run.
type started struct {
	URL      string `json:"url"`
	Home     string `json:"home"`
	Agents   int    `json:"agents"`
	Operator string `json:"operator"`         // did:key
	Public   string `json:"public,omitempty"` // the address of agents for other machines
	Peer     string `json:"peer,omitempty"`   // of libp2p
	// Libp2p are the addresses of agents over libp2p.
	Libp2p []string `json:"libp2p,omitempty"`
}

func newRun(a *cli.App) *cobra.Command {
	var listen string
	var out public
	var notify receiver
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the agents of the home until you stop it",
		Long: `Run reads the files agents/*.toml of the home, makes the keys that are missing, and serves the
agents on this machine until you stop it. The file agents/api has the address and the word that a
program needs to use the host.

It goes on where the last host ended, also after a crash: calls that had not started are made, and
calls that had started are reported as interrupted and never made again, and so are those whose
clients gave a context, parameters or tools. If a file has an error, it starts nothing and names
file, line and field.

With --public, callers on other machines reach the agents, too, over TLS: who has a delegation of
the operator or of an agent signs a call under it. Nothing else is answered there. The host shows
the key of its operator, or with --cert a certificate of an authority. docs/agents.md says what
strangers and delegates can do there, and has examples.

With --libp2p they reach the same over libp2p, by the peer id, which is the key of the operator. A
host that nobody can dial, such as one behind a router, names a relay with --through: a host that
was started with --libp2p and --carry PEER, and so carries for it. docs/agents.md has an example.

If a call waits for your approval, run says so. You answer it on a page (ojud agents page) or in a
terminal (ojud agent delegation approve). With --notify it also posts a signed notification to a
URL, as docs/webhooks.md describes them. The secret is in the home's file --notify-secret.

With --network, agents whose file names data sources ask their holders, by their own keys.`,
		Example: `  ojud agents run --home ~/agents
  ojud agents run --home ~/agents --network http://127.0.0.1:8899/network.json
  ojud agents run --home ~/agents --public 0.0.0.0:4800
  ojud agents run --home ~/agents --libp2p 0.0.0.0:4801 --carry 12D3KooW...
  ojud agents run --home ~/agents --through 12D3KooW...@relay.example:4801
  ojud agents run --home ~/agents --listen 127.0.0.1:4700 --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), a, listen, out, notify) },
	}
	cmd.Flags().StringVar(&a.Network, "network", "", "network.json of a court whose data sources agents may ask: file, URL or HOST:PORT (default $OJUD_NETWORK)")
	cmd.Flags().StringVar(&out.address, "public", "", "address and port for callers on other machines (default none)")
	cmd.Flags().StringVar(&out.cert, "cert", "", "certificate of an authority for --public, in PEM (default the key of the operator)")
	cmd.Flags().StringVar(&out.key, "cert-key", "", "key of --cert, in PEM")
	cmd.Flags().StringVar(&out.libp2p, "libp2p", "", "IP address and port for callers over libp2p (default none)")
	cmd.Flags().StringSliceVar(&out.through, "through", nil, "hosts that carry for this one over libp2p, PEER@HOST:PORT")
	cmd.Flags().StringSliceVar(&out.carries, "carry", nil, "peers, 12D3KooW..., that others reach through this host; for --libp2p")
	cmd.Flags().StringVar(&notify.url, "notify", "", "URL that is told, as a webhook, when a call waits for you (default none)")
	cmd.Flags().StringVar(&notify.secret, "notify-secret", "notify.secret", "file in the home with the secret that signs what --notify sends")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "loopback address and port; port 0 takes a free one")
	return cmd
}

// run runs a host until ctx ends.
func run(ctx context.Context, a *cli.App, listen string, out public, notify receiver) error {
	dir, err := a.HomeDir()
	if err != nil {
		return err
	}
	log, err := a.Logger()
	if err != nil {
		return err
	}
	sender, err := notify.sender(dir, a, log)
	if err != nil {
		return err
	}
	h, err := shell.Open(dir, shell.Means{LookupEnv: a.LookupEnv, Transport: a.Transport, Log: log, Ask: asker(a, log), Reach: reach, Waits: waits(log, sender, dir)})
	if err != nil {
		return cli.Fail("%v", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	server, err := door.Listen(ctx, dir, listen, h, log)
	if err != nil {
		return errors.Join(cli.Fail("the agent host cannot listen: %v", err).Next("give another address with --listen"), h.Close())
	}
	at := started{URL: server.URL(), Home: dir}
	if at.Public, err = out.open(ctx, dir, server); err != nil {
		return errors.Join(err, h.Close())
	}
	if at.Peer, at.Libp2p, err = out.join(dir, server, log); err != nil {
		return errors.Join(err, h.Close())
	}
	shell.Reached(h, at.places())
	at.Operator = shell.OperatorOf(h)
	all, err := h.List(shell.Caller{ID: host.Operator})
	if err != nil {
		return errors.Join(err, h.Close())
	}
	pages, err := openPages(server, h, log)
	if err != nil {
		return errors.Join(err, h.Close())
	}
	served := make(chan error, 1)
	go func() {
		var sending sync.WaitGroup
		sending.Go(func() {
			if err := sender.Run(ctx); err != nil {
				stop(err)
			}
		})
		err := errors.Join(server.Run(ctx), pages.Close())
		stop(err)
		sending.Wait()
		served <- err
	}()
	a.Stays.Store(true)
	for _, one := range all {
		if one.Life != host.Terminated {
			at.Agents++
		}
	}
	if err := a.Show(at, func(w io.Writer) error {
		s := view.Sheet{{"agent host", at.URL}, {"home", at.Home}, {"agents", fmt.Sprint(at.Agents)}}
		s.Add("operator", at.Operator)
		s.Add("calls that wait", "ojud agents page --home "+at.Home+" prints the address of their page")
		s.Add("public", at.Public)
		s.Add("peer", at.Peer)
		for _, address := range at.Libp2p {
			s.Add("libp2p", address)
		}
		s.Add("ready", "^C ends it")
		return s.Write(w)
	}); err != nil {
		stop(err)
		return errors.Join(err, h.Run(ctx), <-served)
	}
	err = h.Run(ctx)
	stop(err)
	return errors.Join(err, <-served)
}

// checked is the result of check.
type checked struct {
	Home     string   `json:"home"`
	Files    int      `json:"files"` // that were read
	Problems []string `json:"problems"`
}

func newCheck(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Read the files of the agents, and say what is wrong in them",
		Long: `Check reads the files agents/*.toml of the home and prints each error with its file, line, field,
limits and fix. It starts nothing and needs no running host. The exit status is 1 if there is an
error, or no folder of agents.`,
		Example: `  ojud agents check --home ~/agents
  ojud agents check --home ~/agents --json`,
		Args: cli.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.HomeDir()
			if err != nil {
				return err
			}
			right, bad, err := shell.Inspect(dir)
			if errors.Is(err, fs.ErrNotExist) {
				return cli.Fail("there is no folder %s in %s", shell.Folder, dir).Next("name the home of the agents with --home; docs/agents.md shows how to write one")
			}
			if err != nil {
				return err
			}
			out := checked{Home: dir, Files: len(right) + len(bad), Problems: []string{}}
			for _, p := range bad {
				out.Problems = append(out.Problems, p.Error())
			}
			if err := a.Show(out, func(w io.Writer) error {
				s := view.Sheet{{"home", out.Home}}
				for _, p := range out.Problems {
					s.Add("problem", p)
				}
				if len(out.Problems) == 0 {
					s.Add("files", fmt.Sprintf("%d, and none is wrong", out.Files))
				}
				return s.Write(w)
			}); err != nil {
				return err
			}
			if n := len(out.Problems); n > 0 {
				return cli.Fail("%d files of agents cannot be used", n)
			}
			return nil
		},
	}
}

func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the agents of the host and their states",
		Long:  `List prints every agent of the host, with the terminated ones. With --json each line is an object.`,
		Example: `  ojud agents list --home ~/agents
  ojud agents list --home ~/agents --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := open(a)
			if err != nil {
				return err
			}
			var all []host.Portrait
			if err := c.Use(cmd.Context(), "agent.list", struct{}{}, &all); err != nil {
				return explained(err)
			}
			return cli.List(a, all, "the home has no agent; docs/agents.md shows how to write the file of one", []string{"AGENT", "STATE", "CALLS", "RUNNING", "CAPABILITIES"}, func(v host.Portrait) []string {
				return []string{v.ID, string(v.Life), fmt.Sprint(v.Calls), fmt.Sprint(v.Running), strings.Join(capabilities(v), ", ")}
			})
		},
	}
}

func capabilities(v host.Portrait) (names []string) {
	for _, c := range v.Capabilities {
		names = append(names, c.Name)
	}
	return names
}

func newStatus(a *cli.App) *cobra.Command {
	var far distant
	cmd := &cobra.Command{
		Use:   "status AGENT",
		Short: "Show one agent: its state, capabilities and what it used",
		Long: `Status prints the state of an agent, its key, its capabilities, where it is reached, and what its
calls have used. With --json, endpoints lists the address of each capability, on this host and for
callers of other machines; HOST stands for a name of this machine if the host listens at all of its
addresses. Of a service whose server does not answer, status says since when and why. The host tries
it again.

agent://HOST:PORT/ID is an agent of another host, or with KEY@ or PEER@ before HOST as for invoke.
You need a delegation of its operator or of the agent (--under) and your key (--key), and you see
its name, its state, and those capabilities that your delegation allows, with the schemas of their
inputs and results. The agent signs the answer. It makes no call and costs nothing. agent://ID is
looked for as by invoke: at the host of the home, and then in the cards of the court.`,
		Example: `  ojud agents status upper --home ~/agents
  ojud agents status upper --home ~/agents --json
  ojud agents status agent://worker.example:4800/writer --under c.chain --key c.json`,
		Args: cli.Takes(1, "the id of an agent, or its address on another host"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := resolved(cmd.Context(), a, args[0], far.under)
			if err != nil {
				return err
			}
			if host.IsRemote(to.address) {
				return describeFar(cmd.Context(), a, to, far)
			}
			args[0] = strings.TrimPrefix(to.address, scheme)
			if far != (distant{}) || cmd.Flags().Changed("key") {
				return cli.Usage("--under, --key and --did are for an agent of another host; leave them out")
			}
			c, err := open(a)
			if err != nil {
				return err
			}
			var v host.Portrait
			if err := c.Use(cmd.Context(), "agent.status", map[string]string{"agent": args[0]}, &v); err != nil {
				return explained(err)
			}
			return a.Show(v, sheet(v).Write)
		},
	}
	cmd.Flags().StringVar(&a.Key, "key", "", "key file at which the chain of --under ends (default $OJUD_KEY or the home's authority.json)")
	cmd.Flags().StringVar(&far.under, "under", "", "file of a chain of delegations for an agent of another host")
	cmd.Flags().StringVar(&far.did, "did", "", "the key that the agent of another host must have (default the one that its host names)")
	court(a, cmd)
	return cmd
}

func sheet(v host.Portrait) view.Sheet {
	s := view.Sheet{{"agent", v.ID}, {"name", view.Short(view.Escape(v.Name))}, {"state", string(v.Life)}, {"key", v.DID}}
	s.Add("spawned by", v.Parent)
	s.Add("deployed for", v.Delegate)
	if v.Until > 0 {
		s.Add("lives until", time.UnixMilli(v.Until).UTC().Format(time.RFC3339))
	}
	s.Add("autonomy", fmt.Sprint(v.Autonomy))
	s.Add("calls", fmt.Sprintf("%d ended, %d under way", v.Calls, v.Running))
	s.Add("used", fmt.Sprintf("%d tokens, %.6f dollars", v.Tokens, float64(v.Micros)/1e6))
	s.Add("you approve", strings.Join(v.Required, ", "))
	limit := v.Constraints
	s.Add("limits", fmt.Sprintf("%d calls at once, %s a call, %d tokens and %.6f dollars a call", limit.Concurrent, time.Duration(limit.Time)*time.Millisecond, limit.Tokens, float64(limit.Micros)/1e6))
	s.Add("may call", view.Short(strings.Join(append(append([]string{}, limit.Calls...), limit.Remotes...), ", ")))
	s.Add("may ask", view.Short(strings.Join(limit.Sources, ", ")))
	for i, at := range v.Endpoints[min(len(v.Capabilities), len(v.Endpoints)):] {
		if i%len(v.Capabilities) == 0 {
			s.Add("reached at", view.Escape(at[:strings.LastIndex(at, "/")+1]+"CAPABILITY"))
		}
	}
	for _, c := range v.Capabilities {
		s.Add("capability", view.Short(view.Escape(strings.TrimSuffix(host.Target{Agent: v.ID, Capability: c.Name}.String()+": "+c.Description, ": "))))
	}
	if v.Down > 0 {
		s.Add("down since", time.UnixMilli(v.Down).UTC().Format(time.RFC3339)+": "+view.Short(view.Escape(v.Why)))
	}
	if v.Missing {
		s.Add("problem", "its file is not there any more")
	}
	return s
}
