// Package examine has the commands that examine the judge of a home: exam, redteam and personas.
// They need no court.
package examine

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/trial"
)

// Commands returns the commands.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newExam(a), newRedteam(a), newPersonas(a)}
}

// trialFlags are the flags of commands that examine the judge of a home.
type trialFlags struct {
	parallel int
	limit    time.Duration
}

func (f *trialFlags) add(a *cli.App, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&a.Config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	usual := trial.DefaultOptions()
	flags.IntVar(&f.parallel, "parallel", usual.Parallel, "disputes at once, 1 to 32")
	flags.DurationVar(&f.limit, "limit", usual.Limit, "time for one dispute; a round of the court leaves 7m to commit")
}

// options reports progress on standard error, but not more often than a.Slow.
func (f *trialFlags) options(a *cli.App) (trial.Options, error) {
	o := trial.Options{Parallel: f.parallel, Limit: f.limit}
	if err := o.Validate(); err != nil {
		return o, cli.Usage("%s", cli.Plain(err))
	}
	tell := a.Progress()
	o.Progress = func(s trial.Step) { tell("%d of %d heard; %s: %s", s.Done, s.All, s.ID, s.Outcome) }
	return o, nil
}

// with calls do with the judge of the home, as configured.
func with(a *cli.App, do func(*trial.Trial) error) (err error) {
	cfg, err := a.Settings()
	if err != nil {
		return err
	}
	log, err := a.Logger()
	if err != nil {
		return err
	}
	t, err := trial.New(trial.Config{Judge: cfg.Node.Judge, Models: cfg.Node.Models}, cfg.Home, trial.Deps{Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(t)
}

func newExam(a *cli.App) *cobra.Command {
	var flags trialFlags
	var set examSet
	var save, keep string
	var most int
	pass := -1
	cmd := &cobra.Command{
		Use:   "exam [FILE.jsonl]",
		Short: "Examine the judge of the home with labelled disputes",
		Long: `Exam gives the configured judge of the home disputes with known decisions. It prints how often the
judge was right, paid wrongly, refunded wrongly or abstained, whether its confidence means anything,
and its costs. It needs no node, network or chain. A judge with a model asks its models, at their
price.

Without FILE it makes new disputes each time, as proctors make golden cases, of twelve kinds of work
and five shapes: easy, hard, partly fulfilled, hostile and long. Half of them are to be accepted.
What the parties say does not depend on who is right, so a judge that does not compare the result
with the task is right in half of them; the report says what such judges reach. --seed makes the
same disputes again. A third of the tasks has programs or data that decide them (whole), a third has
some that decide what the task is about (core), and a third has only words; --carry chooses one. A
court admits judges that are right in 28 of 40 with --carry words, and in as many of the hard ones.

--shipped uses 72 written disputes of six kinds instead, with labels that code has proved. A FILE is
JSONL as described by "go doc ojud/agent/judge/exam", or a public set of compared answers, if --from
names it: ` + strings.Join(trial.Sets(), ", ") + `.

An exam with a slow model takes hours. --keep names a folder where each dispute is kept as soon as
it is heard. The same command goes on there, after ^C or a crash too, and the report counts what was
heard so far. It needs the same disputes, settings and build of ojud; the address of the model may
change. --most bounds the disputes that one run hears.

The exit status is 1 if the exam cannot be held, or if the judge is right less often than --pass or
not all disputes were heard yet with --pass.`,
		Example: `  ojud judge exam
  ojud judge exam --carry words
  ojud judge exam --size 200 --kind code --seed 7
  ojud judge exam --shipped --pass 70 --json
  ojud judge exam LLMBar.json --from llmbar --parallel 8
  ojud judge exam --seed 7 --keep my-exam --most 10
  ojud judge exam --save my-exam.jsonl`,
		Args: cli.Takes(0, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if pass > 100 || pass < 0 && cmd.Flags().Changed("pass") {
				return cli.Usage("--pass %d is no percentage", pass).Next("write 0 to 100")
			}
			set.file = cli.First(args...)
			if err := keeping(keep, most, set); err != nil {
				return err
			}
			items, made, err := disputes(a, cmd, set)
			if err != nil {
				return err
			}
			if save != "" {
				return cli.Save(save, func(w io.Writer) error { return trial.Save(w, items) })
			}
			options, err := flags.options(a)
			if err != nil {
				return err
			}
			options.Keep, options.Most = keep, most
			return with(a, func(judge *trial.Trial) error {
				grades, err := judge.Exam(cmd.Context(), items, options)
				if err != nil {
					return err
				}
				report, err := trial.Graded(grades, items, made)
				if err != nil {
					return err
				}
				if err := a.Show(report, report.Text); err != nil {
					return err
				}
				if pass >= 0 && report.All.Items < report.Of {
					return cli.Fail("%d of %d disputes were heard, and --pass needs all", report.All.Items, report.Of).Next("run the same command again")
				}
				if right := 100 * report.All.Accuracy; right < float64(pass) {
					return cli.Fail("the judge is right in %.0f %% of the disputes; %d %% are needed", right, pass)
				}
				return nil
			})
		},
	}
	flags.add(a, cmd)
	set.add(cmd)
	cmd.Flags().StringVar(&save, "save", "", "write the disputes to this new file, and examine nobody")
	cmd.Flags().StringVar(&keep, "keep", "", "keep each heard dispute in this folder, and go on with what it has")
	cmd.Flags().IntVar(&most, "most", 0, "with --keep: hear at most this many disputes now (default all)")
	cmd.Flags().IntVar(&pass, "pass", -1, "percentage of right votes below which the exit status is 1")
	return cmd
}

// keeping checks the flags of an exam that goes on later.
func keeping(keep string, most int, set examSet) error {
	switch {
	case most < 0:
		return cli.Usage("--most %d is less than 0", most)
	case most > 0 && keep == "":
		return cli.Usage("--most is for an exam that goes on later").Next("name a folder with --keep")
	case keep != "" && set.file == "" && !set.shipped && set.made.Seed == "":
		return cli.Usage("--keep without --seed would keep disputes that no later run makes").Next("add --seed with any word")
	}
	return nil
}

// examSet says which disputes an exam has.
type examSet struct {
	file, from string
	made       trial.Syllabus
	shipped    bool
}

func (s *examSet) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&s.made.Size, "size", trial.EntryItems, "how many disputes to make, 1 to 10000")
	flags.StringVar(&s.made.Seed, "seed", "", "make the disputes of an earlier exam again (default a new seed)")
	flags.BoolVar(&s.made.Typed, "typed", false, "the objections have typed grounds")
	flags.StringVar(&s.made.Support, "carry", "", "what the tasks have for code: words, core or whole (default a third of each)")
	flags.StringSliceVar(&s.made.Kinds, "kind", nil, "kinds of work, with commas between: "+strings.Join(trial.Kinds(), ", ")+" (default all)")
	flags.BoolVar(&s.shipped, "shipped", false, "use the 72 written disputes")
	flags.StringVar(&s.from, "from", "", "FILE is a public set: "+strings.Join(trial.Sets(), ", "))
}

// disputes reads the named exam, or makes one. A made one has a plan.
func disputes(a *cli.App, cmd *cobra.Command, s examSet) (_ []trial.Dispute, made *trial.Syllabus, err error) {
	for _, name := range []string{"size", "seed", "kind", "typed", "carry"} {
		if cmd.Flags().Changed(name) && (s.file != "" || s.shipped) {
			return nil, nil, cli.Usage("--%s is for disputes that are made", name).Next("leave out FILE and --shipped")
		}
	}
	switch {
	case s.from != "" && !slices.Contains(trial.Sets(), s.from):
		return nil, nil, cli.Usage("--from %q is no set", s.from).Next("write one of " + strings.Join(trial.Sets(), ", "))
	case s.from != "" && s.file == "":
		return nil, nil, cli.Usage("--from goes with a file")
	case s.shipped && s.file != "":
		return nil, nil, cli.Usage("--shipped goes without a file")
	case s.shipped:
		disputes, _, err := trial.Disputes(nil, "")
		return disputes, nil, err
	case s.file == "":
		disputes, made, err := trial.Fresh(s.made)
		if err != nil {
			return nil, nil, cli.Usage("%s", cli.Plain(err))
		}
		return disputes, &made, nil
	}
	f, err := os.Open(s.file)
	if err != nil {
		return nil, nil, cli.Fail("%v", err)
	}
	defer f.Close()
	disputes, skipped, err := trial.Disputes(f, s.from)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.file, err)
	}
	if skipped > 0 {
		_, err = fmt.Fprintf(a.Err, "%s left out: without a preference, or too large for a task\n", view.Count(skipped, "pair"))
	}
	return disputes, nil, err
}

func newRedteam(a *cli.App) *cobra.Command {
	var flags trialFlags
	var only []string
	cmd := &cobra.Command{
		Use:   "redteam",
		Short: "Attack the judge of the home as hostile parties would",
		Long: `Redteam makes 28 known attacks on the configured judge of the home: pleas, hidden and forged text,
orders in results, pleadings, tasks and answers of data sources, schemas that read files, questions
that carry secrets away, and more. It makes each attack on disputes with known decisions. The report
shows the effect of each attack, and the decisions without it. It needs no node, network or chain. A
judge with a model asks its models, at their price.

The exit status is 1 if an attack succeeded. If none did, others still may.`,
		Example: `  ojud judge redteam
  ojud judge redteam --only ignore,21
  ojud judge redteam --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := flags.options(a)
			if err != nil {
				return err
			}
			return with(a, func(judge *trial.Trial) error {
				report, err := judge.RedTeam(cmd.Context(), only, options)
				if errors.Is(err, trial.ErrUnknown) {
					return cli.Usage("--only: %s", cli.Plain(err)).Next("write names or numbers that \"ojud judge redteam\" lists, with commas between")
				}
				if err != nil {
					return err
				}
				if err := a.Show(report, report.Text); err != nil {
					return err
				}
				if report.Success > 0 {
					return cli.Fail("%d of %d tries reached something", report.Success, report.Tries)
				}
				return nil
			})
		},
	}
	flags.add(a, cmd)
	cmd.Flags().StringSliceVar(&only, "only", nil, "attacks by name or number, with commas between")
	return cmd
}

func newPersonas(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "personas [NAME]",
		Short: "List the ways of judging that a judge can have, or show one",
		Long: `Personas lists the 28 shipped ways of judging: what each looks at first, and the kinds of task for
which it has more weight. With NAME it prints one as a model sees it in its prompt. NAME may also be
a TOML file of your own, which it checks.`,
		Example: `  ojud judge personas
  ojud judge personas recomputer
  ojud judge personas ./my-own.toml --json`,
		Args: cli.Takes(0, "a name or file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				p, err := trial.Persona(args[0])
				if err != nil {
					return err
				}
				return a.Show(p, func(w io.Writer) error {
					_, err := fmt.Fprintf(w, "%s\n\n%s", p.Title, p.Text())
					return err
				})
			}
			all, err := trial.Personas()
			if err != nil {
				return err
			}
			return cli.List(a, all, "no persona is shipped", []string{"NAME", "DIMENSION", "COUNTS MORE IN", "WHAT IT DOES"}, func(p trial.Way) []string {
				return []string{p.Name, string(p.Dimension), strings.Join(keen(p), ", "), p.Title}
			})
		},
	}
}

// keen lists the kinds of task for which a persona has more weight, sorted.
func keen(p trial.Way) (out []string) {
	for _, c := range slices.Sorted(maps.Keys(p.Weights)) {
		if p.Weights[c] > 1 {
			out = append(out, string(c))
		}
	}
	return out
}
