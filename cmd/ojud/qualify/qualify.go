// Package qualify has the command that brings a judge to its credential. It is apart from the
// commands of a judge's money (cmd/ojud/stake), which move lamports, and from those that need no
// court (cmd/ojud/examine).
package qualify

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/qualify"
)

// every is the time between two looks at the chain.
const every = 5 * time.Second

// Command returns the command.
func Command(a *cli.App) *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "qualify [ADDRESS]",
		Short: "Say what stands between a judge and its credential, and wait for it",
		Long: `Qualify says where the key's judge stands, or the judge with that address. Its exam is the first
golden cases that it sits in: cases whose answer a proctor committed before anybody voted. Each
right vote adds 2 to its score, each wrong one takes 3; at 28 it has passed, at -14 it has failed.
Nobody knows which cases they are until they are over, so there is nothing to ask for and nothing to
share. The node takes the exam by judging (ojud run); qualify only reads the chain.

With --wait it reports each change until the judge holds the credential, or until waiting does not
help. With --json each report is an object.

The exit status is 1 if the judge gets no seat, whatever it waits for: its record is bad, its stake
is too small, or it leaves. Try the judge first, without a stake: ojud judge exam --carry words.`,
		Example: `  ojud judge qualify
  ojud judge qualify --wait
  ojud judge qualify 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --json | jq -r .phase`,
		Args: cli.Takes(0, "an address"),
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "report each change until the judge holds the credential")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		judge, err := cli.Address("the judge", cli.First(args...))
		if err != nil {
			return err
		}
		return a.With(cmd, cli.Need(len(args) == 0), func(ctx context.Context, c *client.Client) error {
			look := func(ctx context.Context) (qualify.Standing, error) { return qualify.Look(ctx, c, judge) }
			if !wait {
				s, err := look(ctx)
				if err != nil {
					return err
				}
				return verdict(s, a.Show(s, sheet(s).Write))
			}
			s, err := qualify.Wait(ctx, every, look, func(s qualify.Standing) error { return tell(a, s) })
			return verdict(s, err)
		})
	}
	return cmd
}

// tell reports a change.
func tell(a *cli.App, s qualify.Standing) error {
	if a.JSON {
		return a.Line(s)
	}
	return a.Show(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n", view.Escape(line(s)))
		return err
	})
}

// line is a report in one line.
func line(s qualify.Standing) string {
	return fmt.Sprintf("%s: %s (%d right, %d wrong, %d seen)", s.Phase, s.Text, s.Golden.Right, s.Golden.Wrong, s.Golden.Seen)
}

// verdict is the error of a judge that gets no seat.
func verdict(s qualify.Standing, err error) error {
	if err != nil {
		return err
	}
	switch s.Phase {
	case qualify.Failed, qualify.NoStake, qualify.Leaving:
		return cli.Fail("the judge gets no seat: %s", s.Text).Next(s.Next)
	}
	return nil
}

// sheet shows all that is known.
func sheet(s qualify.Standing) view.Sheet {
	var out view.Sheet
	out.Add("judge", s.Judge)
	out.Add("phase", string(s.Phase))
	out.Add("means", s.Text)
	out.Add("next", s.Next)
	out.Add("golden", fmt.Sprintf("%d right, %d wrong, %d seen", s.Golden.Right, s.Golden.Wrong, s.Golden.Seen))
	out.Add("weight", fmt.Sprintf("%s in this season, %s in the next one; %s", s.Weight, s.NextWeight, s.SeasonNext))
	if s.Growth > 0 {
		out.Add("growth", fmt.Sprintf("after %s more its weight may double again", view.Count(s.Growth, "golden case")))
	}
	c := s.Court
	proven := fmt.Sprintf("%s; if they and the novices with room are fewer than %d, novices weigh as much as others", view.Count(c.Proven, "judge"), c.Needed)
	if s.Rule == 0 {
		proven = ""
	}
	out.Add("proven", proven)
	if c.Room > 0 {
		out.Add("room", fmt.Sprintf("novices weigh at most %s together; %s in the next season, %d of them before this judge", c.Room, view.Count(c.Novices, "novice"), c.Before))
	}
	out.Add("cases", fmt.Sprintf("%d golden ones under way; proctors may commit to %d more now", c.Running, c.Possible))
	return out
}
