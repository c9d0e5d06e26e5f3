// Package proctor has the commands of proctors, who make golden cases. They need no court.
package proctor

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/golden/generator"
	"ojud/golden/proctor"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// Command returns the group of commands.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "proctor",
		Short: "Make golden cases, open them, check those of others",
		Long: `A proctor makes golden cases: disputes whose true answer it knows, because a generator made them
from a secret seed. It commits to a whole batch before the tasks are posted, and opens it leaf by
leaf after the cases. Anybody can check an open leaf. These commands need no court.`,
		Example: `  ojud court proctor make batch-1 --program PROGRAM --creator AGENT
  ojud court proctor open batch-1 3 4
  ojud court proctor check batch-1`,
	})
	cmd.AddCommand(newMake(a), newOpen(a), newCheck(a))
	return cmd
}

func newMake(a *cli.App) *cobra.Command {
	plan, seed := proctor.DefaultPlan(), ""
	var kinds, rewards []string
	var court, creator string
	var first uint64
	cmd := &cobra.Command{
		Use:   "make DIR",
		Short: "Make a batch of golden cases",
		Long: `Make makes a batch in a new directory: batch.json with the root, which is public, and cases with the
documents of each dispute, which are to be posted. secret.json has the seeds; whoever reads it or
cases knows every answer. Keep it until every leaf is open, because an incomplete batch costs the
deposit.

Each leaf names the address of its task, so that it has only one. It follows from the program, the
creator and the number of the task. The creator must post nothing else until the batch is posted.

45 to 55 % of the answers are accept. Each range of --rewards gets its part of the leaves; take the
rewards of ordinary tasks, because otherwise judges vote blindly where no case is golden.`,
		Example: `  ojud court proctor make batch-1 --program PROGRAM --creator AGENT
  ojud court proctor make batch-2 --program PROGRAM --creator AGENT --first 40 --leaves 100 \
      --kind code,extraction --rewards 0.01sol-0.1sol:60,0.1sol-2sol:40`,
		Args: cli.Takes(1, "a new directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("kind") {
				plan.Kinds = nil
				for _, k := range kinds {
					plan.Kinds = append(plan.Kinds, generator.Kind(k))
				}
			}
			if cmd.Flags().Changed("rewards") {
				plan.Rewards = nil
				for _, text := range rewards {
					r, err := parseRange(text)
					if err != nil {
						return err
					}
					plan.Rewards = append(plan.Rewards, r)
				}
			}
			if seed != "" {
				plan.Seed = sha256.Sum256([]byte(seed))
			}
			if court != "" || creator != "" {
				if err := place(&plan, court, creator, first); err != nil {
					return err
				}
			}
			if err := plan.Validate(); err != nil {
				return cli.Usage("%s", cli.Plain(err))
			}
			b, err := proctor.Make(plan)
			if err != nil {
				return err
			}
			if err := b.Save(args[0]); err != nil {
				return err
			}
			return show(a, b.Contents())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&plan.Leaves, "leaves", plan.Leaves, "how many golden cases, 2 to 256")
	flags.StringVar(&court, "program", "", "the address of the court's program")
	flags.StringVar(&creator, "creator", "", "the agent that will post the tasks, one after the other")
	flags.Uint64Var(&first, "first", 0, "the number that its first task will have: how many it has created")
	flags.StringSliceVar(&kinds, "kind", nil, "kinds of work, with commas between: "+kindNames()+" (default all)")
	flags.StringSliceVar(&rewards, "rewards", nil, "ranges of rewards with their parts (default 0.01sol-0.1sol:50,0.1sol-1sol:40,1sol-5sol:10)")
	flags.StringVar(&seed, "seed", "", "for tests only: whoever knows it knows every answer (default random)")
	return cmd
}

// place says where the tasks of a batch will be.
func place(plan *proctor.Plan, court, creator string, first uint64) error {
	id, err := cli.Address("--program", court)
	if err != nil {
		return err
	}
	agent, err := cli.Address("--creator", creator)
	if err != nil {
		return err
	}
	p := program.New(id)
	plan.Task = func(leaf int) voting.Key { return voting.Key(p.Task(agent, first+uint64(leaf))) }
	return nil
}

func kindNames() string {
	var names []string
	for _, k := range generator.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// parseRange reads a range of rewards, such as 0.1sol-1sol:40.
func parseRange(text string) (r proctor.Range, err error) {
	amounts, parts, _ := strings.Cut(text, ":")
	least, most, ok := strings.Cut(amounts, "-")
	if !ok {
		return r, cli.Usage("--rewards %.60q is no range", text).Next("write LEAST-MOST:PARTS, such as 0.1sol-1sol:40")
	}
	for _, one := range []struct {
		text string
		to   *uint64
	}{{least, &r.Least}, {most, &r.Most}} {
		lamports, err := cli.Lamports("--rewards", one.text)
		if err != nil {
			return r, err
		}
		*one.to = uint64(lamports)
	}
	if r.Parts, err = strconv.Atoi(parts); err != nil {
		return r, cli.Usage("--rewards %.60q has no parts", text).Next("write LEAST-MOST:PARTS, such as 0.1sol-1sol:40")
	}
	return r, nil
}

// show writes the contents of a batch.
func show(a *cli.App, s proctor.Contents) error {
	return a.Show(s, func(w io.Writer) error {
		var sheet view.Sheet
		sheet.Add("root", s.Root.String())
		sheet.Add("leaves", fmt.Sprintf("%d: %d accept, %d reject", s.Leaves, s.Accept, s.Reject))
		if !s.Balanced {
			sheet.Add("balance", "outside 45 to 55 %: it may not be applied")
		}
		for _, k := range generator.Kinds() {
			if n := s.Kinds[k]; n > 0 {
				sheet.Add(string(k), fmt.Sprint(n))
			}
		}
		sheet.Add("hard", fmt.Sprint(s.Hard))
		sheet.Add("hostile", fmt.Sprintf("%d speak to their judges", s.Hostile))
		sheet.Add("rewards", client.Lamports(s.Rewards).String()+" in all")
		return sheet.Write(w)
	})
}

func newOpen(a *cli.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "open DIR [NUMBER...]",
		Short: "Open leaves of a batch whose cases are over",
		Long: `Open writes leaves with their proofs to the folder opened of a batch. They are public from then on.
Numbers begin with 1. Open every leaf in the end: a batch of which some are closed moves nothing and
costs the deposit.`,
		Example: `  ojud court proctor open batch-1 3 4
  ojud court proctor open batch-1 --all`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage("open needs the directory of a batch")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 1) {
				return cli.Usage("which leaves are to be opened?").Next("write their numbers, or --all")
			}
			b, err := proctor.Load(args[0])
			if err != nil {
				return err
			}
			var numbers []int
			for i := range b.Contents().Leaves {
				if all {
					numbers = append(numbers, i+1)
				}
			}
			for _, text := range args[1:] {
				n, err := strconv.Atoi(text)
				if err != nil {
					return cli.Usage("%.40q is no number of a leaf", text)
				}
				numbers = append(numbers, n)
			}
			names, err := b.Open(args[0], numbers)
			if err != nil {
				return err
			}
			return cli.List(a, names, "nothing was opened", []string{"OPENED"}, func(name string) []string { return []string{name} })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "open every leaf")
	return cmd
}

func newCheck(a *cli.App) *cobra.Command {
	var secret bool
	cmd := &cobra.Command{
		Use:   "check PATH",
		Short: "Check a batch, or an open leaf of anybody's",
		Long: `Check reads an open leaf from a file: it computes its hash, follows the proof to the root, runs the
generator again from the seed, and compares documents and answer. It needs nothing secret. Compare
the root with the one that the chain shows.

With a directory it checks all leaves that are open there, against its batch.json. With --secret it
makes the whole batch again from secret.json.

The exit status is 1 if something is wrong.`,
		Example: `  ojud court proctor check batch-1/opened/0003.json
  ojud court proctor check batch-1
  ojud court proctor check batch-1 --secret`,
		Args: cli.Takes(1, "a file or directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			info, err := os.Stat(args[0])
			switch {
			case err != nil:
				return cli.Fail("%v", err)
			case !info.IsDir() && secret:
				return cli.Usage("--secret goes with the directory of a batch")
			case !info.IsDir():
				return checkFile(a, args[0])
			case !secret:
				return checkDir(a, args[0])
			}
			b, err := proctor.Load(args[0])
			if err != nil {
				return err
			}
			return show(a, b.Contents())
		},
	}
	cmd.Flags().BoolVar(&secret, "secret", false, "make the whole batch again; only its proctor can")
	return cmd
}

func checkFile(a *cli.App, name string) error {
	f, err := proctor.CheckFile(name)
	if err != nil {
		return err
	}
	return a.Show(f, func(w io.Writer) error {
		var s view.Sheet
		s.Add("leaf", fmt.Sprintf("%d of %d: true", f.Leaf, f.Leaves))
		s.Add("root", f.Root.String())
		s.Add("seal", f.Seal.String())
		s.Add("kind", fmt.Sprintf("%s (%s)", f.Kind, f.Template))
		s.Add("answer", voting.Choice(f.Answer).String())
		s.Add("why", f.Why)
		for _, step := range f.Steps {
			s.Add("verify", step)
		}
		return s.Write(w)
	})
}

func checkDir(a *cli.App, dir string) error {
	p, err := proctor.CheckDir(dir)
	if err != nil {
		return err
	}
	return a.Show(p, func(w io.Writer) error {
		var s view.Sheet
		s.Add("root", p.Root.String())
		s.Add("open", fmt.Sprintf("%d of %d, all true; %d accept", p.Open, p.Leaves, p.Accept))
		switch {
		case p.Balanced:
			s.Add("batch", "complete and balanced: it may be applied")
		case p.Complete:
			s.Add("batch", "complete, but not balanced: it may not be applied")
		default:
			s.Add("batch", "not complete: nothing may be applied")
		}
		return s.Write(w)
	})
}
