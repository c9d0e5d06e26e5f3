package client

import (
	"fmt"
	"strings"
	"testing"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestPast: whoever asks late hears what happened in each round, when the chain says, and why. What
// the node does not tell has no time, and is not called new.
func TestPast(t *testing.T) {
	t.Parallel()
	judge := func(i int) onchain.Address { return onchain.Address{byte(i + 1)} }
	at := int64(100)
	var history []ledger.Occurred
	put := func(events ...program.Event) {
		at += 10
		history = append(history, ledger.Occurred{Time: at, Events: events})
	}
	put(&program.CaseOpened{Round: 1, At: at})
	for round := uint8(1); round <= 2; round++ {
		put(&program.Drawn{Round: round, Seats: make([]program.SeatDrawn, 2)})
		for i := range 2 {
			put(&program.Committed{Round: round, Seat: uint8(i), Judge: judge(i)})
		}
		put(&program.Revealed{Round: round, Judge: judge(0), Choice: voting.Abstain}, &program.Revealed{Round: round, Seat: 1, Judge: judge(1), Choice: voting.Abstain})
		put(&program.RoundSettled{Round: round, Abstain: 4e9, Seated: 4e9})
	}
	put(&program.CaseFinished{Verdict: voting.Undecided, Level: 1})
	view := look("undecided", 2, "..")
	for i := range view.Seats {
		view.Seats[i] = SeatView{Seat: i, Judge: judge(i).String(), Committed: true, Choice: "abstain"}
	}
	view.What, view.Now, view.SettledAt = "undecided, which splits the reward", 9_999, 230
	write := func(all []Change) (out string) {
		for _, c := range all {
			out += fmt.Sprintf("%d %s %d", c.At, c.Kind, c.Round)
			if c.Kind == "void" || c.Kind == "undecided" {
				out += ": " + c.Text
			}
			out += "\n"
		}
		return out
	}
	round := func(n, at int) string {
		return fmt.Sprintf("%[2]d drawn %[1]d\n%[3]d committed %[1]d\n%[4]d committed %[1]d\n%[5]d revealing %[1]d\n%[5]d revealed %[1]d\n%[5]d revealed %[1]d\n"+
			"%[6]d void %[1]d: round %[1]d had no quorum: accept 0 SOL, reject 0 SOL, abstain 4 SOL of 4 SOL seated\n", n, at, at+10, at+20, at+30, at+40)
	}
	end := "230 undecided 2: undecided, which splits the reward: accept 0 SOL, reject 0 SOL, abstain 0 SOL of 0 SOL seated (0 accept, 0 reject, 2 abstain, 0 absent)\n"
	if got, want := write(merged(told(history), view)), "110 opened 1\n"+round(1, 120)+round(2, 170)+strings.Replace(end, "230", "220", 1); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// A history that was read before the end: what came after it follows, with the end as the last.
	late := merged(told(history[:len(history)-2]), view)
	if last := late[len(late)-1]; last.Kind != "undecided" || len(late) != len(told(history))-1 {
		t.Errorf("%s", write(late))
	}
	none := write(merged(nil, view)) // the control: a node that keeps no history
	if want := "1 opened 1\n0 drawn 2\n0 committed 2\n0 committed 2\n0 revealed 2\n0 revealed 2\n" + end; none != want {
		t.Errorf("%s\nwant\n%s", none, want)
	}
}
