package brain

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/brainview"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// account returns an account of the program, and the chain's time.
func account(ctx context.Context, c *client.Client, program, address string) (brain.Megabrain, onchain.Address, []byte, int64, error) {
	id, err := onchain.ParseAddress(program)
	if err != nil {
		return brain.Megabrain{}, onchain.Address{}, nil, 0, cli.Usage("--program: %v", err)
	}
	key, err := onchain.ParseAddress(address)
	if err != nil {
		return brain.Megabrain{}, key, nil, 0, cli.Usage("%v", err)
	}
	p := brain.New(id)
	all, _, err := client.OfficeOf(c).Accounts(ctx, key, onchain.ClockAccount())
	switch {
	case err != nil:
		return p, key, nil, 0, err
	case all[0] == nil || all[0].Owner != id:
		return p, key, nil, 0, cli.Fail("%s is no account of the program %s", key, id).Next("name a task or a class, and with --program another program")
	case all[1] == nil || len(all[1].Data) < 40:
		return p, key, nil, 0, cli.Fail("the RPC node does not have the chain's clock")
	}
	return p, key, all[0].Data, int64(binary.LittleEndian.Uint64(all[1].Data[32:])), nil
}

func newShow(a *cli.App) *cobra.Command {
	cmd := cli.Court(a, &cobra.Command{
		Use:   "show ADDRESS",
		Short: "Show a task or a class of MegaBrain on the chain",
		Long: `Show reads a task from the chain: what it asks, where it stands and until when, who works and who
evaluates. When the task is settled, it shows what each got and why, with scores and clusters. A
cluster is the number of the first worker whose result means the same. A score is what evaluators
agree on, or the mean of what they said of a result that was not paid. With --json it is what a node
answers to GET /v1/brain/tasks/TASK, with the results that the home or the memory nodes have.

Of a class it shows the members with their stakes, the reputation by which they are drawn now, who
vouches for them, and of which near classes their records count (the numbers of these).`,
		Example: `  ojud brain show 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G
  ojud brain show 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --json`,
		Args: cli.Takes(1, "the address of a task or a class"),
	})
	var w work
	w.add(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			p, at, data, now, err := account(ctx, c, w.program, args[0])
			if err != nil {
				return err
			}
			if _, err := brain.DecodeTask(data); err == nil {
				d, err := detail(ctx, a, c, &w, at)
				if err != nil {
					return err
				}
				return a.Show(d, func(out io.Writer) error { return showTask(out, d) })
			}
			class, err := brain.DecodeClass(data)
			if err != nil {
				return cli.Fail("%s is neither a task nor a class: %v", args[0], err)
			}
			near, err := nearby(ctx, c, p, class)
			if err != nil {
				return err
			}
			shown := shownClass{ClassAccount: class, Reputations: class.Reputations(math.MaxUint64, now, near)}
			home, err := a.HomeDir()
			if err != nil {
				return err
			}
			means, err := w.means(c, home)
			if err != nil {
				return err
			}
			d, err := megabrain.Open(means)
			if err != nil {
				return err
			}
			shown.Appeals = appealNote(ctx, d, class.Parameters)
			return a.Show(shown, func(out io.Writer) error { return showClass(out, shown, now) })
		})
	}
	return cmd
}

// shownClass is a class with what its members are worth in a draw that begins now, of 10,000.
type shownClass struct {
	*brain.ClassAccount
	Reputations []int
	Appeals     string `json:",omitempty"` // why who is right does not appeal a false golden task
}

// nearby reads the near classes of a class; nil is none.
func nearby(ctx context.Context, c *client.Client, p brain.Megabrain, of *brain.ClassAccount) ([]*brain.ClassAccount, error) {
	if len(of.Near) == 0 {
		return nil, nil
	}
	all, _, err := client.OfficeOf(c).Accounts(ctx, of.Near...)
	if err != nil {
		return nil, err
	}
	out := make([]*brain.ClassAccount, len(all))
	for i, a := range all {
		if a == nil || a.Owner != p.ID() {
			continue
		}
		if it, err := brain.DecodeClass(a.Data); err == nil { // it is no class otherwise
			out[i] = it
		}
	}
	return out, nil
}

// detail is a task with what the home and the memory nodes of its class have of its results.
func detail(ctx context.Context, a *cli.App, c *client.Client, w *work, at onchain.Address) (d brainview.Detail, err error) {
	home, err := a.HomeDir()
	if err != nil {
		return d, err
	}
	means, err := w.means(c, home)
	if err != nil {
		return d, err
	}
	if w.far, err = strangers(ctx, a); err != nil {
		return d, err
	}
	words, err := openWords(ctx, a)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, words.Close()) }()
	means.Named = w.named(means.Folder)
	return openView(c, means, words, patience).Task(ctx, at)
}

func showTask(w io.Writer, d brainview.Detail) error {
	s := view.Sheet{{"question", cli.First(d.Question, "not here: the RPC node does not give its transaction")}, {"status", d.Status}}
	s.Add("because", d.Why)
	if d.Until > 0 {
		s.Add("until", time.Unix(d.Until, 0).UTC().Format(time.RFC3339))
	}
	s.Add("requester", d.Requester)
	s.Add("class", strings.TrimSpace(d.Class+" "+d.ClassName))
	s.Add("budget", amount(uint64(d.Budget)))
	if d.Over {
		s.Add("paid", amount(uint64(d.Paid)))
		s.Add("slashed", amount(uint64(d.Slashed)))
	}
	if d.Outcome != nil {
		s.Add("posted by", d.Outcome.Poster)
	}
	if d.Golden != nil {
		s.Add("golden task", d.Golden.String())
		s.Add("appeal", d.Golden.Appeal)
	}
	if d.Dispute != "" {
		s.Add("dispute", d.Dispute+": "+cli.First(d.Verdict, "about an earlier outcome"))
	}
	if err := s.Write(w); err != nil {
		return err
	}
	var rows [][]string
	for i, it := range d.Seats {
		score, cluster := "-", "-"
		if it.Rated > 0 {
			score = points(it.Mean)
		}
		if it.Inside {
			score = points(it.Score)
		}
		if it.Cluster > 0 {
			cluster = strconv.Itoa(it.Cluster)
		}
		why := cli.First(it.Why, "-")
		if as := d.Golden.Opened(i + 1); as != "" {
			why += "; opened as " + as
		}
		rows = append(rows, []string{"worker " + strconv.Itoa(i+1), it.Worker, it.State, score, cluster, amount(uint64(it.Paid)), amount(uint64(it.Slashed)), why})
	}
	for i, it := range d.Jury {
		rows = append(rows, []string{"evaluator " + strconv.Itoa(i+1), it.Evaluator, it.State, "-", "-", amount(uint64(it.Paid)), amount(uint64(it.Slashed)), cli.First(it.Why, "-")})
	}
	return table(w, []string{"ROLE", "WHO", "HAS", "SCORE", "CLUSTER", "PAID", "SLASHED", "WHY"}, rows)
}

func showClass(w io.Writer, c shownClass, now int64) error {
	p := c.Parameters
	s := view.Sheet{{"creator", c.Creator.String()}, {"bond of an outcome", amount(p.Bond) + ", or 3 % of the budget"}}
	s.Add("pools", fmt.Sprintf("%d, %d and %d of 10000", p.Shares.WorkerPool, p.Shares.EvaluatorPool, p.Shares.BonusPool))
	s.Add("golden tasks", goldenTasks(p))
	s.Add("appeals", c.Appeals)
	for i, key := range c.Near {
		s.Add(fmt.Sprintf("near class %d", i+1), key.String())
	}
	if err := s.Write(w); err != nil {
		return err
	}
	var rows [][]string
	for i, m := range c.Members {
		if m.State == 0 {
			continue
		}
		role := "worker"
		if m.Role == brain.EvaluatorRole {
			role = "evaluator"
		}
		sponsor := "-"
		if by, ok := c.Sponsor(&m, now); ok {
			sponsor = by.Agent.String()
		}
		rows = append(rows, []string{role, m.Agent.String(), amount(m.Stake), amount(m.Locked), amount(m.Earned), strconv.Itoa(c.Reputations[i]), sponsor, linked(c.Near, m)})
	}
	return table(w, []string{"ROLE", "WHO", "STAKE", "LOCKED", "EARNED", "REPUTATION", "SPONSOR", "LINKED"}, rows)
}

// linked says in which near classes the record of a member is found, by their numbers.
func linked(near []onchain.Address, m brain.Member) string {
	var all []string
	for i := range near {
		if m.Links[i].Place > 0 {
			all = append(all, strconv.Itoa(i+1))
		}
	}
	return cli.First(strings.Join(all, ", "), "-")
}

func newAdvance(a *cli.App) *cobra.Command {
	return taskCommand(a, &cobra.Command{
		Use:     "advance TASK",
		Aliases: []string{"settle-task"},
		Short:   "Carry a task of MegaBrain on, where only time decides",
		Long: `Advance sends the instruction that a task on the chain waits for, and that anybody may send: the
draw of workers or evaluators, the end of a phase whose time is over, the end of a dispute that the
court has decided, or the settlement (settleTask). It costs only the fee of a transaction. "ojud
brain crank" does this for all tasks.`,
		Example: `  ojud brain advance 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G`,
	}, false, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.Carried, error) {
		return d.Carry(ctx, at)
	}, func(c megabrain.Carried) error {
		return a.Show(c, append(view.Sent(c.Sent), view.Sheet{{"step", c.Did}}...).Write)
	})
}
