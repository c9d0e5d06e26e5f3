package keyholder

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/law"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/rulebook"
)

func newRules(a *cli.App) *cobra.Command {
	cmd := cli.Court(a, &cobra.Command{
		Use:   "rules",
		Short: "Show the rules in force, and the announced ones",
		Long: `Rules prints the version of the court's rules that is in force, with all its values, and the version
that is announced, with the time from which it applies. Of each it prints what differs from the
version before it. A version never changes, and a task keeps the one under which it was created.`,
		Example: `  ojud court rules
  ojud court rules --network http://127.0.0.1:8899 --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
				b, err := rulebook.Read(ctx, c)
				if err != nil {
					return err
				}
				return a.Show(b, func(w io.Writer) error { return writeBook(w, b) })
			})
		},
	})
	cmd.AddCommand(newPropose(a), newWithdraw(a))
	return cmd
}

func writeBook(w io.Writer, b rulebook.Book) error {
	for i, v := range b.Versions {
		state := "in force since "
		if i > 0 {
			state = "announced, in force from "
		}
		text := fmt.Sprintf("version %d: %s%s", v.Number, state, rulebook.At(v.From, b.Time))
		if v.Until != 0 {
			text += "; it ends " + rulebook.At(v.Until, b.Time)
		}
		if _, err := fmt.Fprintln(w, view.Wrap(text, 0)); err != nil {
			return err
		}
		if err := writeChanges(w, v.Changes); err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		var s view.Sheet
		for _, p := range v.Parameters {
			s.Add("  "+p.Name, strings.TrimSuffix(p.Text+"; "+p.Meaning, "; "))
		}
		if err := s.Write(w); err != nil {
			return err
		}
	}
	if len(b.Versions) == 1 {
		_, err := fmt.Fprintln(w, "no other version is announced")
		return err
	}
	return nil
}

func writeChanges(w io.Writer, all []rulebook.Difference) error {
	for _, c := range all {
		if _, err := fmt.Fprintln(w, "  "+view.Wrap("change: "+c.Text, 4)); err != nil {
			return err
		}
	}
	return nil
}

func newPropose(a *cli.App) *cobra.Command {
	x, values := &act{App: a}, []string(nil)
	cmd := &cobra.Command{
		Use:   "propose --set NAME=VALUE ...",
		Short: "Announce the next version of the rules",
		Long: `Propose announces a version: the one in force with other values. It applies after the cooldown of
the version in force, so every judge that disagrees can leave first. Until then it can be withdrawn.
The next one can be announced when it is in force, or withdrawn. It touches no task, no case and no
exit that began before.

Values are written as people do: 1.5sol, 90s, 8h, 2d, 0.5%, a number, and truth or seed for the
preset. "ojud court rules" lists the names. Propose checks every bound before it sends, shows what
changes and from when, and asks.`,
		Example: `  ojud court rules propose --set min_stake=2sol --set trade_bps=0.5% --key court.json
  ojud court rules propose --set commit_seconds=10m --print`,
		Args: cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		set, err := parseAll(values)
		if err != nil {
			return err
		}
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			p, err := rulebook.Propose(ctx, c, set)
			if err != nil {
				return err
			}
			about := []string{fmt.Sprintf("Version %d would apply %s after its announcement, about %s:", p.Number, p.Notice, time.Unix(p.From, 0).UTC().Format("2006-01-02 15:04 UTC"))}
			for _, one := range p.Changes {
				about = append(about, "  "+one.Text)
			}
			about = append(about, "Until then it can be withdrawn, and no other version can be announced beside it.")
			sent, err := x.send(ctx, cmd, c, p.Plan, question{about: about})
			if err != nil || sent == nil {
				return err
			}
			b, err := rulebook.Read(ctx, c)
			if err != nil {
				return err
			}
			done := struct {
				client.Sent
				Rules rulebook.Version `json:"rules"`
			}{*sent, b.Versions[len(b.Versions)-1]}
			return a.Show(done, func(w io.Writer) error {
				s := view.Sent(*sent)
				s.Add("version", strconv.FormatUint(uint64(done.Rules.Number), 10))
				s.Add("applies from", rulebook.At(done.Rules.From, b.Time))
				if err := s.Write(w); err != nil {
					return err
				}
				return writeChanges(w, done.Rules.Changes)
			})
		})
	}
	cmd.Flags().StringArrayVar(&values, "set", nil, "NAME=VALUE, such as min_stake=2sol; may be repeated")
	return x.add(cmd)
}

func newWithdraw(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return x.add(&cobra.Command{
		Use:   "withdraw",
		Short: "Take the announced version of the rules back",
		Long: `Withdraw takes the version back that is announced and not in force yet. The version in force stays.
What is announced next waits for a whole cooldown again, and has the same number. Judges that began
to leave because of the announcement go on leaving.`,
		Example: `  ojud court rules withdraw --key court.json
  ojud court rules withdraw --print --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return x.run(cmd, rulebook.Withdraw, question{about: []string{"The version in force stays. Judges that have begun to leave go on leaving."}})
		},
	})
}

// parseAll reads the values of --set. The names and units are those of the program's table.
func parseAll(texts []string) (all []rulebook.Set, err error) {
	if len(texts) == 0 {
		return nil, cli.Usage("rules propose needs --set NAME=VALUE").Next("see what there is with: ojud court rules")
	}
	seen := map[string]bool{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !ok {
			return nil, cli.Usage("--set %.60q has no value", text).Next("write NAME=VALUE, such as min_stake=2sol")
		}
		if seen[name] {
			return nil, cli.Usage("--set names %s twice", name).Next("name each parameter once")
		}
		seen[name] = true
		one, err := parse(name, strings.TrimSpace(value))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func parse(name, text string) (rulebook.Set, error) {
	var names []string
	for _, p := range (program.Params{}).List() {
		if p.Name != name {
			names = append(names, p.Name)
			continue
		}
		n, err := number(law.UnitOf(p), text)
		if err != nil {
			return rulebook.Set{}, cli.Usage("--set %s: %v", name, err)
		}
		return rulebook.Set{Name: name, Value: n}, nil
	}
	return rulebook.Set{}, cli.Usage("--set: there is no parameter %.60q", name).Next("take one of " + strings.Join(names, ", "))
}

// number reads a value in the unit of its parameter.
func number(u law.Unit, text string) (uint64, error) {
	switch u {
	case law.Amount:
		l, err := client.ParseLamports(text)
		return uint64(l), err
	case law.Span:
		var s cli.Span
		err := s.Set(text)
		return uint64(s.Seconds), err
	case law.Share:
		return share(text)
	case law.Preset:
		p, ok := law.ParsePreset(text)
		if !ok {
			return 0, cli.Fail("%.40q is not a preset", text).Next("write truth or seed")
		}
		return uint64(p), nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, cli.Fail("%.40q is not a whole number", text).Next("write digits alone, such as 3")
	}
	return n, nil
}

// share reads a percentage with at most two decimals, in hundredths.
func share(text string) (uint64, error) {
	wrong := cli.Fail("%.40q is not a share", text).Next("write percent with at most two decimals, such as 0.5% or 12%")
	digits, ok := strings.CutSuffix(text, "%")
	whole, decimals, _ := strings.Cut(strings.TrimSpace(digits), ".")
	if !ok || whole == "" || len(decimals) > 2 || strings.ContainsAny(whole+decimals, "+-_") {
		return 0, wrong
	}
	w, err := strconv.ParseUint(whole+(decimals + "00")[:2], 10, 32)
	if err != nil {
		return 0, wrong
	}
	return w, nil
}
