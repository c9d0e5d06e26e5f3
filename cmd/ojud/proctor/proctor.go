// Package proctor has the commands of proctors, who make golden cases and bring them through a
// court.
package proctor

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/golden/generator"
	"ojud/golden/proctor"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// Command returns the group of commands. The court's keyholder has further ones, which say who may
// be a proctor.
func Command(a *cli.App, keyholder ...*cobra.Command) *cobra.Command {
	cmd := cli.Court(a, cli.Group(&cobra.Command{
		Use:   "proctor",
		Short: "Make golden cases, bring them through the court, check those of others",
		Long: `A proctor makes golden cases: disputes whose true answer it knows, because a generator made them
from a secret seed. It commits to a whole batch with a deposit, posts its cases among ordinary ones,
and opens all leaves when the cases are over. After the time to challenge, seats that voted for the
true answer are paid, and the others pay. Anybody can check an open leaf, and challenge a false one.

A batch goes make, commit, post, open, apply, close. Each command can be repeated: it does what is
missing. "show" says what that is. make and check need no court. Each batch needs the keys of three
kinds of people: the proctor, who pays the deposit; creators, who post the tasks; and workers, who
claim them. All are yours, and should have nothing to do with each other on the chain.`,
		Example: `  ojud court proctor make batch-1 --program PROGRAM --creator AGENT
  ojud court proctor commit batch-1 --key proctor.json
  ojud court proctor post batch-1 --creator-key creator.json --worker-key worker.json
  ojud court proctor open batch-1 --wait --key proctor.json
  ojud court proctor show batch-1
  ojud court proctor check batch-1
  ojud court proctor challenge 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --creator-key one.json --worker-key two.json`,
	}))
	cmd.AddCommand(newMake(a), newCommit(a), newPost(a), newOpen(a), newApply(a), newClose(a), newState(a), newCheck(a), newChallenge(a), newAppeal(a))
	cmd.AddCommand(keyholder...)
	return cmd
}

func newMake(a *cli.App) *cobra.Command {
	plan, seed := proctor.DefaultPlan(), ""
	var kinds, rewards []string
	var court string
	var creators []string
	var first []uint
	cmd := &cobra.Command{
		Use:   "make DIR",
		Short: "Make a batch of golden cases",
		Long: `Make makes a batch in a new directory: batch.json with the root, which is public, and cases with the
documents of each dispute, which are to be posted. secret.json has the seeds; whoever reads it or
cases knows every answer. Keep it until every leaf is open, because an incomplete batch costs the
deposit.

Each leaf names the address of its task, so that it has only one. It follows from the program, the
creator and the number of the task. A creator must post nothing else until the batch is posted.
"ojud agent show ADDRESS" says how many tasks it has created.

45 to 55 % of the answers are accept. Each range of --rewards gets its part of the leaves; take the
rewards of ordinary tasks, because otherwise judges vote blindly where no case is golden.`,
		Example: `  ojud court proctor make batch-1 --program PROGRAM --creator AGENT
  ojud court proctor make batch-2 --program PROGRAM --creator AGENT1,AGENT2 --first 20,7 \
      --leaves 100 --kind code,extraction --rewards 0.01sol-0.1sol:60,0.1sol-2sol:40`,
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
			if court == "" && len(creators) > 0 {
				d, err := a.LoadNetwork(cmd.Context())
				if err != nil {
					return cli.Usage("which court? %s", cli.Plain(err)).Next("name its --program, or --network")
				}
				court = d.Program
			}
			if court != "" || len(creators) > 0 {
				if err := place(&plan, court, creators, first); err != nil {
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
	flags.StringVar(&court, "program", "", "the address of the court's program (default that of --network)")
	flags.StringSliceVar(&creators, "creator", nil, "the agents that will post the tasks in turns, with commas between")
	flags.UintSliceVar(&first, "first", nil, "for each creator, how many tasks it has created so far (default 0)")
	flags.StringSliceVar(&kinds, "kind", nil, "kinds of work, with commas between: "+kindNames()+" (default all)")
	flags.StringSliceVar(&rewards, "rewards", nil, "ranges of rewards with their parts (default 0.01sol-0.1sol:50,0.1sol-1sol:40,1sol-5sol:10)")
	flags.StringVar(&seed, "seed", "", "for tests only: whoever knows it knows every answer (default random)")
	return cmd
}

// place says where the tasks of a batch will be: the creators take turns.
func place(plan *proctor.Plan, court string, creators []string, first []uint) error {
	id, err := cli.Address("--program", court)
	if err != nil {
		return err
	}
	if len(first) > len(creators) {
		return cli.Usage("%d numbers in --first and %d creators", len(first), len(creators)).Next("give one number for each --creator, in the same order")
	}
	agents, numbers := make([]onchain.Address, len(creators)), make([]uint64, len(creators))
	for i, text := range creators {
		if agents[i], err = cli.Address("--creator", text); err != nil {
			return err
		}
		if slices.Contains(agents[:i], agents[i]) {
			return cli.Usage("--creator %s stands there twice", text)
		}
		if i < len(first) {
			numbers[i] = uint64(first[i])
		}
	}
	if len(agents) == 0 {
		return nil // the plan says what is missing
	}
	p := program.New(id)
	plan.Place = func(leaf int) proctor.Location {
		turn := leaf % len(agents)
		number := numbers[turn] + uint64(leaf/len(agents))
		return proctor.Location{Creator: voting.Key(agents[turn]), Number: number, Task: voting.Key(p.Task(agents[turn], number))}
	}
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

func newCheck(a *cli.App) *cobra.Command {
	var secret bool
	cmd := &cobra.Command{
		Use:   "check PATH|CASE",
		Short: "Check a batch, an open leaf of anybody's, or a golden case on the chain",
		Long: `Check reads an open leaf from a file: it computes its hash, follows the proof to the root, runs the
generator again from the seed, and compares documents and answer. It needs nothing secret. Compare
the root with the one that the chain shows.

With a directory it checks all leaves that are open there, against its batch.json. With --secret it
makes the whole batch again from secret.json.

With the address of a golden case it reads the leaf from the chain. If the leaf is false,
"challenge" ends its batch before money moves by it.

The exit status is 1 if something is wrong.`,
		Example: `  ojud court proctor check batch-1/opened/0003.json
  ojud court proctor check batch-1
  ojud court proctor check batch-1 --secret
  ojud court proctor check 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2`,
		Args: cli.Takes(1, "a file, a directory or the address of a case"),
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := os.Stat(args[0])
			golden, no := onchain.ParseAddress(args[0])
			switch {
			case err != nil && no == nil && secret:
				return cli.Usage("--secret goes with the directory of a batch")
			case err != nil && no == nil:
				return checkCase(a, cmd, golden)
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
