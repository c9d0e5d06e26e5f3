package brain

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/node/megabrain"
)

//go:embed class.json
var classExample []byte

func newClass(a *cli.App) *cobra.Command {
	cmd := cli.Court(a, cli.Group(&cobra.Command{
		Use:   "class",
		Short: "Make a kind of tasks that workers and evaluators register for",
		Long: `A class is a kind of tasks. Its document says which fields of a result carry the meaning
(docs/megabrain.md), and its parameters say what is paid, what is lost and how long each phase
lasts. Nothing changes them. Workers and evaluators register for a class with a stake.`,
		Example: `  ojud brain class example > facts.class.json
  ojud brain class create facts.class.json --set dispute=6h --key maker.json`,
	}))
	cmd.AddCommand(newClassCreate(a), newClassExample(a))
	return cmd
}

func newClassExample(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "example",
		Short: "Print the document of a class, to begin with",
		Long: `Example prints the document of a class: its name, what workers have to know, the fields whose
values have to be equal ("meaning"), those that have to say the same ("prose"), and how many
different words the prose has at least. Add "memory": up to four addresses of memory nodes, such as
["https://memory.example"], where all who know a task find the class and the results. Add
"embedding": {"name": "MODEL", "sha256": "…", "dimensions": 1024, "near": 3000}, if evaluators are
to post vectors of that model, by which prose is compared in place of words. Add
"near": [4000, 6000], if how far apart prose may be is to follow from the results of each task.`,
		Example: `  ojud brain class example > facts.class.json`,
		Args:    cli.Takes(0),
		RunE:    func(*cobra.Command, []string) error { return a.Content(classExample, true) },
	}
}

func newClassCreate(a *cli.App) *cobra.Command {
	var w work
	var set, near []string
	cmd := &cobra.Command{
		Use:   "create CLASS.json",
		Short: "Make a class",
		Long: fmt.Sprintf(`Create makes a class of a document. Its identifier is the hash of the document, which is kept in
the home and given to the memory nodes that it names, and to those of --memory. A second run finds
the class.

--set changes a parameter. Shares are basis points, times are such as 90s or 12h, and the bond is
an amount, such as 0.05sol. --near names a class of the same kind: who did well there has a better
reputation here, by a quarter of that record ("ojud brain link").

Without --set it has the numbers of the specification. Then it has no golden tasks, which test
evaluators: one that says the same of everything earns more than one that looks. With
--set golden=10 it has them, and you open them ("ojud brain open-golden").

The numbers of the specification:

%s`, parameterTable()),
		Example: `  ojud brain class create facts.class.json --key maker.json
  ojud brain class create facts.class.json --set submission=1h --set dispute=30m --set bond=0.02sol`,
		Args: cli.Takes(1, "a file with the document of a class"),
	}
	w.add(cmd, true)
	cmd.Flags().StringArrayVar(&set, "set", nil, "parameter that differs, as NAME=VALUE; may be repeated")
	cmd.Flags().StringArrayVar(&near, "near", nil, "address of a class whose records count by a quarter; up to 4")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		document, err := library.ReadFile(args[0], finding.MaxClass)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if _, _, err := finding.ReadClass(document); err != nil {
			return cli.Usage("%s: %v", args[0], err)
		}
		p, err := parameters(set)
		if err != nil {
			return err
		}
		classes, err := nearOf(near, p)
		if err != nil {
			return err
		}
		return w.with(cmd, a, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, _ *client.Client) error {
			made, err := d.CreateClass(ctx, document, p, classes)
			if err != nil {
				return err
			}
			sheet := append(view.Sent(made.Sent), view.Sheet{{"class", made.Class}, {"document", made.ID}, {"golden tasks", goldenTasks(p)}}...)
			sheet.Add("appeals", appealNote(ctx, d, p))
			return a.Show(made, sheet.Write)
		})
	}
	return cmd
}

// goldenTasks says what tests the evaluators of a class. A line has room for it in 100 columns.
func goldenTasks(p brain.Parameters) string {
	if p.Golden == 0 {
		return "none: who says the same of everything earns more than who looks"
	}
	return fmt.Sprintf("yes: an evaluator that fails them has stamped at an alarm of %d", p.Golden)
}

// appealNote says whether who is right loses by an appeal against a false golden task of a class;
// empty: no.
func appealNote(ctx context.Context, d *megabrain.Desk, p brain.Parameters) string {
	if p.Golden == 0 {
		return ""
	}
	_, fee, err := megabrain.AppealCosts(ctx, d, nil, &brain.ClassAccount{Parameters: p})
	return costly(p.Bond, uint64(fee), err)
}

func costly(bond, fee uint64, err error) string {
	switch {
	case err != nil:
		return "what they cost is not known now: " + err.Error()
	case bond < fee:
		return fmt.Sprintf("cost more than the bond brings: it is %s and the court's fee %s", amount(bond), amount(fee))
	}
	return ""
}

// nearOf are the classes that --near names.
func nearOf(near []string, p brain.Parameters) (out []onchain.Address, err error) {
	if len(near) > brain.MaxNear || len(near) > 0 && p.Golden == 0 {
		return nil, cli.Usage("--near names up to %d classes, and only in a class with golden tasks", brain.MaxNear).Next("add --set golden=10")
	}
	for _, text := range near {
		at, err := cli.Address("--near", text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, at) {
			return nil, cli.Usage("--near names %s twice", text)
		}
		out = append(out, at)
	}
	return out, nil
}

// parameters are the default ones with what --set says.
func parameters(set []string) (brain.Parameters, error) {
	p := brain.Defaults()
	for _, text := range set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return p, cli.Usage("--set %q has no value", text).Next("write --set NAME=VALUE")
		}
		n, err := number(&p, name, value)
		if err == nil {
			err = p.Set(name, n)
		}
		if err != nil {
			return p, cli.Usage("--set %s: %v", text, err).Next("see: ojud brain class create --help")
		}
	}
	if err := p.Check(); err != nil {
		return p, cli.Usage("--set: %v", err)
	}
	return p, nil
}

// number reads a value in the unit of its parameter.
func number(p *brain.Parameters, name, value string) (uint64, error) {
	for _, it := range p.List() {
		switch {
		case it.Name != name:
		case it.Unit == brain.Lamports:
			l, err := client.ParseLamports(value)
			return uint64(l), err
		case it.Unit == "seconds":
			var s cli.Span
			err := s.Set(value)
			return uint64(s.Seconds), err
		}
	}
	return strconv.ParseUint(value, 10, 64)
}

// parameterTable lists the parameters for people.
func parameterTable() string {
	p := brain.Defaults()
	var b strings.Builder
	for _, it := range p.List() {
		value, least, most := strconv.FormatUint(it.Value, 10), strconv.FormatUint(it.Least, 10), strconv.FormatUint(it.Most, 10)
		switch it.Unit {
		case brain.Lamports:
			value, least, most = client.Lamports(it.Value).Argument(), client.Lamports(it.Least).Argument(), client.Lamports(it.Most).Argument()
		case "seconds":
			span := func(n uint64) string { return (time.Duration(n) * time.Second).String() }
			value, least, most = span(it.Value), span(it.Least), span(it.Most)
		}
		fmt.Fprintf(&b, "  %-16s %-12s %s to %s %s\n", it.Name, value, least, most, map[bool]string{true: it.Unit}[it.Unit == brain.BasisPoints || it.Unit == "points" || it.Unit == "days"])
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
