package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/trial"
)

func newJudgeMemory(a *app) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "memory",
		Short: "What the judge learned from its cases: list, show, forget",
		Long: `A judge with a model remembers its decisions about the requirements of its cases, and the outcomes.
In a new case it sees those of similar tasks (judge.memory in the settings; docs/judges.md). These
commands read and change the memory of a home's judge. Its node may run meanwhile.`,
		Example: `  ojud judge memory list
  ojud judge memory show 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin
  ojud judge memory forget 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin
  ojud judge memory clear`,
	})
	cmd.PersistentFlags().StringVar(&a.Config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	cmd.AddCommand(newMemoryList(a), newMemoryShow(a), newMemoryForget(a), newMemoryClear(a))
	return cmd
}

func newMemoryList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the rounds that the judge remembers", Long: "List prints a line for each round of an ended case, the oldest first.",
		Example: "  ojud judge memory list", Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			lessons, err := a.lessons(cmd.Context(), "")
			if err != nil {
				return err
			}
			return cli.List(a.App, lessons, "nothing was learned yet", []string{"LEARNED", "CASE", "ROUND", "CLASS", "VOTED", "VERDICT", "LINES", "FLAGGED"}, func(l trial.Lesson) []string {
				return []string{l.Learned, l.Case.String(), fmt.Sprint(l.Round), l.Class, l.Choice, l.Verdict, fmt.Sprint(len(l.Lines)), map[bool]string{true: "yes"}[l.Flagged]}
			})
		},
	}
}

func newMemoryShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show CASE", Short: "Show what the judge remembers of a case", Long: "Show prints how the judge decided the requirements of a case. A memory has no words of a case.",
		Example: "  ojud judge memory show 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", Args: cli.Takes(1, "the case's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			lessons, err := a.lessons(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			for _, l := range lessons {
				if err := a.Show(l, func(w io.Writer) error { return writeLesson(w, l) }); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func writeLesson(w io.Writer, l trial.Lesson) error {
	s := view.Sheet{{"case", fmt.Sprintf("%s, round %d", l.Case, l.Round)}, {"class", l.Class}, {"voted", l.Choice}, {"verdict", l.Verdict}, {"learned", l.Learned}}
	if l.Flagged {
		s.Add("flagged", "a text of the case spoke to its reader")
	}
	for _, line := range l.Lines {
		s.Add(line.Outcome, fmt.Sprintf("by %d of %d samples", line.Agree, line.Of))
	}
	return s.Write(w)
}

// forgotten is the result of forget and clear.
type forgotten struct {
	Forgotten int `json:"forgotten"`
}

func (f forgotten) write(w io.Writer) error {
	return view.Sheet{{"forgotten", view.Count(f.Forgotten, "round")}}.Write(w)
}

func newMemoryForget(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "forget CASE", Short: "Forget a case", Long: "Forget removes what the judge learned from a case.",
		Example: "  ojud judge memory forget 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", Args: cli.Takes(1, "the case's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			which, err := cli.Address("the case", args[0])
			if err != nil {
				return err
			}
			return a.forget(func(m *trial.Memory) (int, error) { return m.Forget(cmd.Context(), which) })
		},
	}
}

func newMemoryClear(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "clear", Short: "Forget everything", Long: "Clear removes everything that the judge learned, including unreadable files.",
		Example: "  ojud judge memory clear", Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.forget(func(m *trial.Memory) (int, error) { return m.Clear(cmd.Context()) })
		},
	}
}

func (a *app) forget(which func(*trial.Memory) (int, error)) error {
	m, err := a.memory()
	if err != nil {
		return err
	}
	n, err := which(m)
	if err != nil {
		return err
	}
	return a.Show(forgotten{n}, forgotten{n}.write)
}

// memory opens the memory of the judge of the home.
func (a *app) memory() (*trial.Memory, error) {
	home, err := a.home()
	if err != nil {
		return nil, err
	}
	cfg, err := a.Settings()
	if err != nil {
		return nil, err
	}
	return trial.OpenMemory(trial.Config{Judge: cfg.Node.Judge, Models: cfg.Node.Models}, home.Dir, home.Keys.Judge())
}

// lessons returns all lessons, or those of one case. It names unreadable files on standard error.
func (a *app) lessons(ctx context.Context, of string) ([]trial.Lesson, error) {
	which, err := cli.Address("the case", of)
	if err != nil {
		return nil, err
	}
	m, err := a.memory()
	if err != nil {
		return nil, err
	}
	lessons, broken, err := m.Lessons(ctx, which)
	for _, what := range broken {
		if _, err := fmt.Fprintf(a.Err, "left out: %s\n", what); err != nil {
			return nil, err
		}
	}
	return lessons, err
}
