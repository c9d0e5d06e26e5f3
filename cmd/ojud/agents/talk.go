package agents

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/host"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

const (
	maxExtra = 64 << 10 // bytes of a line of the user
	maxCalls = 1000     // of tools and minions, in a call of an agent
	maxLent  = 100      // of tools, in a call of a minion
	atOnce   = 8        // of them
)

func newTalk(a *cli.App) *cobra.Command {
	var order channel.RunOrder
	var timeout time.Duration
	var tools, minions []string
	var about, params, correlation, file string
	var listen bool
	var far distant
	cmd := &cobra.Command{
		Use:   "talk ADDRESS [INPUT]",
		Short: "Call a capability of an agent, read its steps, and run tools for it",
		Long: `Talk calls agent://ID/CAPABILITY with a JSON value, or with the JSON file @FILE, and prints each
step when the agent makes it. At the end it checks the signed result, as invoke does. If the
connection is lost, the command connects again for two minutes; no step is lost, and none comes
twice. If the host is killed and started again in that time, the command finds it by agents/api and
gets the end of the call: a call that had begun is "interrupted" and is not made again.

The first line is the correlation id. If the command itself breaks off, repeat it with the same
input and --correlation-id: you get the end of that call, and it is not made twice.

The address may be one of another host, or of an agent that the cards of a court lead to, with
--under and --key as for invoke. Its calls have names of their own.

--tool NAME=PROGRAM offers the agent a tool that this machine runs: PROGRAM gets the input as JSON
on standard input and prints one JSON value. It has no terminal at which it could ask you. It runs
without limits and with your rights, on input that a model wrote. --tools FILE describes tools, so
that a model knows what they take: a list of
{"name", "description", "inputSchema", "outputSchema", "run": ["PROGRAM", ...]}, as MCP does. The
program does not run on an input that is not as its schema says. A program finds the context in the
file AGENT_CONTEXT, and changes it by writing the file.

--minion NAME=ADDRESS offers an agent that you may call, of this host or, under --under, of another
one, to which also a name in the cards of the court leads; in the file of --tools it has "agent"
instead of "run". Its steps are shown between those of the agent, and its signed result goes to the
agent. In the file, "tools" lists those of your tools that it may have this machine run, as
["look"], 100 times in a call; without that it may use none. "under" names the file of a chain for a
minion of another host, in place of --under. Offer only agents that may be asked anything; one of
this host is not offered to an agent of another host. It is called by a key of this command, so its
file's require_approval and its approval domains hold, and it knows nothing of your own calls. Calls
of minions come one after the other. --tokens and --dollars bound the call of an agent of another
host, and once more all calls of minions together (default 0 for minions of other hosts, 4000000
tokens and 20 dollars for those of this one).

Minds with a model and those of the kind "channel" call tools. If another mind is called with tools,
the call ends with an error, and it answers extra inputs with "not taken".

--input reads lines from standard input; each is an extra input for the agent. --chunks prints steps
in pieces while they are made: of a model, what it thinks, word by word. --json prints each message
as one line, and the end last.`,
		Example: `  ojud agents talk agent://counter/words '"an owl"' --home ~/agents
  ojud agents talk agent://writer/draft @task.json --chunks --tool look=./look.sh --json
  ojud agents talk agent://writer/draft @task.json --tools tools.json --minion check=agent://c/all
  ojud agents talk agent://writer/draft @task.json --correlation-id DGUVUXA5PEFKPVCC6LSKRDZ2YB
  ojud agents talk agent://w.example:4800/writer/draft '"owls"' --under c.chain --key c.json`,
		Args: cli.Takes(1, "the address of a capability", "the input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			order.Input, order.Timeout = json.RawMessage("null"), timeout.Milliseconds()
			for text, to := range map[string]*json.RawMessage{strings.Join(args[1:], ""): &order.Input, about: &order.Context, params: &order.Params} {
				if text == "" {
					continue
				}
				if *to, err = payload(text); err != nil {
					return err
				}
			}
			t := &talk{a: a, correlation: correlation, distant: far, chunks: order.Chunks}
			if t.offers, err = newOffers(file, tools, minions); err != nil {
				return err
			}
			to, err := resolved(cmd.Context(), a, args[0], far.under)
			if err != nil {
				return err
			}
			args[0] = to.address
			if err := t.offers.lead(cmd.Context(), a, far.under); err != nil {
				return err
			}
			if err := t.offers.safe(args[0]); err != nil {
				return err
			}
			t.offers.describe(&order)
			if listen {
				t.lines = cmd.InOrStdin()
			}
			if host.IsRemote(args[0]) {
				return t.abroad(cmd.Context(), far, to, order)
			}
			some, remote := t.offers.minions()
			if far.under+far.did != "" && !remote || far.tokens+far.dollars != "" && !some {
				return cli.Usage("--under and --did are for an agent of another host, --tokens and --dollars for that or a minion; leave them out")
			}
			target, err := host.ParseTarget(args[0])
			if err != nil {
				return cli.Usage("%v", err)
			}
			return t.run(cmd.Context(), func(ctx context.Context) (*door.Talk, error) {
				c, err := open(a)
				if err != nil {
					return nil, err
				}
				c.Away = away(a)
				line, err := c.Talk(ctx, target, order, t.correlation)
				return line, explained(err)
			})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long the call may take (default what the agent's file allows)")
	cmd.Flags().StringVar(&correlation, "correlation-id", "", "your name of the call, 22 to 64 letters and digits; the same name is the same call (default a random one)")
	cmd.Flags().StringVar(&about, "context", "", "a JSON value, or @FILE, that tools see and may change; each step returns it")
	cmd.Flags().StringVar(&params, "params", "", `parameters, such as '{"temperature":0.5}'`)
	cmd.Flags().StringArrayVar(&tools, "tool", nil, "NAME=PROGRAM, a tool that this machine runs for the agent")
	cmd.Flags().StringVar(&file, "tools", "", "file that describes tools and minions, as JSON")
	cmd.Flags().StringArrayVar(&minions, "minion", nil, "NAME=ADDRESS, an agent that this command calls for the agent")
	cmd.Flags().StringVar(&a.Key, "key", "", "key file at which the chain of --under ends (default $OJUD_KEY or the home's authority.json)")
	cmd.Flags().StringVar(&far.under, "under", "", "file of a chain of delegations for an agent of another host")
	cmd.Flags().StringVar(&far.did, "did", "", "the key that the agent of another host must have (default the one that its host names)")
	cmd.Flags().StringVar(&far.tokens, "tokens", "", "tokens of models that a call of another host, and all calls of minions, may use")
	cmd.Flags().StringVar(&far.dollars, "dollars", "", "dollars that a call of another host, and all calls of minions, may spend")
	cmd.Flags().BoolVar(&order.Chunks, "chunks", false, "print steps in pieces while they are made")
	court(a, cmd)
	cmd.Flags().BoolVar(&listen, "input", false, "read extra inputs from standard input, one a line")
	return cmd
}

// talk is a run of the command.
type talk struct {
	a           *cli.App
	offers      offers
	lines       io.Reader
	correlation string
	far         bool // the agent is on another host
	distant     distant
	chunks      bool

	purse purse
	near  near
	mu    sync.Mutex // of told
	told  screen
}

// counted are the ids of the calls that an agent has made in one call of it.
type counted map[string]bool

// take reports whether a call comes for the first time, and refuses one beyond the limit. A host
// may be a stranger's.
func (c counted) take(id string, most int) (first bool, refused error) {
	if c[id] {
		return false, nil
	}
	if len(c) >= most {
		return true, fmt.Errorf("it has made %d calls", most)
	}
	c[id] = true
	return true, nil
}

// show prints a message.
func (t *talk) show(m channel.Body) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.a.Show(m, func(w io.Writer) error { return t.told.say(w, m) })
}

// settled ends a line that grows.
func (t *talk) settled() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.told.end(t.a.Out)
}

// named is the first line of the output.
type named struct {
	Correlation string `json:"correlation_id"`
}

func (t *talk) run(ctx context.Context, begin func(context.Context) (*door.Talk, error)) error {
	by := ctx // a signal of the user ends it
	ctx, stop := context.WithCancel(by)
	line, err := begin(ctx)
	if err != nil {
		stop()
		return err
	}
	defer line.Close()
	name := named{line.Correlation()}
	if err := t.a.Show(name, view.Sheet{{"correlation id", name.Correlation}}.Write); err != nil {
		stop()
		return err
	}
	var calls sync.WaitGroup
	defer calls.Wait()
	defer stop()
	slots, made := make(chan struct{}, atOnce), counted{}
	if t.lines != nil {
		go t.listen(ctx, line) // it may wait for a person; the process ends without it
	}
	for {
		m, err := line.Receive(ctx)
		if err != nil || m.End != nil {
			err = errors.Join(err, t.settled())
		}
		if err != nil {
			why := "the call broke off: " + err.Error()
			if by.Err() != nil {
				why = "you ended the command; the host ends the call in two minutes if the agent is not done by then"
			}
			if t.far {
				return cli.Fail("%s", why)
			}
			return cli.Fail("%s", why).Next("repeat the command with --correlation-id " + name.Correlation + "; the call is not made twice")
		}
		if m.End != nil {
			return t.end(ctx, line, m.End)
		}
		first, refused := true, error(nil)
		if m.Call != nil {
			first, refused = made.take(m.Call.ID, maxCalls)
		}
		if !first {
			continue
		}
		if err := t.show(m); err != nil {
			return err
		}
		if m.Call == nil {
			continue
		}
		select {
		case slots <- struct{}{}: // until then nothing more is read, so the host waits
			calls.Go(func() {
				defer func() { <-slots }()
				t.perform(ctx, line, *m.Call, refused)
			})
		case <-ctx.Done():
		}
	}
}

// listen sends the lines of the user.
func (t *talk) listen(ctx context.Context, line *door.Talk) {
	in := bufio.NewScanner(t.lines)
	in.Buffer(nil, maxExtra)
	for in.Scan() {
		content, err := json.Marshal(in.Text())
		if err != nil || line.Send(ctx, channel.Body{Extra: &channel.Extra{Content: content}}) != nil {
			return
		}
	}
}

// perform makes a call of a tool that is not refused, and sends its result.
func (t *talk) perform(ctx context.Context, line *door.Talk, c agent.ClientCall, err error) {
	r := agent.ToolResult{ID: c.ID, Name: c.Name}
	if err == nil {
		r.Output, r.Context, err = t.use(ctx, c)
	}
	if err != nil {
		r.Error, r.Output, r.Context = err.Error(), nil, nil
	}
	if err := line.Send(ctx, channel.Body{Result: &r}); err != nil && ctx.Err() == nil {
		r.Output, r.Context, r.Error = nil, nil, "its result cannot be sent: "+err.Error()
		err = line.Send(ctx, channel.Body{Result: &r})
		if err != nil {
			return // the session is over, and Receive says why
		}
	}
}

func (t *talk) end(ctx context.Context, line *door.Talk, raw json.RawMessage) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	settled := line.Settle(ctx)
	answer, attested, err := line.End(raw)
	if err != nil {
		return explained(err)
	}
	var over *channel.SessionFault
	if settled != nil && !errors.As(settled, &over) {
		log, err := t.a.Logger()
		if err != nil {
			return err
		}
		log.Warn("the host did not hear that the end came; it keeps it for two minutes", "err", settled)
	}
	return show(t.a, answer, attested)
}

// screen is what people read of a call. A step in pieces is one line, which grows.
type screen struct{ open string }

// end ends the line that grows.
func (s *screen) end(w io.Writer) error {
	if s.open == "" {
		return nil
	}
	s.open = ""
	_, err := fmt.Fprintln(w)
	return err
}

// grow writes a piece of the text of a step.
func (s *screen) grow(w io.Writer, c channel.Piece) error {
	text := view.Escape(c.Text)
	if name := strings.TrimSpace(fmt.Sprintf("%s step %d", view.Escape(c.Minion), c.N)); name != s.open {
		if err := s.end(w); err != nil {
			return err
		}
		s.open, text = name, name+"  "+text
	}
	_, err := io.WriteString(w, text)
	return err
}

// say writes a message for people. Its texts are a stranger's.
func (s *screen) say(w io.Writer, m channel.Body) error {
	if m.Chunk != nil && m.Chunk.Call == nil && len(m.Chunk.Plan) == 0 {
		return s.grow(w, *m.Chunk)
	}
	return errors.Join(s.end(w), sheetOf(m).Write(w))
}

// brief is a result of a tool. Of a call of an agent it leaves out what only programs read: the
// attestation and the delegation.
func brief(output json.RawMessage) string {
	var r shell.Returned
	if json.Unmarshal(output, &r) != nil || r.Status == "" || len(r.Attestation) == 0 {
		return string(output)
	}
	return fmt.Sprintf("%s %s%s, by %s", r.Status, r.Result, r.Error, r.Agent)
}

func sheetOf(m channel.Body) (s view.Sheet) {
	add := func(what, at, text string) { s.Add(strings.TrimSpace(view.Escape(at)+" "+what), view.Escape(text)) }
	switch {
	case m.Step != nil:
		add(fmt.Sprint("step ", m.Step.N), m.Step.Minion, m.Step.Text)
		add("plan", m.Step.Minion, strings.Join(m.Step.Plan, "; "))
		for _, c := range m.Step.Calls {
			add("call "+c.ID, "", c.Name+" "+string(c.Input))
		}
		add("unusable", m.Step.Minion, m.Step.Fault)
	case m.Chunk != nil && m.Chunk.Call != nil:
		add("call "+m.Chunk.Call.ID, "", m.Chunk.Call.Name+" "+string(m.Chunk.Call.Input))
	case m.Chunk != nil:
		add("plan", m.Chunk.Minion, strings.Join(m.Chunk.Plan, "; "))
	case m.Call != nil:
		add("run "+m.Call.ID, "", m.Call.Name+" "+string(m.Call.Input))
	case m.Result != nil:
		add("result "+m.Result.ID, "", brief(m.Result.Output)+m.Result.Error)
	case m.MinionStart != nil:
		add("minion "+m.MinionStart.ID, "", m.MinionStart.Name+" begins")
	case m.MinionResult != nil:
		add("minion "+m.MinionResult.ID, "", string(m.MinionResult.Output)+m.MinionResult.Error)
	case m.Refused != nil:
		add("not taken", m.Refused.ID, m.Refused.Error)
	}
	return s
}
