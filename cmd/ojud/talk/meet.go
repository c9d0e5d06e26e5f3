package talk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/agent/talk/link"
	"ojud/agent/talk/meeting"
	"ojud/cmd/ojud/cli"
	keys "ojud/cmd/ojud/delegation"
	"ojud/cmd/ojud/view"
	"ojud/datasource/anex"
	"ojud/node/library"
)

// Meet returns the group of commands about meetings.
func Meet(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "meet",
		Short: "Talk with several agents at once: meetings with signed minutes",
		Long: `A meeting is a conversation of up to 32 agents, or the people behind them, through one of them, its
convener. All see all that is said, in one order. Each remark is signed by who says it, and the
minutes are a chain, so the convener cannot change, invent or reorder remarks, and what it leaves
out, or tells members differently, is found. Terms become an agreement when all of their parties
signed (ojud agreement show). docs/talking.md has a meeting to try.`,
		Example: `  ojud agent meet open --topic "A trip" --member did:key:z6Mk... --key ann.json
  ojud agent meet join wss://127.0.0.1:4801/ --peer did:key:z6Mk... --key bob.json`,
	})
	cmd.AddCommand(newMeetOpen(a), newMeetJoin(a), newMeetVerify(a))
	return cmd
}

func (m *manners) addMeeting(cmd *cobra.Command, script *string) {
	f := cmd.Flags()
	m.talk, m.terms, m.wait = "ask", "ask", time.Hour
	f.StringVar(&m.owner, "owner", "", "the person or firm for whom the agent speaks")
	f.BoolVar(&m.create, "create-key", false, "make the key file if there is none")
	f.StringVar(&m.cert, "cert", "", "file with the own certificate (PEM); without it the agent's key makes one")
	f.StringVar(&m.certKey, "cert-key", "", "file with the key of --cert (PEM)")
	f.StringVar(script, "say", "", "file with what you say, a line each")
}

// script opens what a person says: a file, or the terminal.
func script(cmd *cobra.Command, path string) (in io.Reader, done func(), err error) {
	if path == "" {
		return cmd.InOrStdin(), func() {}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, cli.Usage("--say: %v", err)
	}
	return f, func() { _ = f.Close() }, nil
}

func newMeetOpen(a *cli.App) *cobra.Command {
	var m manners
	var listen, said string
	var o meeting.Opening
	var lasts time.Duration
	cmd := &cobra.Command{
		Use:   "open --topic TEXT --member DID...",
		Short: "Open a meeting and carry what its members say",
		Long: `Open takes the members of a meeting at a websocket with TLS, carries what they say, and takes part.
Only those of --member may join, once each; with --speaker, the others only listen. A member that
breaks the rules, says too much or loses its connection is removed, and all see that. Type what you
say; "help" lists it. The meeting is over when you type "end", or after --for. The minutes go to the
folder meetings of the home, agreements to the folder agreements.`,
		Example: `  ojud agent meet open --topic "A trip" --member did:key:z6Mk... --listen 0.0.0.0:4801
  ojud agent meet open --topic "Roof" --member did:key:z6Mk... --for 30m --say lines.txt`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if lasts < time.Minute || lasts > meeting.MaxTime {
				return cli.Usage("--for is from 1m to %s", meeting.MaxTime)
			}
			for _, list := range [][]string{o.Members, o.Speakers} {
				for i, text := range list {
					p, err := keys.Principal("--member and --speaker", text)
					if err != nil {
						return err
					}
					list[i] = p.String()
				}
			}
			o.Until = time.Now().Add(lasts).UTC().Format("2006-01-02T15:04:05Z")
			in, done, err := script(cmd, said)
			if err != nil {
				return err
			}
			defer done()
			r, err := m.open(cmd.Context(), a, false)
			if err != nil {
				return err
			}
			return errors.Join(r.convene(cmd.Context(), o, listen, in), r.trail.Close())
		},
	}
	m.addMeeting(cmd, &said)
	f := cmd.Flags()
	f.StringVar(&o.Topic, "topic", "", "what the meeting is about")
	f.StringArrayVar(&o.Members, "member", nil, "did:key or address of an agent that may join; may be given again")
	f.StringArrayVar(&o.Speakers, "speaker", nil, "member that may speak, if not all may; may be given again")
	f.DurationVar(&lasts, "for", 2*time.Hour, "how long the meeting lasts at most")
	f.StringVar(&listen, "listen", "127.0.0.1:4801", "where to listen")
	return cmd
}

func (r *room) convene(ctx context.Context, o meeting.Opening, listen string, in io.Reader) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return cli.Fail("%v", err).Next("give another address with --listen")
	}
	at := started{r.key.Principal().String(), []string{"wss://" + l.Addr().String() + "/"}}
	if err := r.a.Show(at, view.Sheet{{"agent", at.Agent}, {"at", at.At[0]}, {"ready", "help lists what you may type"}}.Write); err != nil {
		return errors.Join(err, l.Close())
	}
	s := newSeat(r)
	table, err := meeting.Convene(r.key, o, s, time.Now())
	if err != nil {
		return errors.Join(cli.Usage("%v", err), l.Close(), s.close())
	}
	served, stop := context.WithCancel(ctx)
	defer stop()
	r.end.Meeting = true
	over := make(chan error, 1)
	go func() {
		over <- r.end.Serve(served, l, func(ctx context.Context, peer *link.Socket) {
			if err := table.Serve(ctx, peer.Peer, peer); err != nil {
				r.end.Log.Info("a member is out", "peer", peer.Peer, "err", err)
			}
		})
	}()
	go s.read(ctx, in, func(line typedLine) error {
		var err error
		table.Minutes(func(m *meeting.Minutes) { err = line.prepare(m) })
		if err != nil {
			return err
		}
		if line.remove != "" {
			return table.Remove(line.remove, line.why)
		}
		return table.Say(line.message)
	})
	err = table.Run(ctx)
	stop()
	return errors.Join(err, <-over, s.close())
}

func newMeetJoin(a *cli.App) *cobra.Command {
	var m manners
	var peer, said string
	cmd := &cobra.Command{
		Use:   "join ADDRESS",
		Short: "Take part in a meeting",
		Long: `Join takes part in the meeting that the agent at wss://HOST:PORT/ convenes, if it invited your key.
With --peer nobody else can answer, and the agent needs no certificate of an authority. You see all
that was said before. Type what you say; "help" lists it. "accept HASH" signs terms. The exit status
is 0 if the meeting was closed or you left. If the convener leaves out what you said, or told others
something else, join ends and says so.`,
		Example: `  ojud agent meet join wss://127.0.0.1:4801/ --peer did:key:z6Mk... --owner "Bob Lee" --key bob.json
  ojud agent meet join wss://ann.example.org:4801/ --say lines.txt --key bob.json --json`,
		Args: cli.Takes(1, "an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, done, err := script(cmd, said)
			if err != nil {
				return err
			}
			defer done()
			r, err := m.open(cmd.Context(), a, false)
			if err != nil {
				return err
			}
			return errors.Join(r.join(cmd.Context(), args[0], peer, in), r.trail.Close())
		},
	}
	m.addMeeting(cmd, &said)
	cmd.Flags().StringVar(&peer, "peer", "", "did:key or address of the agent that convenes")
	cmd.Flags().StringVar(&m.ca, "ca", "", "file with authorities (PEM) instead of those of the system")
	return cmd
}

func (r *room) join(ctx context.Context, address, peer string, in io.Reader) error {
	var who *delegation.Principal
	if peer != "" {
		p, err := keys.Principal("--peer", peer)
		if err != nil {
			return err
		}
		who = &p
	}
	r.end.Meeting = true
	conn, err := r.end.Dial(ctx, address, who)
	if err != nil {
		return cli.Fail("%v", err)
	}
	s := newSeat(r)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	moves := make(chan meeting.Move)
	go s.read(ctx, in, func(line typedLine) error {
		select {
		case moves <- func(m *meeting.Minutes) (anex.Message, error) {
			err := line.prepare(m)
			return line.message, err
		}:
		case <-ctx.Done():
		}
		return nil
	})
	err = meeting.Join(ctx, conn, r.key, conn.Peer, s.greeting(), s, moves)
	_ = conn.Close() // the convener may be gone
	if err != nil {
		err = cli.Fail("%v", err)
	}
	return errors.Join(err, s.close())
}

func newMeetVerify(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify MINUTES [MINUTES]",
		Short: "Check the minutes of a meeting, or compare those of two members",
		Long: `Verify checks each signature and each rule in minutes, without a network. With the minutes of a
second member it says whether the convener told both the same. If it signed two different entries
for one place, that is proven, and the exit status is 1.`,
		Example: `  ojud agent meet verify ~/ann/meetings/53a9b63f782b6e5adbe771e65cfacb2ae3c13042.jsonl
  ojud agent meet verify ann.jsonl bob.jsonl --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			var all []*meeting.Minutes
			for _, path := range args {
				m, err := readMinutes(path)
				if err != nil {
					return cli.Fail("%s does not verify: %v", path, err)
				}
				all = append(all, m)
			}
			m := all[0]
			if len(all) == 2 {
				switch at := meeting.Fork(m, all[1]); {
				case m.Convener() != all[1].Convener():
					return cli.Fail("the minutes are of two meetings")
				case at == 0:
					return cli.Fail("the minutes are of two meetings of %s", m.Convener())
				case at > 0:
					return cli.Fail("the convener %s signed two different entries %d: it told the members different things", m.Convener(), at)
				}
			}
			return a.Show(map[string]any{"meeting": m.ID(), "convener": m.Convener(), "entries": m.Len(), "closed": m.Closed(), "topic": m.Opening().Topic},
				view.Sheet{{"meeting", m.ID()}, {"convener", m.Convener()}, {"topic", m.Opening().Topic}, {"verified", fmt.Sprintf("%d entries", m.Len())}}.Write)
		},
	}
}

// maxMinutes is the size of a file of minutes: all members say all that they may.
const maxMinutes = 64 << 20

func readMinutes(path string) (*meeting.Minutes, error) {
	raw, err := library.ReadFile(path, maxMinutes)
	if err != nil {
		return nil, err
	}
	var entries [][]byte
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, meeting.MaxFrame+2)
	for lines.Scan() {
		entries = append(entries, bytes.Clone(lines.Bytes()))
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	m, _, err := meeting.Verify(entries, time.Now().UnixMilli())
	return m, err
}
