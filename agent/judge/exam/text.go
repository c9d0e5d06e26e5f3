package exam

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ojud/agent/judge/class"
	"ojud/casefile"
	"ojud/voting"
)

// Text writes the grades for a person who sees them for the first time.
func (r Grades) Text(w io.Writer) error {
	for _, part := range []func(io.Writer) error{r.scores, r.classes, r.trust, r.expense, r.missed} {
		if err := part(w); err != nil {
			return err
		}
	}
	return nil
}

// scores says how often the judge was right, and what its errors would have caused.
func (r Grades) scores(w io.Writer) error {
	s := r.All
	decided := s.Right + s.PaysWrongly + s.RefundsWrongly
	model := r.Model
	if model == "" {
		model = "a judge without an opinion"
	}
	return table(w, fmt.Sprintf("Exam of %s: %d disputes\n\n", model, s.Items), [][]string{
		{"right", of(s.Right, s.Items), fmt.Sprintf("between %s and %s, as far as so few disputes say", percent(s.Low), percent(s.High))},
		{"abstained", of(s.Abstained, s.Items), "earns nothing and costs nothing"},
		{"no opinion", of(s.NoOpinion, s.Items), "an error, no answer in time, or an opinion that cannot be voted"},
		{"pays wrongly", of(s.PaysWrongly, s.LabelledReject), "accepted a result that does not do what the task asks"},
		{"refunds wrongly", of(s.RefundsWrongly, s.LabelledAccept), "rejected a result that does"},
		{"right when it voted", of(s.Right, decided), "of the disputes in which it chose a side"},
	})
}

// classes shows how good the judge is at each kind of work.
func (r Grades) classes(w io.Writer) error {
	rows := [][]string{header("KIND OF TASK")}
	for _, c := range class.All() {
		rows = row(rows, string(c), r.Classes[c])
	}
	rows = append(rows, []string{""}, header("DIFFICULTY"))
	for d, name := range [...]string{1: "seen at once", 2: "some work", 3: "easy to be wrong"} {
		rows = row(rows, name, r.Difficulty[d])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Made)) {
		rows = append(rows, []string{""}, header(strings.ToUpper(name)))
		for _, p := range r.Made[name] {
			rows = row(rows, p.Name, p.Score)
		}
	}
	rows = append(rows, []string{""}, header("LENGTH"))
	for _, p := range r.Length {
		rows = row(rows, p.Name, p.Score)
	}
	return table(w, "\n", rows)
}

// Text writes what blind judges reach.
func (b Blind) Text(w io.Writer) error {
	return table(w, "\nJudges that never look at the task, in the same disputes (chance is 50 %)\n", [][]string{
		{"  always accept", percent(b.Always)}, {"  the longest pleading is right", percent(b.Pleading)}, {"  long results are right", percent(b.Result)},
		{"  words of the pleadings", percent(b.Pleadings), "learned from another exam of the same size"},
	})
}

func header(first string) []string {
	return []string{first, "DISPUTES", "RIGHT", "ABSTAINED", "NO OPINION", "PAYS WRONGLY", "REFUNDS WRONGLY"}
}

// row adds a score to a table, if it counts anything.
func row(rows [][]string, name string, s Score) [][]string {
	if s.Items == 0 {
		return rows
	}
	return append(rows, []string{
		name, fmt.Sprint(s.Items), of(s.Right, s.Items), of(s.Abstained, s.Items), of(s.NoOpinion, s.Items),
		of(s.PaysWrongly, s.LabelledReject), of(s.RefundsWrongly, s.LabelledAccept),
	})
}

// trust shows whether the judge's confidence can be trusted.
func (r Grades) trust(w io.Writer) error {
	rows := [][]string{
		{"Brier", fmt.Sprintf("%.3f", r.Calibration.Brier), "0 is best, 0.25 is what a coin gets"},
		{"calibration error", fmt.Sprintf("%.3f", r.Calibration.ECE), "how far its confidence is from how often it is right, 0 is best"},
	}
	if r.Calibration.Stated == 0 {
		rows = append(rows, []string{"", "", "it states no confidence: every vote counts as certain, every abstention as one half"})
	} else {
		for _, b := range r.Calibration.Bins {
			rows = append(rows, []string{fmt.Sprintf("  about %s sure", percent(b.Confidence)), of(int(b.Right*float64(b.Votes)+0.5), b.Votes), "right"})
		}
	}
	switch {
	case r.Order.Swapped == 0:
		rows = append(rows, []string{"order flips", "none", "it compares nothing in two orders, or does not say"})
	default:
		rows = append(rows, []string{"order flips", of(r.Order.Flipped, r.Order.Swapped), "another answer when the two sides are exchanged"})
	}
	return table(w, "\n", rows)
}

// expense shows time and money.
func (r Grades) expense(w io.Writer) error {
	l, u := r.Latency, r.Usage
	rows := [][]string{{"time", fmt.Sprintf("%s, %s, %s", short(l.P50), short(l.P95), short(l.Max)), "for one dispute: half of them, 95 of 100, all"}}
	if u.Calls == 0 {
		rows = append(rows, []string{"models", "none", "no model was asked, or the judge does not say"})
	} else {
		rows = append(rows,
			[]string{"models", fmt.Sprintf("%d calls", u.Calls), fmt.Sprintf("%d tokens read, %d written", u.Prompt, u.Completion)},
			[]string{"cost", fmt.Sprintf("%.4f USD", float64(u.Cost)/1e6), fmt.Sprintf("%.6f a dispute, by the configured prices", float64(u.Cost)/1e6/float64(max(r.All.Items, 1)))})
	}
	return table(w, "\n", rows)
}

// missed lists the disputes that the judge decided wrongly or without an opinion, with its reason.
func (r Grades) missed(w io.Writer) error {
	const _ = uint(3 - voting.Choices) // an abstention is no miss
	var b strings.Builder
	for _, m := range r.Items {
		if m.Choice != m.Label && (m.Error != "" || m.Choice != casefile.Choice(voting.Abstain)) {
			fmt.Fprintf(&b, "  %s: %s, should be %s. %s\n", m.ID, voting.Choice(m.Choice), voting.Choice(m.Label), shorten(m.Summary))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nWrong, or no opinion:\n%s", b.String())
	return err
}

// table writes aligned columns without trailing spaces.
func table(w io.Writer, title string, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		if _, err := fmt.Fprintln(t, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	_, err := io.WriteString(w, title+strings.Join(lines, "\n"))
	return err
}

func of(n, all int) string {
	if all == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d (%s)", n, all, percent(Share(n, all)))
}

func percent(p float64) string { return fmt.Sprintf("%.0f %%", 100*p) }

// short rounds to three digits.
func short(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// shorten cuts a summary for a line.
func shorten(s string) string {
	const most = 160
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(slices.Concat(runes[:most], []rune("…")))
	}
	return s
}
