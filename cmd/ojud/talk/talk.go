// Package talk has the commands by which agents and people talk with agents, and the agreements
// that come of it.
package talk

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/link"
	"ojud/agent/talk/owner"
	"ojud/cmd/ojud/cli"
	keys "ojud/cmd/ojud/delegation"
	"ojud/cmd/ojud/view"
	"ojud/datasource/anex"
	"ojud/ledger/journal/durable"
	"ojud/p2p/direct"
)

// Command returns the group of commands.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "talk",
		Short: "Talk with other agents: agree on terms, exchange data, sign agreements",
		Long: `Two agents, or the people behind them, introduce themselves, agree on terms and exchange data by
ANEX, for any purpose. A person types in the terminal; what the flags allow is answered without
one. Terms that both accept become an agreement, which both sign (ojud agreement show). The audit
log of the agent has a line for each message. docs/talking.md has a conversation to try.`,
		Example: `  ojud agent talk serve --key bob.json --create-key --owner "Joe Smith" --listen 127.0.0.1:4800
  ojud agent talk to wss://127.0.0.1:4800/ --peer did:key:z6Mk... --key alice.json --create-key`,
	})
	cmd.AddCommand(newServe(a), newTo(a), newKept(a))
	return cmd
}

// manners are the flags of both commands: what the owner says without being asked.
type manners struct {
	owner, talk, terms, require, data string
	access, promise, about, relation  []string
	ontology, asks                    []string
	alone, create, plain, cbor        bool
	wait                              time.Duration
	cert, certKey, ca                 string
	mind                              thinking
}

func (m *manners) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.owner, "owner", "", "the person or firm for whom the agent speaks")
	f.StringVar(&m.talk, "talk", "ask", "whether to talk to agents that ask: yes, no or ask")
	f.StringVar(&m.terms, "terms", "ask", "whether to sign terms within --access, --promise and --for: yes, no, ask, or mind (that of --mind decides)")
	f.StringArrayVar(&m.about, "for", nil, "purpose (request_type) of a call that --terms yes or mind may sign; may be given again")
	f.StringArrayVar(&m.relation, "relation", nil, "relation that such a call may name, beside none; may be given again")
	f.StringVar(&m.require, "require", "", `what an agent has to tell before it is talked to, such as "your owner's email"`)
	f.StringSliceVar(&m.access, "access", nil, "names of data that others may get, such as name,schedule")
	f.StringArrayVar(&m.promise, "promise", nil, "promise that others have to make and that you make; may be given again")
	f.StringArrayVar(&m.ontology, "ontology", nil, "vocabulary (a JSON Schema): https://... or FILE, or URL=FILE; may be given again")
	f.StringVar(&m.data, "data", "", "file with a JSON object: the data that is told, as far as the terms allow")
	f.BoolVar(&m.alone, "alone", false, "no person is here: what one would decide is refused")
	f.BoolVar(&m.create, "create-key", false, "make the key file if there is none")
	f.BoolVar(&m.plain, "plain", false, "talk also with those who do not speak ANEX, in plain text; they are not proven")
	f.DurationVar(&m.wait, "wait", 10*time.Minute, "how long an answer may take")
	f.StringVar(&m.cert, "cert", "", "file with the own certificate (PEM); without it the agent's key makes one")
	f.StringVar(&m.certKey, "cert-key", "", "file with the key of --cert (PEM)")
	m.mind.add(cmd)
}

// room is what one command needs for its conversations.
type room struct {
	a       *cli.App
	manners manners
	key     delegation.Signer
	caps    talk.Caps
	trail   *audit.Trail
	home    string
	store   *store
	end     *link.End

	mu      sync.Mutex // of what is below, and of the output
	next    int
	all     map[int]*conversation
	chosen  int           // the conversation that takes lines without a number, if it alone is open
	begun   chan struct{} // closed when the first one begins
	data    []byte        // what is in the file of --data
	renewed chan struct{} // closed when data changes
	mind    *thinker      // nil: there is none
	words   owner.Vocabularies
	feed    *feed // nil: the data are those of --data
}

// idle is how long a conversation stays without a message after the time for an answer.
const idle = 5 * time.Minute

func (m manners) open(ctx context.Context, a *cli.App, serves bool) (r *room, err error) {
	choices := map[string]bool{"yes": true, "no": true, "ask": true}
	switch byMind := m.terms == string(owner.ByAgent); {
	case !choices[m.talk] || !choices[m.terms] && !byMind:
		return nil, cli.Usage("--talk is yes, no or ask, and --terms likewise or mind")
	case byMind && m.mind.address == "":
		return nil, cli.Usage("--terms mind is for a mind; name one with --mind")
	case (m.terms == "yes" || byMind) && len(m.about) == 0 && serves:
		return nil, cli.Usage("--terms %s signs only for purposes that you list", m.terms).Next(`say for which, such as --for "calendar negotiation"`)
	}
	if m.wait < time.Second || m.wait > time.Hour {
		return nil, cli.Usage("--wait is from 1s to 1h")
	}
	if m.create {
		if err := a.CreateKey(); err != nil {
			return nil, err
		}
	}
	r = &room{a: a, manners: m, caps: talk.DefaultCaps(), all: map[int]*conversation{}, chosen: 1, begun: make(chan struct{}), renewed: make(chan struct{})}
	r.caps.Reply, r.caps.Idle = m.wait, m.wait+idle
	if r.key, err = keys.Load(a); err != nil {
		return nil, err
	}
	if r.home, err = a.HomeDir(); err != nil {
		return nil, err
	}
	if r.data, err = m.read(); err != nil {
		return nil, cli.Usage("--data: %v", err)
	}
	if r.words, err = vocabularies(ctx, m.ontology); err != nil {
		return nil, err
	}
	if r.mind, err = m.mind.open(ctx, r.home, r.key.Principal().String()); err != nil {
		return nil, err
	}
	log, err := a.Logger()
	if err != nil {
		return nil, err
	}
	r.end = &link.End{Key: r.key, Plain: m.plain, CBOR: m.cbor || serves, Log: log}
	if err := r.certificates(); err != nil {
		return nil, err
	}
	dir, err := keys.Logs(a)
	if err != nil {
		return nil, err
	}
	r.trail, err = audit.Open(dir, r.key, func() int64 { return time.Now().Unix() })
	if errors.Is(err, durable.ErrLocked) {
		return nil, cli.Fail("another command uses this home with this key: %v", err).Next("end it, or talk by another --key or --home")
	}
	if err != nil {
		return nil, err
	}
	if r.store, err = openStore(r.home, r.key.Principal().String()); err == nil && r.mind != nil {
		err = r.mind.forget(ctx, r.store, r.home, "")
	}
	if err != nil {
		return nil, errors.Join(err, r.trail.Close())
	}
	return r, nil
}

// started is the result of serve.
type started struct {
	Agent string   `json:"agent"`
	At    []string `json:"at"`
}

func newServe(a *cli.App) *cobra.Command {
	var m manners
	var listen string
	var keep time.Duration
	var from feed
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Take conversations of other agents until you stop it",
		Long: `Serve takes conversations over wss, or over libp2p if --listen is such as /ip4/0.0.0.0/tcp/4001.
Each conversation has a number. Type the number and what you say; the number may be left out while
only the conversation that you spoke in last is open. "help" lists what you may say. What --talk,
--terms, --access, --promise and --data allow is answered without you. Agreements go to the folder
agreements of the home, what was said to the folder talks. If "no data retention" was agreed, what
was said is deleted at the end.

--terms yes signs an agreement whose purpose is one of --for, whose relation is empty or one of
--relation, whose access and promises are within --access and --promise, and which has no deal. It
binds you to give that access and to keep those promises, and to nothing else. A person decides
about all other terms; with --alone they are refused.

With --keep, files in the folder talks that are older are deleted. "ojud agent talk kept" shows and
erases what is kept of one peer.

With --data-source, the data are the answer of a data source of the home (ojud source add) to
--request, as a judge would get it. It is asked again at the times of --every.

The file of --data is read again each second. Who subscribed to a name in it hears when that
changes, as far as the agreement grants it.`,
		Example: `  ojud agent talk serve --key bob.json --owner "Joe Smith" --listen 0.0.0.0:4800
  ojud agent talk serve --talk yes --terms yes --for calendar --access name,schedule \
      --data bob.calendar.json --promise "no data retention" --key bob.json --alone`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if keep != 0 && keep < leastKeep {
				return cli.Usage("--keep is %s; write at least %s, because a conversation may last so long", keep, leastKeep)
			}
			for _, name := range []string{"request", "part", "every"} {
				if from.name == "" && cmd.Flags().Changed(name) {
					return cli.Usage("--%s is for a data source; name one with --data-source", name)
				}
			}
			r, err := m.open(cmd.Context(), a, true)
			if err != nil {
				return err
			}
			if keep > 0 {
				if err := r.store.expire(time.Now().Add(-keep)); err != nil {
					return errors.Join(cli.Fail("what was said before cannot be deleted: %v", err), r.trail.Close())
				}
				go r.expire(cmd.Context(), keep)
			}
			if from.name != "" {
				if err := r.subscribe(cmd.Context(), from); err != nil {
					return errors.Join(err, r.trail.Close())
				}
			}
			r.end.Mutual = r.end.Roots != nil
			a.Stays.Store(true)
			return errors.Join(r.serve(cmd.Context(), listen, cmd.InOrStdin()), r.trail.Close())
		},
	}
	m.add(cmd)
	cmd.Flags().StringVar(&from.name, "data-source", "", "data source of the home whose answer is told, instead of --data")
	cmd.Flags().StringVar(&from.request, "request", "{}", "request for --data-source, as a JSON object")
	cmd.Flags().StringVar(&from.part, "part", "", "part of the answer of --data-source that is told, such as content (default all of it)")
	cmd.Flags().DurationVar(&from.every, "every", 10*time.Second, "time between two requests to --data-source, 1s to 24h")
	cmd.Flags().DurationVar(&keep, "keep", 0, "how long what was said stays in the folder talks, such as 720h (default until it is deleted)")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:4800", "where to listen, for wss or libp2p")
	cmd.Flags().StringVar(&m.ca, "client-ca", "", "file with authorities (PEM): clients must show a certificate of one (mutual TLS)")
	return cmd
}

func (r *room) serve(ctx context.Context, listen string, in io.Reader) error {
	show := func(at ...string) error {
		s := started{Agent: r.key.Principal().String(), At: at}
		return r.a.Show(s, view.Sheet{{"agent", s.Agent}, {"at", strings.Join(at, " ")}, {"ready", "help lists what you may type; ^C ends it"}}.Write)
	}
	go r.read(ctx, in)
	every := time.Second
	if r.feed != nil {
		every = r.feed.every
	}
	look := time.NewTicker(every)
	defer look.Stop()
	go r.watch(ctx, look.C)
	if strings.HasPrefix(listen, "/") {
		if err := r.manners.noSockets(); err != nil {
			return err
		}
		at, wait, err := direct.Listen(ctx, r.directKey(), direct.Conversations(anex.MaxInform), listen, func(ctx context.Context, s *direct.Talk) {
			leave, err := r.end.Crowd.Enter(s.Peer, "", time.Now())
			if err != nil {
				r.end.Log.Info("a peer was refused", "peer", s.Peer, "err", err)
				return
			}
			defer leave()
			r.served(r.run(ctx, r.spoken(s), s.Peer, "", false, "libp2p"))
		})
		if err != nil {
			return cli.Fail("%v", err).Next("give another address with --listen")
		}
		return errors.Join(show(at...), wait())
	}
	var sockets net.ListenConfig
	l, err := sockets.Listen(ctx, "tcp", listen)
	if err != nil {
		return cli.Fail("%v", err).Next("give another address with --listen")
	}
	if err := show("wss://" + l.Addr().String() + "/"); err != nil {
		return errors.Join(err, l.Close())
	}
	return r.end.Serve(ctx, l, func(ctx context.Context, s *link.Socket) {
		peer := s.Peer
		if s.Plain {
			peer = "plain text from " + s.Address
		}
		r.served(r.run(ctx, s.Frames(), peer, "", false, s.Address))
	})
}

// served logs how a conversation that somebody else began has ended.
func (r *room) served(err error) {
	if err != nil {
		r.end.Log.Info("a conversation is over", "err", err)
	}
}

func newTo(a *cli.App) *cobra.Command {
	var m manners
	var peer, script string
	cmd := &cobra.Command{
		Use:   "to ADDRESS",
		Short: "Talk with the agent at an address",
		Long: `To opens a conversation with the agent at wss://HOST:PORT/ or at a libp2p address such as
/ip4/10.0.0.7/tcp/4001/p2p/12D3.... With --peer nobody else can answer, and the agent needs no
certificate of an authority. Type what you say; "help" lists it. --say reads it from a file, with
"await WHAT" to wait for an answer. "accept" signs terms if you named their deal and promises in
your call; others need their hash, which stands below them. With --cbor, frames are binary if the
other agent reads CBOR; what is shown, kept and signed is the same. The exit status is 0 if both
ended the conversation.`,
		Example: `  ojud agent talk to wss://127.0.0.1:4800/ --peer did:key:z6Mk... --key alice.json
  ojud agent talk to wss://assistant.example.org/ --say calendar.txt --key alice.json --json
  ojud agent talk to wss://chat.example.org/ --plain --key alice.json`,
		Args: cli.Takes(1, "an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := m.open(cmd.Context(), a, false)
			if err != nil {
				return err
			}
			in := cmd.InOrStdin()
			if script != "" {
				f, err := os.Open(script)
				if err != nil {
					return errors.Join(cli.Usage("--say: %v", err), r.trail.Close())
				}
				defer f.Close()
				in = f
			}
			return errors.Join(r.to(cmd.Context(), args[0], peer, in), r.trail.Close())
		},
	}
	m.add(cmd)
	cmd.Flags().StringVar(&peer, "peer", "", "did:key or address of the agent that must answer")
	cmd.Flags().StringSliceVar(&m.asks, "ask", nil, "names of data for which the mind of --goal may ask, such as schedule (default none)")
	cmd.Flags().StringVar(&m.mind.goal, "goal", "", "what the mind of --mind is to reach: it begins and goes on by itself")
	cmd.Flags().StringVar(&script, "say", "", "file with what you say, a line each")
	cmd.Flags().BoolVar(&m.cbor, "cbor", false, "send frames in CBOR if the other agent reads it")
	cmd.Flags().StringVar(&m.ca, "ca", "", "file with authorities (PEM) instead of those of the system")
	return cmd
}

func (r *room) to(ctx context.Context, address, peer string, in io.Reader) error {
	var who *delegation.Principal
	if peer != "" {
		p, err := keys.Principal("--peer", peer)
		if err != nil {
			return err
		}
		who = &p
	}
	if who != nil && r.manners.plain {
		return cli.Usage("plain text proves nobody, so --peer and --plain do not go together")
	}
	go r.read(ctx, in)
	opened, stop := context.WithTimeout(ctx, r.manners.wait)
	defer stop()
	if strings.HasPrefix(address, "/") {
		if err := r.manners.noSockets(); err != nil {
			return err
		}
		speaks := direct.Conversations(anex.MaxInform)
		if !r.end.CBOR {
			speaks.Better = ""
		}
		s, err := direct.Dial(opened, r.directKey(), speaks, address)
		if err != nil {
			return cli.Fail("%v", err)
		}
		if who != nil && s.Peer != who.String() {
			return errors.Join(cli.Fail("the agent at %s is %s, not %s", address, s.Peer, who), s.Close())
		}
		ended := r.run(ctx, r.spoken(s), s.Peer, rand.Text(), true, address)
		return errors.Join(ended, s.Close())
	}
	s, err := r.end.Dial(opened, address, who)
	if err != nil {
		return cli.Fail("%v", err)
	}
	name, id := s.Peer, rand.Text()
	if s.Plain {
		name, id = "plain text from "+address, ""
	}
	ended := r.run(ctx, s.Frames(), name, id, true, address)
	_ = s.Close() // the peer may be gone already
	return ended
}
