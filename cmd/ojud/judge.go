package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudge(a *app) *cobra.Command {
	cmd := court(a, group(&cobra.Command{
		Use:   "judge",
		Short: "Join the roster, keep the stake, leave; examine the judge",
		Long: `A judge has a stake on the roster and a node that votes. These commands are about the stake; the node is started with "ojud run".
The key is the authority.json of the home. Exam, redteam, personas and memory are about how it judges, and need no court.`,
		Example: `  ojud judge register --stake 2sol
  ojud judge status
  ojud judge claim
  ojud judge exam`,
	}))
	cmd.AddCommand(newJudgeRegister(a), newJudgeTopUp(a), newJudgeExit(a), newJudgeWithdraw(a), newJudgeClaim(a), newJudgeStatus(a), newJudgeList(a))
	cmd.AddCommand(newJudgeExam(a), newJudgeRedteam(a), newJudgePersonas(a), newJudgeMemory(a))
	return cmd
}

// judgeDeed runs an action on the roster and shows the entry afterwards.
func (a *app) judgeDeed(cmd *cobra.Command, what string, act func(context.Context, *client.Client) (client.JudgeDone, error)) error {
	return a.with(cmd, withKey, func(ctx context.Context, c *client.Client) error {
		done, err := wait(ctx, a, what, func(ctx context.Context) (client.JudgeDone, error) { return act(ctx, c) })
		if err != nil {
			return err
		}
		return a.show(done, func(w io.Writer) error { return append(sent(done.Sent), judgeSheet(done.Judge)...).write(w) })
	})
}

func judgeSheet(v client.JudgeView) sheet {
	var s sheet
	s.add("judge", v.Judge)
	s.add("node", v.NodeID)
	s.add("operator", v.Operator)
	s.add("state", v.State)
	s.add("stake", fmt.Sprintf("%s, %s of it in live rounds", v.Stake, v.Locked))
	if v.Fresh > 0 {
		s.add("fresh", fmt.Sprintf("%s counts only in draws from a slot after %d", v.Fresh, v.FreshSlot))
	}
	s.add("rewards", v.Rewards.String()+" to be claimed")
	s.add("leaves", v.ExitIn)
	r := v.Record
	s.add("record", fmt.Sprintf("%d rounds: %d majority, %d minority, %d abstained, %d absent, %d equivocated", r.Seated, r.Majority, r.Minority,
		r.Abstained, r.Absent, r.Equivocated))
	if v.Live > 0 {
		s.add("live", several(int(v.Live), "round")+" not settled")
	}
	return s
}
