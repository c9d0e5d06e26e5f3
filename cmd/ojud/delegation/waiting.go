package delegation

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// waits is a call that waits for a person, as the call itself and its chain say.
type waits struct {
	Call     string               `json:"call"`
	Command  string               `json:"command"`
	Input    json.RawMessage      `json:"input,omitempty"`  // the payload, which the call binds by its hash
	Beside   json.RawMessage      `json:"beside,omitempty"` // what else the agent acts on, as its host keeps it
	Problem  string               `json:"problem,omitempty"`
	Caller   delegation.Principal `json:"caller"`
	Asker    string               `json:"asker,omitempty"` // in the words of the host
	Root     delegation.Principal `json:"root"`            // at whom the chain begins
	Executor delegation.Principal `json:"executor"`
	Spend    map[string]string    `json:"spend"`
	Domains  []string             `json:"domains"`
	Until    int64                `json:"until"`
}

func waitsOf(id string, q keep.AskedCall) waits {
	return waits{id, q.Command, q.Input, q.Beside, q.Problem, q.By(), q.Asker, q.Root(), q.Executor, amountsOf(q.Spend), q.Domains, q.Until}
}

// input is what is asked, on one line for a terminal.
func (w waits) input() string {
	if w.Problem != "" {
		return "NOT KNOWN: " + view.Escape(w.Problem)
	}
	return view.Escape(string(w.Input))
}

func (w waits) sheet() (s view.Sheet) {
	s.Add("call", w.Call)
	s.Add("command", w.Command)
	s.Add("asks", w.input())
	if w.Beside != nil {
		s.Add("with", view.Escape(string(w.Beside)))
	}
	s.Add("domains", strings.Join(w.Domains, ", "))
	s.Add("caller", w.Caller.String())
	s.Add("who is", view.Escape(w.Asker))
	s.Add("chain from", w.Root.String())
	s.Add("would do it", w.Executor.String())
	s.Add("may spend", inWords(w.Spend))
	s.Add("until", time.Unix(w.Until, 0).UTC().Format(time.RFC3339))
	return s
}

func newWaiting(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "waiting [CALL]",
		Short: "Show the calls that wait for a person, and what each asks",
		Long: `Waiting shows the calls at this home that wait for a person: their command is in a domain about
which a link of their chain asks, or the file of the agent that is called. It shows what each asks,
who calls, at whom the chain begins and what the call may spend, for one call or for all. An answer
is for that call alone: its id binds the input by a hash, and waiting compares it. If it differs or
is missing, waiting says so, and approve refuses to say yes. What a client gives beside the input,
such as a context, parameters and tools, is shown as "with". The host keeps it for the agent; the
id of the call does not bind it. With further_inputs, the client may say more while the agent works.

Answer with ojud agent delegation approve. A call without an answer in 15 minutes is refused. The
host of the home may run meanwhile.`,
		Example: `  ojud agent delegation waiting --home ~/alice
  ojud agent delegation waiting --home ~/alice --json | jq -r .call`,
		Args: cli.Takes(0, "the id of a call"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := folder(a)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				q, err := keep.Question(dir, args[0])
				if err != nil {
					return explained(err, args[0])
				}
				w := waitsOf(args[0], q)
				return a.Show(w, w.sheet().Write)
			}
			asked, err := keep.Asked(dir)
			if err != nil {
				return err
			}
			var all []waits
			for _, id := range slices.Sorted(maps.Keys(asked)) {
				all = append(all, waitsOf(id, asked[id]))
			}
			return cli.List(a, all, "no call waits", []string{"COMMAND", "ASKS", "CALLER", "DOMAINS", "UNTIL", "MAY SPEND", "CALL"}, func(w waits) []string {
				who := w.Asker
				if who == "" {
					who = w.Caller.String()
				}
				asks := w.input()
				if w.Beside != nil {
					asks = "with " + view.Escape(string(w.Beside)) + " " + asks
				}
				return []string{w.Command, view.Short(asks), view.Escape(who), strings.Join(w.Domains, ", "), time.Unix(w.Until, 0).UTC().Format(time.RFC3339), inWords(w.Spend), w.Call}
			})
		},
	}
}

// explained says of a call that does not wait what to do next.
func explained(err error, id string) error {
	if errors.Is(err, keep.ErrNotWaiting) {
		return cli.Usage("no call %.80s waits at this home", id).Next("see those that do: ojud agent delegation waiting")
	}
	return err
}

// answer is the result of approve: the answer, and what it is about.
type answer struct {
	Yes bool `json:"yes"`
	waits
}

func newApprove(a *cli.App) *cobra.Command {
	var no bool
	cmd := &cobra.Command{
		Use:   "approve CALL",
		Short: "Say yes or no to a call that waits, with your signature",
		Long: `Approve signs your answer to a call that waits, leaves it at the home of the executor, and prints
what you answered: what the call asks, who calls, and what it may spend. See that before with ojud
agent delegation waiting CALL. It refuses to say yes if what the call asks is not kept there, or is
not what the call binds by its hash. The host takes the answer within a second or so; if none runs,
ojud agent delegation look does. Your answer counts if your key is the executor's, or one that its
host names. --no refuses the call at once.`,
		Example: `  ojud agent delegation approve bafyreigyftnzjf4rcu7glp5kfop53vqlopc3zcldauoqdxqlz7t4343gr4 \
      --home ~/alice --key alice.json`,
		Args: cli.Takes(1, "the id of a call"),
		RunE: func(_ *cobra.Command, args []string) error {
			key, err := load(a)
			if err != nil {
				return err
			}
			dir, err := folder(a)
			if err != nil {
				return err
			}
			q, err := keep.Answer(dir, key, args[0], !no, time.Now())
			if errors.Is(err, keep.ErrNotCertain) {
				return cli.Fail("%s", view.Escape(err.Error())).Next("refuse it with --no, and let its caller repeat it")
			}
			if err != nil {
				return explained(err, args[0])
			}
			w := waitsOf(args[0], q)
			s := append(view.Sheet{{"answer", map[bool]string{true: "no", false: "yes"}[no]}}, w.sheet()...)
			return a.Show(answer{!no, w}, s.Write)
		},
	}
	cmd.Flags().BoolVar(&no, "no", false, "refuse the call")
	return cmd
}
