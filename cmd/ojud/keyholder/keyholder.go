// Package keyholder has the commands of the person who keeps a court's keys: the versions of its
// rules, the authority over them, and the pause.
package keyholder

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/rulebook"
)

// Commands returns the commands of a court's keyholder.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newCreate(a), newProgram(a), newRules(a), newAuthority(a), newPause(a), newResume(a), newUpgrade(a), newFreeze(a), newGiveProgram(a), newSign(a), newDoctor(a)}
}

// act is a command that does something with the court's authority.
type act struct {
	*cli.App
	yes, print, unsigned, dry bool
}

// add adds the flags of every act to a command.
func (a *act) add(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.yes, "yes", false, "do it without a question")
	cmd.Flags().BoolVar(&a.print, "print", false, "send nothing, print what the authority has to sign, for a multisig")
	cmd.Flags().BoolVar(&a.unsigned, "unsigned", false, "send nothing, print only the unsigned transaction, in base64")
	cmd.Flags().BoolVar(&a.dry, "dry-run", false, "check the act and say what it does, and send nothing")
	return cmd
}

// question is what a person has to answer before an act.
type question struct {
	about  []string // what the act does, one point each
	byName bool     // the answer that permits the act is the court's name, and not y
}

// run plans an act, asks, sends and shows the keys afterwards.
func (a *act) run(cmd *cobra.Command, plan func(context.Context, *client.Client) (rulebook.Plan, error), q question) error {
	return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
		p, err := plan(ctx, c)
		if err != nil {
			return err
		}
		sent, err := a.send(ctx, cmd, c, p, q)
		if err != nil || sent == nil {
			return err
		}
		keys, err := rulebook.ReadKeys(ctx, c)
		if err != nil {
			return err
		}
		done := struct {
			client.Sent
			Keys rulebook.Keys `json:"keys"`
		}{*sent, keys}
		return a.Show(done, append(view.Sent(*sent), keysSheet(keys)...).Write)
	})
}

// send asks and sends a plan, or prints it. It returns nil if it printed it.
func (a *act) send(ctx context.Context, cmd *cobra.Command, c *client.Client, p rulebook.Plan, q question) (*client.Sent, error) {
	if a.looks() {
		u, err := p.Unsigned()
		if err != nil {
			return nil, err
		}
		return nil, a.look(u, q.about)
	}
	if err := p.Signable(c); err != nil {
		return nil, err
	}
	expect := "y"
	if q.byName {
		expect = c.Network().Name
	}
	if err := a.ask(ctx, cmd, p.Act, expect, q.about); err != nil {
		return nil, err
	}
	sent, err := cli.Wait(ctx, a.App, "waiting until it is on the chain", func(ctx context.Context) (client.Sent, error) {
		return p.Send(ctx, c)
	})
	return &sent, err
}

// looks reports whether nothing is to be sent.
func (a *act) looks() bool { return a.print || a.unsigned || a.dry }

// look shows an act that is not sent.
func (a *act) look(u rulebook.Unsigned, about []string) error {
	switch {
	case a.unsigned:
		_, err := fmt.Fprintln(a.Out, u.Transaction)
		return err
	case a.print:
		return a.Show(u, unsignedSheet(u).Write)
	}
	would := struct {
		Would  string   `json:"would"`
		Signer string   `json:"signer"`
		About  []string `json:"about"`
	}{u.Act, u.Signer, about}
	return a.Show(would, func(w io.Writer) error {
		s := view.Sheet{{"would", would.Would}, {"signer", would.Signer}}
		for i, line := range about {
			s.Add(map[bool]string{true: "about"}[i == 0], strings.TrimSpace(line))
		}
		s.Add("note", "nothing was sent")
		return s.Write(w)
	})
}

// ask returns nil if the person agrees. An interrupt ends the question, too.
func (a *act) ask(ctx context.Context, cmd *cobra.Command, what, expect string, about []string) error {
	if a.yes {
		return nil
	}
	for _, line := range about {
		if _, err := fmt.Fprintln(a.Err, view.Wrap(line, 0)); err != nil {
			return err
		}
	}
	how := "y/N"
	if expect != "y" {
		how = "type " + expect
	}
	if _, err := fmt.Fprintf(a.Err, "%s%s? [%s] ", strings.ToUpper(what[:1]), what[1:], how); err != nil {
		return err
	}
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 1024)).ReadString('\n')
		if err != nil && line == "" {
			line = "\n"
		}
		answer <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case got := <-answer:
		if got == expect || expect == "y" && strings.EqualFold(got, "yes") {
			return nil
		}
	}
	if _, err := fmt.Fprintln(a.Err); err != nil {
		return err
	}
	return cli.Fail("nothing was sent, because nobody agreed to %s", what).Next("answer the question, or add --yes")
}

func unsignedSheet(u rulebook.Unsigned) view.Sheet {
	s := view.Sheet{{"act", u.Act}, {"signer", u.Signer}, {"program", u.Program}}
	for i, one := range u.Accounts {
		flags := ""
		if one.Signer {
			flags += ", signer"
		}
		if one.Writable {
			flags += ", writable"
		}
		s.Add(fmt.Sprintf("account %d", i+1), one.Address+flags)
	}
	s.Add("data", u.Data)
	s.Add("message", u.Message)
	s.Add("transaction", u.Transaction)
	s.Add("note", "nothing was sent; data, message and transaction are base64, and the message has no recent blockhash")
	return s
}

func newPause(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return cli.Court(a, x.add(&cobra.Command{
		Use:   "pause",
		Short: "Stop new tasks, claims and judges, at once",
		Long: `Pause stops three things at once: nobody can create a task, claim one, or join the roster.

It stops nothing else. Work goes on, results are paid, disputes are opened, drawn, voted and
settled, and everybody takes out what is theirs: vaults, rewards, stakes. Rules can be announced.
The clock of auctions stands still, because nobody can claim. It takes effect until:
ojud court resume`,
		Example: `  ojud court pause --key court.json
  ojud court pause --print --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return x.run(cmd, func(ctx context.Context, c *client.Client) (rulebook.Plan, error) {
				return rulebook.Pause(ctx, c, true)
			}, question{about: []string{
				"It stops at once: new tasks, new claims, new judges.",
				"It does not stop: work, payments, disputes, votes, verdicts, withdrawals, exits of judges, new rules.",
			}})
		},
	}))
}

func newResume(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return cli.Court(a, x.add(&cobra.Command{
		Use:   "resume",
		Short: "End a pause",
		Long:  `Resume ends a pause at once: tasks can be created and claimed again, and judges can join.`,
		Example: `  ojud court resume --key court.json
  ojud court resume --print`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return x.run(cmd, func(ctx context.Context, c *client.Client) (rulebook.Plan, error) {
				return rulebook.Pause(ctx, c, false)
			}, question{about: []string{"Tasks can be created and claimed again, and judges can join, at once."}})
		},
	}))
}
