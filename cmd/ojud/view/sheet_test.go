package view

import (
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/node/client"
	"ojud/node/client/compare"
	"ojud/node/why"
)

// TestWidth: sheets, tables, seats and explanations are no wider than a line may be.
func TestWidth(t *testing.T) {
	long := strings.Repeat("Nine words of a task that goes on and on. ", 9)
	address := strings.Repeat("A", 44)
	seat := client.SeatView{Seat: 27, Judge: address, Weight: 2_500_000_000, Committed: true, Choice: "abstain", Result: "equivocated", Slashed: 5_000_000}
	earned := seat
	earned.Slashed, earned.Earned = 0, 2_941_177
	var b strings.Builder
	for _, err := range []error{
		Sheet{{"instruction", long}, {"now", "short"}}.Write(&b),
		Table(&b, []string{"CASE", "NEXT"}, [][]string{{address, long}}),
		Table(&b, []string{"TASK", "SUBJECT", "STATUS", "PRICE", "CREATOR", "NEXT"}, [][]string{{address, long[:60], "in progress", "0.1 SOL", address, long}}),
		Table(&b, []string{"AT", "JUDGE", "SOURCE", "CASE", "RESULT"}, [][]string{{"2026-11-27 19:51:00", address, "site.post", address, "answered"}}),
		Case(CaseWithPanel{CaseView: client.CaseView{What: long, Seats: []client.SeatView{seat, earned}}, Missing: long})(&b),
		Why(why.Explanation{Case: casefile.Address{1}, Lines: []why.Line{{Round: 1, Text: long, Fact: long, Next: long}}})(&b),
		Report("a.json", "a.json", client.Report{Testimony: nil}, compare.Compared{})(&b),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for l := range strings.Lines(b.String()) {
		if len(l) > Width+1 {
			t.Errorf("%d columns: %s", len(l)-1, l)
		}
	}
	for _, want := range []string{"\ntask     AAA", "\nstatus   in progress\nprice    0.1 SOL\ncreator  AAA", "\ninstruction  Nine words", "  +0.002941177 SOL\n", "  -0.005 SOL\n"} {
		if !strings.Contains("\n"+b.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, b.String())
		}
	}
}
