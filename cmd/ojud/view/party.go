package view

import (
	"fmt"
	"strconv"
	"time"

	"ojud/node/client"
	"ojud/node/client/advice"
)

// Sent shows the result of a transaction.
func Sent(d client.Sent) Sheet {
	var s Sheet
	if d.Signature == "" {
		s.Add("done", "it was done already, nothing was sent")
		return s
	}
	s.Add("done", "transaction "+d.Signature)
	return s
}

// Agent shows the account of an agent.
func Agent(v client.AgentView) Sheet {
	var s Sheet
	s.Add("agent", v.Authority)
	s.Add("vault", v.Vault.String())
	if v.Wallet != nil {
		s.Add("wallet", v.Wallet.String())
	}
	s.Add("operator", v.Operator)
	s.Add("card", v.CardHash)
	s.Add("tasks", fmt.Sprintf("%d created, %d claimed, %d paid, %d missed", v.TasksCreated, v.TasksClaimed, v.TasksPaid, v.TasksMissed))
	s.Add("cases", fmt.Sprintf("%d won, %d lost", v.CasesWon, v.CasesLost))
	return s
}

// Task shows a task.
func Task(v client.TaskView) Sheet {
	var s Sheet
	s.Add("task", v.Task)
	s.Add("status", v.Status)
	s.Add("next", Move(v.Move))
	s.Add("creator", v.Creator)
	s.Add("worker", v.Worker)
	s.Add("reward", rewardText(v))
	if v.CreatorBond+v.WorkerBond+v.ClaimBond > 0 {
		s.Add("bonds", fmt.Sprintf("creator %s, worker %s, claim %s", v.CreatorBond, v.WorkerBond, v.ClaimBond))
	}
	if v.ReleaseBy > v.Now {
		s.Add("release", "for nothing until "+clockTime(v.ReleaseBy))
	}
	s.Add("undecided", v.OnUndecided+" (if the court cannot decide)")
	if e := v.Engine; e != nil {
		s = append(s, engineTerms(*e)...)
	}
	s.Add("panel", panelText(v))
	if v.Reworks > 0 {
		s.Add("reworks", strconv.Itoa(int(v.Reworks)))
	}
	s.Add("task hash", v.TaskHash)
	s.Add("result hash", v.ResultHash)
	s.Add("objection", v.ObjectionHash)
	s.Add("counter", v.CounterHash)
	s.Add("created", clockTime(v.CreatedAt))
	s.Add("finished", clockTime(v.FinishedAt))
	return s
}

// engineTerms shows who decides a task instead of the court.
func engineTerms(e client.EngineView) Sheet {
	var s Sheet
	s.Add("engine", e.Engine+" decides a dispute, not the court")
	s.Add("engine time", fmt.Sprintf("%s from the counter-objection on; then %s", time.Duration(e.Seconds)*time.Second,
		map[string]string{"court": "the court decides", "term": "the term above decides"}[e.Silence]))
	if e.Fee > 0 {
		s.Add("engine fee", fmt.Sprintf("%s to %s, from the loser's bond", e.Fee, e.Agent))
	}
	return s
}

// Signers shows a group, and what it signed.
func Signers(v client.SignersView) Sheet {
	var s Sheet
	s.Add("engine", v.Engine)
	s.Add("decide", fmt.Sprintf("%d of %d members", v.Threshold, len(v.Members)))
	for _, m := range v.Members {
		text := m.Member
		if m.Signed != "" {
			text += " signed " + m.Signed
		}
		s.Add("member", text)
	}
	s.Add("task", v.Subject)
	s.Add("verdict", v.Verdict)
	s.Add("account", v.Account)
	return s
}

// panelText says who would judge, and for how much, by the task's terms.
func panelText(v client.TaskView) string {
	text := Count(int(v.Seats), "judge") + " at first"
	if v.FeeMin > 0 {
		text += fmt.Sprintf(", each for a fee of at least %s", v.FeeMin)
	}
	return text
}

// Review shows what a worker should know about a task.
func Review(r advice.Review) Sheet {
	var s Sheet
	for _, source := range r.Sources {
		text := Count(source.Staked, "judge") + " with a stake"
		switch {
		case source.Everybody():
			text = "every judge reads it from the chain"
		case source.Staked < 0:
			text = "no node could be asked who has it"
		}
		s.Add("source "+source.Source, text)
	}
	for _, w := range r.Warnings {
		s.Add("warning", w.Term+": "+w.Why)
		s.Add("  do this", w.Fix)
	}
	return s
}

func rewardText(v client.TaskView) string {
	if v.AuctionSeconds > 0 && v.Worker == "" {
		return fmt.Sprintf("%s now; %s rising to %s within %s", v.Price, v.RewardMin, v.RewardMax, time.Duration(v.AuctionSeconds)*time.Second)
	}
	return v.Price.String()
}

// Move says which party must act.
func Move(m client.Move) string {
	text := m.What
	if m.Who != "" {
		text = m.Who + ": " + m.What
	}
	if m.Left != "" {
		text += " (" + m.Left + ")"
	}
	return text
}
