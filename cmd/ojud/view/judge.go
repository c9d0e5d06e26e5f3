package view

import (
	"fmt"

	"ojud/node/client"
	"ojud/node/status"
)

// Judge shows a judge on the Roster.
func Judge(v client.JudgeView) Sheet {
	var s Sheet
	s.Add("judge", v.Judge)
	s.Add("node", v.NodeID)
	s.Add("operator", v.Operator)
	s.Add("withdraw", withdrawKey(v))
	s.Add("state", v.State)
	s.Add("stake", v.Stake.String())
	if v.Missing > 0 {
		s.Add("not drawn", "the stake is too small for the draw; run: ojud judge top-up "+v.Missing.Argument())
	}
	weight := v.Weight.String() + " in this season"
	if v.NextWeight != v.Weight {
		weight += fmt.Sprintf(", %s in the next one", v.NextWeight)
	}
	s.Add("weight", weight+"; "+v.SeasonNext)
	s.Add("rewards", v.Rewards.String()+" to be claimed")
	s.Add("leaves", v.ExitIn)
	r := v.Record
	s.Add("record", fmt.Sprintf("%s: %d majority, %d minority, %d abstained, %d absent, %d equivocated", Count(int(r.Seated), "round"), r.Majority, r.Minority,
		r.Abstained, r.Absent, r.Equivocated))
	s.Add("golden", goldenText(v.Golden))
	if v.Live > 0 {
		s.Add("live", fmt.Sprintf("%s not settled, with weights of %s in all", Count(int(v.Live), "round"), v.Locked))
	}
	return s
}

// goldenText says what the record in golden cases is, and what it is worth.
func goldenText(g client.Golden) string {
	text := fmt.Sprintf("%d right, %d wrong, %d seen: ", g.Right, g.Wrong, g.Seen)
	switch {
	case g.Holds && g.Asked:
		return text + "it may sit, because " + g.Why
	case g.Asked:
		return text + "it may not sit, because " + g.Why
	}
	return text + g.Why + "; this court does not ask for it"
}

// Season shows the season of a court.
func Season(v client.SeasonView) Sheet {
	var s Sheet
	s.Add("began", clockTime(v.Began))
	if v.Began == 0 {
		s = Sheet{{"began", "never: no judge has a weight yet"}}
	}
	s.Add("weight", fmt.Sprintf("%s, of %s", v.Weight, Count(v.Judges, "judge")))
	if v.Waiting > 0 {
		s.Add("waiting", Count(v.Waiting, "judge")+" for the first weight")
	}
	s.Add("next", v.Next)
	return s
}

// SeasonDone shows the season that was begun.
func SeasonDone(d client.SeasonDone) Sheet { return append(Sent(d.Sent), Season(d.Season)...) }

// Admission shows what was done to the list of a court.
func Admission(d client.AdmissionDone) Sheet {
	s := Sent(d.Sent)
	s.Add("judge", d.Judge)
	s.Add("court", courtKind(d.Court))
	return s
}

// courtKind says who may join a court.
func courtKind(kind string) string {
	return map[string]string{
		"listed": "listed: its authority admits who may join", "open": "open: anyone may join",
	}[kind]
}

// JudgeHere shows a judge on the Roster, and what its node did.
func JudgeHere(v client.JudgeHere) Sheet {
	s := Judge(v.JudgeView)
	s.Add("court", courtKind(v.Court))
	s.Add("rules", rulesText(v.Rules))
	if v.Node == nil {
		return s
	}
	now := fmt.Sprintf("%d of %d places taken, %s waiting", v.Node.AtWork, v.Node.Places, Count(v.Node.Waiting, "case"))
	if v.Node.CaseSeconds > 0 {
		now += fmt.Sprintf("; a case takes about %.0fs", max(v.Node.CaseSeconds, 1))
	}
	s.Add("its node", now)
	s.Add("voted", Count(int(v.Node.Voted), "case")+" since the node's start")
	for _, a := range v.Node.Abstained {
		s.Add("abstained", Count(int(a.Cases), "case")+": "+a.Why)
	}
	return s
}

// rulesText says which rules are in force, and which are announced.
func rulesText(r status.RulesState) string {
	text := fmt.Sprintf("version %d in force", r.InForce)
	if r.Announced != 0 {
		text += fmt.Sprintf("; version %d applies from %s (see: ojud court rules)", r.Announced, clockTime(r.From))
	}
	if r.Paused {
		text += "; the court is paused"
	}
	return text
}

// withdrawKey shows who can take the stake.
func withdrawKey(v client.JudgeView) string {
	if v.Withdraw == v.Judge {
		return "the judge's own key, which is on its node (see: ojud judge withdraw-key --help)"
	}
	return v.Withdraw
}
