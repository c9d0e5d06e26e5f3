package client

import (
	"ojud/node/client/when"
	"strings"
	"testing"
	"time"
)

// seats makes seats from letters: . nothing, c committed, a accept, r reject. A and R are seats
// that voted so and equivocated.
func seats(letters string) (out []SeatView) {
	for i, l := range letters {
		s := SeatView{Seat: i, Judge: string(rune('A' + i)), Committed: l != '.', Choice: "none"}
		switch l {
		case 'a', 'A':
			s.Choice = "accept"
		case 'r', 'R':
			s.Choice = "reject"
		}
		s.Equivocated = l == 'A' || l == 'R'
		out = append(out, s)
	}
	return out
}

func look(status string, round uint8, letters string) CaseView {
	v := CaseView{Case: "C", Status: status, Round: round, Verdict: "none", Seats: seats(letters), OpenedAt: 1, Now: 2}
	if status == "decided" || status == "undecided" {
		v.Over, v.Verdict = true, map[bool]string{true: "undecided", false: "accept"}[status == "undecided"]
	}
	return v
}

// TestChanges checks that every event between two looks is reported once, in order.
func TestChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, now CaseView
		want     string
	}{
		"opened":             {CaseView{}, look("draw", 1, ""), "opened"},
		"nothing":            {look("commit", 1, "c.."), look("commit", 1, "c.."), ""},
		"drawn":              {look("draw", 1, ""), look("commit", 1, "..."), "drawn"},
		"a commit":           {look("commit", 1, "c.."), look("commit", 1, "c.c"), "committed:C"},
		"reveals begin":      {look("commit", 1, "ccc"), look("reveal", 1, "cca"), "revealing revealed:C"},
		"all at once":        {CaseView{}, look("decided", 1, "ar"), "opened drawn committed:A committed:B revealed:A revealed:B decided"},
		"the last vote":      {look("reveal", 1, "ac"), look("decided", 1, "aa"), "revealed:B decided"},
		"equivocation":       {look("reveal", 1, "ac"), look("reveal", 1, "Ac"), "equivocated:A"},
		"void, not drawn":    {look("reveal", 1, "a.."), look("draw", 2, "a.."), "void"},
		"void, drawn again":  {look("reveal", 1, "a.."), look("commit", 2, "c.."), "void drawn committed:A"},
		"drawn after void":   {look("draw", 2, "a.."), look("commit", 2, "..."), "drawn"},
		"undecided":          {look("draw", 1, ""), look("undecided", 1, ""), "undecided"},
		"watching too late":  {CaseView{}, look("undecided", 1, ""), "opened undecided"},
		"rolled back, again": {look("commit", 1, "."), look("draw", 1, ""), ""},
	} {
		var got []string
		for _, change := range changes(c.old, c.now) {
			k := change.Kind
			if change.Judge != "" {
				k += ":" + change.Judge
			}
			got = append(got, k)
			if change.Text == "" || change.At == 0 || change.Round == 0 {
				t.Errorf("%s: %+v", name, change)
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %q, want %q", name, g, c.want)
		}
	}
}

// TestWaiting checks that a silent case says what it waits for, but not at every look.
func TestWaiting(t *testing.T) {
	t.Parallel()
	seen := look("commit", 1, "c..")
	view := seen
	view.Now, view.What = seen.Now+waitingEvery, "1 of 3 judges have committed; ends in 6m30s"
	if got := news(seen, view, seen.Now); len(got) != 1 || got[0].Kind != "waiting" || !strings.HasSuffix(got[0].Text, view.What) {
		t.Errorf("%+v", got)
	}
	if got := news(seen, view, seen.Now+1); got != nil {
		t.Errorf("too early: %+v", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h", 8*time.Hour - time.Second: "7h59m",
		47 * time.Hour: "47h", 48 * time.Hour: "2d", 7*24*time.Hour - time.Second: "6d23h",
	} {
		if got := strings.TrimPrefix(when.In(int64(d/time.Second), 0), "in "); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	if got := when.In(10, 70) + ", " + when.In(70, 10) + ", " + when.Left(70, 10) + ", " + when.Left(10, 70); got != "1m ago, in 1m, 1m left, over for 1m" {
		t.Error(got)
	}
}
