package brain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/node/megabrain"
)

// maxFacts bounds a file with an outcome.
const maxFacts = 64 << 10

// outcomeFlags say how an outcome is found.
type outcomeFlags struct {
	facts   string
	missing bool
}

func (f *outcomeFlags) add(cmd *cobra.Command, instead bool) *cobra.Command {
	cmd.Flags().BoolVar(&f.missing, "missing-is-no-effort", false, "take a result that nobody has for no effort, instead of stopping")
	if instead {
		cmd.Flags().StringVar(&f.facts, "facts", "", "file with another outcome than the one that code finds (--json of ojud brain outcome has the form)")
	}
	return cmd
}

// find finds the outcome, or reads what somebody says instead.
func (f *outcomeFlags) find(ctx context.Context, d *megabrain.Desk, at onchain.Address) (megabrain.Found, error) {
	found, err := d.Find(ctx, at, megabrain.Gaps(f.missing))
	if err != nil || f.facts == "" {
		return found, err
	}
	raw, err := library.ReadFile(f.facts, maxFacts)
	if err != nil {
		return found, cli.Usage("--facts: %v", err)
	}
	var by finding.Assessment
	in := json.NewDecoder(bytes.NewReader(raw))
	in.DisallowUnknownFields()
	if err := in.Decode(&by); err != nil {
		return found, cli.Usage("--facts: %s: %v", f.facts, err).Next("it is the member \"finding\" of: ojud brain outcome TASK --json")
	}
	return found, found.Instead(by)
}

func newOutcome(a *cli.App) *cobra.Command {
	var f outcomeFlags
	return f.add(taskCommand(a, &cobra.Command{
		Use:   "outcome TASK",
		Short: "Find the outcome of a task, and compare it with the posted one",
		Long: `Outcome finds what a chain cannot compute: which results mean the same, how complete each is, which
are copies or no effort, and which evaluators say the same of everything. It needs the results
("ojud brain results" says where from) and the document of the class. Everybody who has them finds
the same. docs/megabrain.md has the rules.`,
		Example: `  ojud brain outcome 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G
  ojud brain outcome 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --json | jq .finding > facts.json`,
	}, true, cli.PerhapsKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.Found, error) {
		return f.find(ctx, d, at)
	}, func(found megabrain.Found) error {
		return a.Show(found, func(w io.Writer) error { return showFound(w, found) })
	}), false)
}

func showFound(w io.Writer, f megabrain.Found) error {
	said := map[bool]string{true: "it is this one", false: "it is another one"}[f.Agrees]
	if !f.Posted {
		said = "no outcome is posted"
	}
	if err := (view.Sheet{{"status", f.Status}, {"posted", said}}).Write(w); err != nil {
		return err
	}
	var rows [][]string
	for i, x := range f.Finding.Facts {
		cluster := "-"
		if x.Cluster > 0 {
			cluster = strconv.Itoa(x.Cluster)
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), f.Workers[i], cluster, points(x.Complete) + " %", x.Why})
	}
	if err := table(w, []string{"", "WORKER", "CLUSTER", "COMPLETE", "WHY"}, rows); err != nil {
		return err
	}
	rows = nil
	for i, stamped := range f.Finding.Stamped {
		rows = append(rows, []string{f.Judges[i], map[bool]string{true: "it stamps: it passes no effort, and says the same of all", false: "-"}[stamped]})
	}
	return table(w, []string{"EVALUATOR", "WHY"}, rows)
}

func newPost(a *cli.App) *cobra.Command {
	var f outcomeFlags
	return f.add(taskCommand(a, &cobra.Command{
		Use:   "post-outcome TASK",
		Short: "Post the outcome of a task as an evaluator, with a bond",
		Long: `Post-outcome posts what "ojud brain outcome" finds. Your key is an evaluator that revealed its
scores. The bond, 3 % of the budget and at least that of the class, comes back when the task is
settled, unless somebody brings another outcome to the court and is right. The document that shows
the outcome goes to the memory nodes of the class and of --memory.`,
		Example: `  ojud brain post-outcome 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G`,
	}, true, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.PostedBy, error) {
		found, err := f.find(ctx, d, at)
		if err != nil {
			return megabrain.PostedBy{}, err
		}
		return d.Post(ctx, found)
	}, func(p megabrain.PostedBy) error {
		return a.Show(p, append(view.Sent(p.Sent), view.Sheet{{"bond", p.Bond.String()}, {"evidence", p.Evidence}}...).Write)
	}), true)
}

func newDispute(a *cli.App) *cobra.Command {
	var f outcomeFlags
	var reason string
	cmd := f.add(taskCommand(a, &cobra.Command{
		Use:     "dispute TASK",
		Aliases: []string{"challenge"},
		Short:   "Bring another outcome than the posted one to the court",
		Long: `Dispute brings the outcome that this machine finds to the court, if the posted one is another. You
put in a stake of 3 % of the budget, and of the class's bond at least (twice as much after each
dispute about this outcome that the court rejected, up to the budget), and pay the court's largest
panel. If the court accepts, your outcome counts, and you get your stake and the poster's bond (not
if the poster could not have a result that you show: few evaluators had scored it). If it rejects,
your stake goes to the treasury, and the outcome may be disputed again. If it is silent or
undecided, no outcome counts, and both come back.

The judges find the outcome again, from your document and from the chain. The poster may answer
with "ojud dispute join DISPUTE"; "ojud dispute show DISPUTE" shows where it stands.`,
		Example: `  ojud brain dispute 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G \
      --reason "worker 2 copied the result of worker 1"`,
	}, true, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.Disputed, error) {
		found, err := f.find(ctx, d, at)
		if err != nil {
			return megabrain.Disputed{}, err
		}
		return d.Dispute(ctx, found, reason)
	}, func(p megabrain.Disputed) error {
		return a.Show(p, append(view.Sent(p.Sent), view.Sheet{{"dispute", p.Dispute}, {"stake", p.Stake.String()}}...).Write)
	}), true)
	cmd.Flags().StringVar(&reason, "reason", "", "why, at most 200 bytes")
	return cmd
}

func newOpenGolden(a *cli.App) *cobra.Command {
	return taskCommand(a, &cobra.Command{
		Use:   "open-golden TASK",
		Short: "Show the right result of a golden task, as the creator of its class",
		Long: `Open-golden opens the seal of a paid task that "ojud brain task create --golden" made from this
home. It says who handed in the right result, and which evaluators told it from wrong ones. Who
failed may appeal to the court for as long as an outcome may be disputed. Then their records learn
from it, and an evaluator that fails almost four times in a row loses a part of its stake and is not
drawn for a time. You put in the bond of an outcome, which comes back unless the court finds that
the answer is wrong, so be sure of it.`,
		Example: `  ojud brain open-golden 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --key creator.json`,
	}, false, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.Opened, error) {
		return d.OpenGolden(ctx, at)
	}, func(o megabrain.Opened) error {
		s := append(view.Sent(o.Sent), view.Sheet{{"answer", o.Answer}, {"bond", o.Bond.String()}, {"appeals until", time.Unix(o.Until, 0).UTC().Format(time.RFC3339)}}...)
		for i, v := range o.Truth.Workers {
			s.Add(fmt.Sprintf("worker %d", i+1), cli.First(string(v), "does not count"))
		}
		for i, v := range o.Truth.Evaluators {
			s.Add(fmt.Sprintf("evaluator %d", i+1), cli.First(string(v), "does not count"))
		}
		return a.Show(o, s.Write)
	})
}

func newAppeal(a *cli.App) *cobra.Command {
	var reason string
	var worker int
	cmd := taskCommand(a, &cobra.Command{
		Use:   "appeal TASK",
		Short: "Bring a golden task that your key failed to the court",
		Long: `Appeal asks the court whether one result of an opened golden task is right. Your key failed that
task: as an evaluator whose scores do not tell right results from wrong ones, or as a worker whose
result is wrong. "ojud brain show TASK" says which results were opened as right. Name the one of
which the golden task says the opposite of what is true, and why.

You put in a stake of 3 % of the budget, and of the class's bond at least (twice as much after each
appeal that the court rejected, up to the budget), and pay the court's largest panel. If the court
accepts, you get your stake back. A result that was opened as wrong tests nobody then. If it was
opened as right, nobody's record learns from the task, and you get the bond of the class's creator,
too. If it rejects, your stake goes to the treasury. If it is silent or undecided, the answer
stands, and your stake comes back. Each who failed appeals once about a result. The judges see the
question, the class, the result and your reason. If the question has checks (expected), code makes
them first: an answer that fails one is wrong, whatever anybody says. So name a result that was
opened as right, as the answer itself, and not one that means the same. Checks reject no appeal. The
creator may answer with "ojud brain answer".`,
		Example: `  ojud brain appeal 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --result 1 \
      --reason "the bridge opened in 1932; 1931 is the year of its plans"`,
	}, true, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.Contested, error) {
		if strings.TrimSpace(reason) == "" || len(reason) > maxPlea {
			return megabrain.Contested{}, cli.Usage("--reason has %d bytes; it has 1 to %d", len(reason), maxPlea)
		}
		return megabrain.Grievance{Task: at, Worker: worker, Reason: reason}.Bring(ctx, d)
	}, func(p megabrain.Contested) error {
		return a.Show(p, append(view.Sent(p.Sent), view.Sheet{{"dispute", p.Dispute}, {"opened as", p.Opened}, {"stake", p.Stake.String()}, {"fee", p.Fee.String()}}...).Write)
	})
	cmd.Flags().IntVar(&worker, "result", 0, "the worker whose result is judged, counted from 1 as \"ojud brain show\" does")
	cmd.Flags().StringVar(&reason, "reason", "", "why the golden task is wrong about that result")
	return cmd
}

func newAnswer(a *cli.App) *cobra.Command {
	var reason string
	cmd := taskCommand(a, &cobra.Command{
		Use:   "answer TASK",
		Short: "Answer an appeal against a golden task, as the creator of its class",
		Long: `Answer says why a golden task that you opened is right, when somebody brought it to the court. It
costs a transaction. If the question stands on memory nodes, the judges get it with the answer: they
accept an appeal whose question they find nowhere, and a memory node may not answer them. Without
--reason it says what you opened. The crank does that by itself, for such a question, when half of
the time for an answer is over, so give a better reason before that. A second run publishes the
documents again.`,
		Example: `  ojud brain answer 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G \
      --reason "the plaque says 1931" --key creator.json`,
	}, true, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.Answered, error) {
		if len(reason) > maxPlea {
			return megabrain.Answered{}, cli.Usage("--reason has %d bytes; it has at most %d", len(reason), maxPlea)
		}
		return megabrain.Answer(ctx, d, at, strings.TrimSpace(reason))
	}, func(p megabrain.Answered) error {
		return a.Show(p, append(view.Sent(p.Sent), view.Sheet{{"dispute", p.Dispute}, {"question shown", cli.First(p.Shown, "it stands in the claim")}}...).Write)
	})
	cmd.Flags().StringVar(&reason, "reason", "", "why the golden task is right about the result")
	return cmd
}

// maxPlea bounds the reason of an appeal.
const maxPlea = 8 << 10

func newCrank(a *cli.App) *cobra.Command {
	var w work
	var classes []string
	var every time.Duration
	var once, missing bool
	cmd := cli.Court(a, &cobra.Command{
		Use:   "crank",
		Short: "Carry tasks on as their times come, and do your key's part in them",
		Long: `Crank looks at all tasks every few seconds and sends what they wait for: draws, ends of phases,
ends of disputes and settlements. Anybody may run one; it costs the fees of transactions. For your
key it also does what follows from what it did before: it reveals what the key committed to from
this home, and as an evaluator it posts the outcome, with the bond. It says so if an outcome in a
task of yours, or of a class that --class names, is not what this machine finds; "ojud brain
dispute" is yours to send. So is "ojud brain appeal", if the key failed a golden task. As the
creator of a class, it opens golden tasks that were made from this home, with a bond, and shows the
judges of an appeal a question that stands on memory nodes ("ojud brain answer"). It gives what the
key revealed to the memory nodes again, and shows the results of a dispute to the court's nodes.
Tasks in which the key has a seat come first. In their classes, and in those of --class, it shows
where the key's records in near classes are ("ojud brain link").

Everything follows from the chain and from the home, so it may be killed at any time. ^C ends it.
With --once it looks once; the exit status is 0 also if a task could not be carried on.`,
		Example: `  ojud brain crank --memory http://127.0.0.1:4900 --key evaluator.json
  ojud brain crank --class 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --once --json`,
		Args: cli.Takes(0),
	})
	w.add(cmd, true)
	cmd.Flags().StringArrayVar(&classes, "class", nil, "address of a class whose tasks are carried on (default: all); may be repeated")
	cmd.Flags().DurationVar(&every, "every", 5*time.Second, "time between two looks")
	cmd.Flags().BoolVar(&once, "once", false, "look once")
	cmd.Flags().BoolVar(&missing, "missing-is-no-effort", false, "post an outcome without a result that nobody has, in the last third of the time for that")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if every < 100*time.Millisecond || every > time.Hour {
			return cli.Usage("--every is %s; it is 100ms to 1h", every)
		}
		c := megabrain.Crank{Every: every, Once: once, Gaps: megabrain.Gaps(missing)}
		for _, text := range classes {
			at, err := cli.Address("the class", text)
			if err != nil {
				return err
			}
			c.Classes = append(c.Classes, at)
		}
		var wrong error
		c.Tell = func(d megabrain.Deed) {
			err := a.Show(d, func(w io.Writer) error {
				text := d.Did
				if d.Error != "" {
					text = d.Error
				}
				_, err := fmt.Fprintf(w, "%s: %s\n", d.Task, text)
				return err
			})
			if wrong == nil {
				wrong = err
			}
		}
		a.Stays.Store(!once)
		return w.with(cmd, a, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, _ *client.Client) error {
			if err := d.Run(ctx, c); err != nil {
				return err
			}
			return wrong
		})
	}
	return cmd
}
