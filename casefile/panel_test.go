package casefile_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
)

// FuzzPanel: a panel that is read is bounded, written alike, and can be computed with.
func FuzzPanel(f *testing.F) {
	p := casefile.Panel{Round: 1, Effective: 217}
	for i, family := range []string{"a", "b", "code"} {
		p.Seats = append(p.Seats, casefile.PanelSeat{Judge: casefile.Address{byte(i)}, Family: family})
	}
	for i, choices := range []casefile.Choices{"ar-", "rra"} {
		p.History = append(p.History, casefile.PanelRow{
			Case: casefile.Address{byte(i + 1)}, Round: 1, Verdict: casefile.Verdict(voting.ForWorker), Choices: choices,
		})
	}
	raw, err := json.Marshal(p)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"round":1,"seats":[],"history":[],"effective":"0.00"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := casefile.ReadPanel(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := casefile.ReadPanel(again); err != nil || fmt.Sprint(back) != fmt.Sprint(p) {
			t.Fatalf("%s became %+v, %v", again, back, err)
		}
		choices := casefile.Choices(strings.Repeat("ar-", 10)[:len(p.Seats)])
		if w := panel.Independent(p, choices, slices.Repeat([]casefile.Amount{1_000_000_000}, len(p.Seats))); w > 100*voting.MaxSeats {
			t.Fatalf("worth %s", w)
		}
	})
}
