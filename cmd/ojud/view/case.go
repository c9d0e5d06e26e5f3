package view

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ojud/node/client"
	"ojud/node/record"
	"ojud/node/why"
)

// CaseWithPanel is a case with the data that the node of this home has about its panel.
type CaseWithPanel struct {
	client.CaseView
	// Panel is nil if no node runs here, if the node does not know the case, or if no judge is
	// drawn yet.
	Panel *record.PanelStatus `json:"panel,omitempty"`
	// Missing says why there is no Panel.
	Missing string `json:"-"`
}

// Case writes a case.
func Case(v CaseWithPanel) func(io.Writer) error {
	return func(w io.Writer) error {
		var s Sheet
		s.Add("case", v.Case)
		s.Add("status", v.Status)
		s.Add("now", v.What)
		s.Add("round", rounds(v.CaseView))
		s.Add("first panel", v.FirstVerdict)
		s.Add("weights", fmt.Sprintf("accept %s, reject %s, abstain %s of %s seated",
			v.Weights.Accept, v.Weights.Reject, v.Weights.Abstain, v.Weights.Seated))
		s.Add("votes", v.votes())
		s.Add("opened", clockTime(v.OpenedAt))
		s.Add("decided", clockTime(v.SettledAt))
		s.Add("golden", goldenCase(v.Golden))
		if err := s.Write(w); err != nil || len(v.Seats) == 0 {
			return err
		}
		if len(v.First) > 0 {
			if err := seatTable(w, "the first panel", v.First); err != nil {
				return err
			}
			return seatTable(w, "the appeal", v.Seats)
		}
		return seatTable(w, "", v.Seats)
	}
}

// goldenCase says what a proctor knew before anybody voted. It is empty for other cases.
func goldenCase(g client.GoldenCase) string {
	if g.Answer == "" {
		return ""
	}
	text := fmt.Sprintf("the true answer is %s, says a leaf that batch %d committed to before; ", g.Answer, g.Batch)
	if g.Applied {
		return text + "the money of the seats has been moved by it"
	}
	return text + "no seat wins or loses by it yet"
}

// rounds says in which round of its level a case is.
func rounds(v client.CaseView) string {
	if v.Round > v.MaxRounds {
		return fmt.Sprintf("%d of at most %d of the appeal", v.Round-v.MaxRounds, v.MaxRounds)
	}
	return fmt.Sprintf("%d of at most %d", v.Round, v.MaxRounds)
}

// Appeal shows what an appeal is about, and what it can bring and cost.
func Appeal(v client.AppealView) Sheet {
	var s Sheet
	s.Add("case", v.Case)
	s.Add("first panel", v.Verdict+", against "+v.Loser)
	s.Add("appeal by", clockTime(v.By)+" ("+v.Left+")")
	s.Add("judges", fmt.Sprintf("%d that did not sit", v.Seats))
	s.Add("bond", fmt.Sprintf("%s from the vault, and %s of rent from the wallet, which comes back", v.Bond, v.Rent))
	s.Add("to win", v.Win.String()+" in the vault, all bonds included")
	s.Add("to lose", v.Lose.String()+" of bonds, of which the first is lost already if the verdict stands")
	return s
}

// Verdict shows the lasting verdict of a case.
func Verdict(v client.VerdictView) Sheet {
	var s Sheet
	s.Add("case", v.Case)
	s.Add("verdict", v.Verdict)
	if !v.Final {
		s.Add("final", "no: it may still change")
	}
	s.Add("weights", fmt.Sprintf("accept %s, reject %s, abstain %s of %s seated",
		v.Weights.Accept, v.Weights.Reject, v.Weights.Abstain, v.Weights.Seated))
	s.Add("decided", clockTime(v.DecidedAt))
	s.Add("account", v.Account)
	s.Add("of program", v.Program)
	s.Add("creator", v.Creator)
	s.Add("worker", v.Worker)
	s.Add("reward", v.Reward.String())
	s.Add("result", v.Result)
	s.Add("facts", v.Facts)
	if v.Checked {
		s.Add("checked", "task and case are still there, and have these facts")
	}
	return s
}

// seatTable shows the seats of a panel, counted from 1.
func seatTable(w io.Writer, title string, seats []client.SeatView) error {
	var rows [][]string
	for _, s := range seats {
		vote := s.Choice
		if s.Committed && s.Choice == "none" {
			vote = "sealed"
		}
		rows = append(rows, []string{strconv.Itoa(s.Seat + 1), s.Judge, s.Weight.String(), vote, s.Result, money(s)})
	}
	if title != "" {
		title = "\n" + title
	}
	if _, err := fmt.Fprintln(w, title); err != nil {
		return err
	}
	return Table(w, []string{"SEAT", "JUDGE", "WEIGHT", "VOTE", "RESULT", "MONEY"}, rows)
}

// money returns what a seat earned and lost.
func money(s client.SeatView) string {
	var parts []string
	if s.Earned > 0 {
		parts = append(parts, "+"+s.Earned.String())
	}
	if s.Slashed > 0 {
		parts = append(parts, "-"+s.Slashed.String())
	}
	return cmp.Or(strings.Join(parts, ", "), "0 SOL")
}

// votes returns the tally in seats, and how many independent votes it is worth.
func (s CaseWithPanel) votes() string {
	switch {
	case len(s.Seats) == 0:
		return ""
	case s.Panel == nil:
		return fmt.Sprintf("%d for two sides; %s", s.sides(), s.Missing)
	case !s.Panel.Cast:
		return fmt.Sprintf("%d for two sides so far; those of all %d seats would be worth %s independent votes %s",
			s.sides(), s.Panel.Votes, s.Panel.Independent, s.Panel.Basis())
	}
	return s.Panel.String()
}

// sides counts the votes on the chain that accept or reject.
func (s CaseWithPanel) sides() (n int) {
	for _, seat := range s.Seats {
		if (seat.Choice == "accept" || seat.Choice == "reject") && !seat.Equivocated {
			n++
		}
	}
	return n
}

// Why writes an explanation, round by round.
func Why(answer why.Explanation) func(io.Writer) error {
	return func(w io.Writer) error {
		var b strings.Builder
		fmt.Fprintf(&b, "case   %s\njudge  %s\n", answer.Case, answer.Judge)
		round := -1
		for _, l := range answer.Lines {
			if int(l.Round) != round {
				round = int(l.Round)
				b.WriteString(map[bool]string{true: "\nthe case\n", false: fmt.Sprintf("\nround %d\n", round)}[round == 0])
			}
			fmt.Fprintf(&b, "  %s\n      by   %s\n", Wrap(Escape(l.Text), 2), Wrap(Escape(l.Fact), 11))
			if l.Next != "" {
				fmt.Fprintf(&b, "      next %s\n", Wrap(Escape(l.Next), 11))
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
}
