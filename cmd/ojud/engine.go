package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

func newEngine(a *app) *cobra.Command {
	cmd := cli.Court(a.App, cli.Group(&cobra.Command{
		Use:   "engine",
		Short: "Decide tasks with a group of keys instead of the court",
		Long: `The terms of a task can name who decides a dispute about it instead of the court: an engine. These
commands are for the engine that comes with the court, a program that decides by m of n signatures
(docs/signers.md). A group is a list of keys, of which a majority decides. Nobody can change a
group, and another group of the same program has no word about the task.

Other engines are other programs. All of them write a verdict account (docs/verdicts.md), and "task
settle" ends the task by it.`,
		Example: `  ojud engine create MEMBER MEMBER MEMBER --threshold 2 --key carol.json
  ojud task create task.json --reward 1sol --engine PROGRAM/GROUP
  ojud engine sign TASK --verdict accept --key member.json
  ojud task settle TASK`,
	}))
	cmd.AddCommand(newEngineCreate(a), newEngineSign(a), newEngineShow(a))
	return cmd
}

func newEngineCreate(a *app) *cobra.Command {
	var threshold int
	var program string
	cmd := &cobra.Command{
		Use:   "create MEMBER…",
		Short: "Make a group of keys that decides tasks",
		Long: `Create puts a group on the chain, once. Its address follows from its members and its threshold, so
nobody can put another group there, and to repeat the command does no harm. Your key pays the rent,
about 0.005 SOL, which never comes back, and gets no power over the group.

The threshold is a majority of the 1 to 16 members, so that no two verdicts can both reach it. A
member can be the address of a program that signs by calls, such as a multisig or a DAO.

The result names the engine: PROGRAM/GROUP. Creators name it with "task create --engine", and
workers with "task claim --allow-engine".`,
		Example: `  ojud engine create 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin \
      7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T --threshold 2
  ojud engine create 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --threshold 1 --json | \
      jq -r .signers.engine`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage("engine create needs the addresses of the members").Next("see: ojud engine create --help")
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of, err := cli.Address("--program", program)
		if err != nil {
			return err
		}
		var members []onchain.Address
		for _, text := range args {
			member, err := cli.Address("the member", text)
			if err != nil {
				return err
			}
			members = append(members, member)
		}
		return cli.Act(a.App, cmd, "making the group", func(c *client.Client, ctx context.Context) (client.EngineDone, error) {
			return client.CreateSigners(ctx, c, of, threshold, members...)
		}, engineDone)
	}
	cmd.Flags().IntVar(&threshold, "threshold", 0, "so many members decide: more than half of them")
	cmd.Flags().StringVar(&program, "program", "", "address of the program of signers (default that of every devnet)")
	return cmd
}

func newEngineSign(a *app) *cobra.Command {
	var verdict string
	cmd := withTask(&cobra.Command{
		Use:   "sign TASK",
		Short: "Sign a verdict about a task, as a member of the group that decides it",
		Long: `Sign says what your key, a member of the task's group, decides about a task whose worker
counter-objected: accept (the worker is paid), reject (the creator is refunded) or undecided (the
task's term for undecided cases decides). Nobody signs twice. The last member whose word is needed
writes the verdict, which nothing changes later, and settles the task in the same transaction. If
that did not work, anybody settles it: "task settle".

Sign refuses a task that does not wait for its engine. The program of signers does not: it knows no
tasks. So a member that is a program looks first; docs/signers.md says at what.

The first member that signs pays for an account that keeps who signed what, and the last one for the
verdict, about 0.002 SOL each.`,
		Example: `  ojud engine sign 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --verdict accept --key member.json
  ojud engine sign 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --verdict reject --json | \
      jq -r .signers.verdict`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		return cli.Act(a.App, cmd, "signing", func(c *client.Client, ctx context.Context) (client.EngineDone, error) {
			return client.SignVerdict(ctx, c, task, verdict)
		}, engineDone)
	})
	cmd.Flags().StringVar(&verdict, "verdict", "", "accept, reject or undecided")
	return cmd
}

func newEngineShow(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show TASK|PROGRAM/GROUP",
		Short: "Show a group: its members, and what they signed about a task",
		Long: `Show prints who decides: the members of a group, and how many of them it takes. For a task it
prints the task's group, and what each member signed about the task.`,
		Example: `  ojud engine show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud engine show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq .members`,
		Args: cli.Takes(1, "a task, or PROGRAM/GROUP"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !strings.Contains(args[0], "/") {
			task, err := cli.Address("the task", args[0])
			if err != nil {
				return err
			}
			return cli.ShowOne(a.App, cmd, cli.PerhapsKey, task, (*client.Client).TaskSigners, view.Signers)
		}
		by, err := cli.Engine(args[0])
		if err != nil {
			return err
		}
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			v, err := c.Signers(ctx, by)
			if err != nil {
				return fmt.Errorf("cannot show the group: %w", err)
			}
			return a.Show(v, view.Signers(v).Write)
		})
	}
	return cmd
}

func engineDone(d client.EngineDone) view.Sheet {
	s := append(view.Sent(d.Sent), view.Signers(d.Signers)...)
	if d.Settled {
		s.Add("task", "settled by the verdict")
	}
	return s
}
