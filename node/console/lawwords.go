package console

import (
	"fmt"
	"regexp"
	"strings"
)

// clause is a sentence about the rules. {name} stands for the value of a parameter.
type clause struct {
	when string // parameter that must not be 0, or must be with "!" before it; empty: always
	text string
}

// chapter is some sentences with a title.
type chapter struct {
	Title     string
	Sentences []string
}

// wording is the rules in sentences. Each parameter is named in one of them.
func wording() []struct {
	title   string
	clauses []clause
} {
	return []struct {
		title   string
		clauses []clause
	}{
		{"Work", []clause{
			{"", "A reward is at least {min_reward}."},
			{"cover_bps", "It is at most {cover_bps} of the weight of all judges."},
			{"", "A worker has at least {min_work_seconds}, and posts {claim_bps} of the highest reward with its claim."},
			{"", "The creator has {verify_seconds} to accept a result or to object; silence pays the worker."},
			{"", "The worker has {answer_seconds} to answer an objection, and may hand in again {max_reworks} times; silence refunds the creator."},
			{"trade_bps", "Of what a worker is paid, {trade_bps} go to the golden pot."},
		}},
		{"Disputes", []clause{
			{"", "To object takes a bond of {creator_bps} of the reward, and to insist {worker_bps}, but at least the cost of the panel."},
			{"", "A seat costs {fee_bps} of the reward, and at least {fee_min}; the loser pays it."},
			{"!minority", "Half of that goes to the judge of the seat if it takes a side, and the rest to the golden pot."},
			{"", "A panel has up to {panel_seats} seats. With fewer than {min_seats} there is none."},
			{"", "It is drawn by a block {draw_delay_slots} slots after its round began so that it cannot be known before. If it cannot be drawn in {draw_seconds}, the case is undecided."},
			{"", "Judges have {commit_seconds} to seal their votes and {reveal_seconds} to show them. After {max_rounds} rounds without a decision the case is undecided."},
			{"appeal_seconds", "The loser has {appeal_seconds} to appeal to other judges."},
			{"!appeal_seconds", "No verdict can be appealed."},
			{"", "For {evidence_seconds} after the end anybody can prove that a judge signed two votes."},
		}},
		{"Judges", []clause{
			{"", "A judge joins with at least {min_stake}. Up to {max_seat_weight} of its stake count in a draw. The court takes {max_judges} judges."},
			{"", "Weights are fixed for a season of {season_seconds}."},
			{"", "The court pays by the preset “{preset}”. One mistake costs a seat {risk_bps} of its weight at most."},
			{"", "A judge that never commits loses {absence} times its pay."},
			{"minority", "A clear minority loses {minority} times its pay."},
			{"!minority", "A minority loses nothing."},
			{"appeal_seconds", "A vote that an appeal clearly reverses loses {reversal} times its pay."},
			{"credential", "A judge sits only while it is right often enough in golden cases (level {credential})."},
			{"!credential", "A judge needs no record to sit."},
			{"", "Leaving takes {cooldown_seconds}, and new rules are announced as long before."},
		}},
		{"Golden cases", []clause{
			{"batch_seconds", "Up to {golden_bps} of the cases that end are golden: their answer was fixed before they began, and they are opened within {batch_seconds}."},
			{"!batch_seconds", "This court has no golden cases now. What its golden pot gets is kept for the time when it has."},
			{"batch_seconds", "A right vote gains {golden_gain} times the pay, and a wrong one loses {golden_loss} times that."},
			{"batch_seconds", "Then there are {challenge_seconds} to find a false answer, and the proctor gets {leaf_fee} for each case."},
		}},
	}
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// sentences writes the rules in sentences, from the values of parameters and their texts.
func sentences(values map[string]uint64, texts map[string]string) (out []chapter) {
	for _, part := range wording() {
		c := chapter{Title: part.title}
		for _, one := range part.clauses {
			name, no := strings.CutPrefix(one.when, "!")
			if one.when != "" && (values[name] == 0) != no {
				continue
			}
			c.Sentences = append(c.Sentences, placeholder.ReplaceAllStringFunc(one.text, func(found string) string { return texts[found[1:len(found)-1]] }))
		}
		out = append(out, c)
	}
	return out
}

// labRow is what judges earn by a rule in the lab of the rules, in thousandths of a SOL a case.
type labRow struct {
	Name, Words                        string
	Truth, Seventy, Copy, Reject, Coin float64
}

// lab is a part of the first table of "ojud sim policy", as docs/rules.md has it.
func lab() []labRow {
	return []labRow{
		{"seed", "If the clear majority is paid", 4.94, 2.75, 4.99, 0.38, 1.29},
		{"truth", "If each vote is paid the same, and golden cases reward the truth", 0.97, 0.15, 0.54, -0.51, -0.40},
	}
}

// bars compare what strategies earn by one rule.
type bars struct {
	Name, Words string
	Here        bool // the rule of this court
	Rows        []barRow
}

// barRow is a strategy. The bar is drawn from the zero in the middle.
type barRow struct {
	Who, Class, Text string
	X, Width, Zero   float64
}

// barsWidth is the width of a bar chart in its own units.
const barsWidth = 100.0

// labBars draws the lab's table, on one scale. The bar of truth is for courts with golden cases
// alone.
func labBars(preset string, golden bool) (out []bars) {
	most, least := 0.0, 0.0
	for _, r := range lab() {
		most = max(most, r.Truth, r.Seventy, r.Copy, r.Reject, r.Coin)
		least = min(least, r.Truth, r.Seventy, r.Copy, r.Reject, r.Coin)
	}
	scale := barsWidth / (most - least)
	zero := round(-least * scale)
	for _, r := range lab() {
		b := bars{Name: r.Name, Words: r.Words, Here: r.Name == preset && (golden || preset == "seed")}
		for _, s := range []struct {
			who   string
			earns float64
		}{{"knows the truth", r.Truth}, {"is right in 70 %", r.Seventy}, {"copies the majority", r.Copy}, {"always rejects, unread", r.Reject}, {"tosses a coin", r.Coin}} {
			row := barRow{Who: s.who, Class: "accept", Text: fmt.Sprintf("%+.2f", s.earns), X: zero, Zero: zero, Width: round(s.earns * scale)}
			if s.earns < 0 {
				row.Class, row.Text, row.Width = "reject", strings.Replace(row.Text, "-", "−", 1), -row.Width
				row.X = round(zero - row.Width)
			}
			b.Rows = append(b.Rows, row)
		}
		out = append(out, b)
	}
	return out
}

// odds is what a judge expects of a vote in this court, by how often it is right.
type odds struct {
	Line, Words, Most, Least string
	Zero                     float64
	Width, Height            float64
}

// The size of the chart, and the rightness where it begins.
const (
	oddsWidth, oddsHeight, oddsEdge = 400.0, 160.0, 10.0
	oddsFrom                        = 0.5
)

// expects draws what a vote is expected to bring from half to always right. The pay is in lamports,
// golden the share of golden cases, gain and loss what they bring in pays.
func expects(pay, golden, gain, loss float64) odds {
	value := func(p float64) float64 { return pay * (1 + golden*(gain*p-gain*loss*(1-p))) }
	low, high := value(oddsFrom), value(1)
	o := odds{Width: oddsWidth, Height: oddsHeight, Most: signed(max(high, 0)), Least: signed(min(low, 0))}
	height := func(v float64) float64 {
		return round(oddsEdge + (oddsHeight-2*oddsEdge)*(max(high, 0)-v)/max(1, max(high, 0)-min(low, 0)))
	}
	o.Zero, o.Line = height(0), fmt.Sprintf("M0 %gL%g %g", height(low), oddsWidth, height(high))
	o.Words = fmt.Sprintf("Each vote for a side is worth %s, right or wrong, because this court has no golden cases. Only an appeal punishes a wrong one.", signed(pay))
	if slope := golden * gain * (1 + loss); slope > 0 {
		even := (golden*gain*loss - 1) / slope
		o.Words = fmt.Sprintf("A judge that is always right expects %s for a vote, one that is right in half of the cases %s. It breaks even at %.0f %%. If it knows nothing of a case, it should abstain.", signed(high), signed(low), 100*even)
	}
	return o
}
