package brain

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// programFlag is the flag that names the program.
func programFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("program", brain.Devnet().ID().String(), "address of MegaBrain's program")
}

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
evaluates, and what each got. Of a class it shows the members with their stakes, the reputation by
which they are drawn now, and who vouches for them.`,
		Example: `  ojud brain show 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G
  ojud brain show 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --json`,
		Args: cli.Takes(1, "the address of a task or a class"),
	})
	program := programFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			p, at, data, now, err := account(ctx, c, *program, args[0])
			if err != nil {
				return err
			}
			if t, err := brain.DecodeTask(data); err == nil {
				question := asked(ctx, a, c, p, at)
				return a.Show(shownTask{t, question}, func(w io.Writer) error { return showTask(w, t, question) })
			}
			class, err := brain.DecodeClass(data)
			if err != nil {
				return cli.Fail("%s is neither a task nor a class: %v", args[0], err)
			}
			shown := shownClass{class, class.Reputations(math.MaxUint64, now)}
			return a.Show(shown, func(w io.Writer) error { return showClass(w, shown, now) })
		})
	}
	return cmd
}

// shownClass is a class with what its members are worth in a draw that begins now, of 10,000.
type shownClass struct {
	*brain.ClassAccount
	Reputations []int
}

// shownTask is a task with what it asks, which stands in a transaction.
type shownTask struct {
	*brain.TaskAccount
	Question string
}

// asked is the question of a task; empty: the RPC node does not give its transaction.
func asked(ctx context.Context, a *cli.App, c *client.Client, p brain.Megabrain, at onchain.Address) string {
	home, err := a.HomeDir()
	if err != nil {
		return ""
	}
	reader, end, err := openView(ctx, a, c, megabrain.Means{Program: p.ID(), Folder: megabrain.Folder{Dir: filepath.Join(home, "brain")}})
	if err != nil {
		return ""
	}
	d, reading := reader.Task(ctx, at)
	if err := errors.Join(reading, end()); err != nil {
		return ""
	}
	return d.Question
}

func showTask(w io.Writer, t *brain.TaskAccount, question string) error {
	s := view.Sheet{{"question", cli.First(question, "not here: the RPC node does not give its transaction")}, {"status", t.Status.String()}}
	if t.Status < brain.Ready {
		s.Add("until", time.Unix(t.Clock.Deadline, 0).UTC().Format(time.RFC3339))
	}
	s.Add("requester", t.Parties.Requester.String())
	s.Add("class", t.Parties.Class.String())
	s.Add("budget", amount(t.Money.Budget))
	if t.Status >= brain.Settled {
		s.Add("paid", amount(t.Money.Paid))
		s.Add("slashed", amount(t.Money.Slashed))
	}
	if t.Found() {
		s.Add("posted by", t.Poster.String())
	}
	if t.Marks.Opened == 1 {
		s.Add("golden task", "its right result was known before")
	}
	if t.Status == brain.Disputed {
		s.Add("dispute", t.Dispute.String())
	}
	if err := s.Write(w); err != nil {
		return err
	}
	seat := []string{"drawn", "committed", "revealed", "absent"}
	var rows [][]string
	for _, it := range t.Work[:t.Counts.Drawn] {
		rows = append(rows, []string{"worker", it.Agent.String(), seat[it.State&3], amount(it.Paid), amount(it.Slashed)})
	}
	for _, it := range t.Judges[:t.Counts.Seated] {
		rows = append(rows, []string{"evaluator", it.Agent.String(), seat[it.State&3], amount(it.Paid), amount(it.Slashed)})
	}
	return table(w, []string{"ROLE", "WHO", "HAS", "PAID", "SLASHED"}, rows)
}

func showClass(w io.Writer, c shownClass, now int64) error {
	p := c.Parameters
	s := view.Sheet{{"creator", c.Creator.String()}, {"bond of an outcome", amount(p.Bond) + ", or 3 % of the budget"}}
	s.Add("pools", fmt.Sprintf("%d, %d and %d of 10000", p.Shares.WorkerPool, p.Shares.EvaluatorPool, p.Shares.BonusPool))
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
		rows = append(rows, []string{role, m.Agent.String(), amount(m.Stake), amount(m.Locked), amount(m.Earned), strconv.Itoa(c.Reputations[i]), sponsor})
	}
	return table(w, []string{"ROLE", "WHO", "STAKE", "LOCKED", "EARNED", "REPUTATION", "SPONSOR"}, rows)
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
