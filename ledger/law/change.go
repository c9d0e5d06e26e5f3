package law

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ojud/config/bounds"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting/rules"
)

// Unit says how people write a parameter. It follows from name and size, so a parameter that the
// program gets later has one, too.
type Unit string

// The units.
const (
	Amount Unit = "amount" // 1.5 SOL
	Span   Unit = "time"   // 90s, 8h, 2d
	Share  Unit = "share"  // 0.5%
	Preset Unit = "preset" // truth, seed
	Count  Unit = "number"
)

// ParsePreset reads the word for whom a court pays.
func ParsePreset(word string) (rules.Preset, bool) {
	for p := rules.PayTruth; p <= rules.PayMajority; p++ {
		if Preset.Text(uint64(p)) == word {
			return p, true
		}
	}
	return 0, false
}

// UnitOf returns the unit of a parameter.
func UnitOf(p program.Parameter) Unit {
	switch {
	case strings.HasSuffix(p.Name, "_seconds"):
		return Span
	case strings.HasSuffix(p.Name, "_bps"):
		return Share
	case p.Bytes == 8:
		return Amount
	case p.Name == "preset":
		return Preset
	}
	return Count
}

// Text writes a value as people do.
func (u Unit) Text(v uint64) string {
	switch {
	case u == Amount:
		return onchain.SOL(v)
	case u == Span && v >= day && v%day == 0:
		return strconv.FormatUint(v/day, 10) + "d"
	case u == Span:
		return bounds.Duration(time.Duration(v) * time.Second)
	case u == Share:
		return strconv.FormatFloat(float64(v)/100, 'f', -1, 64) + "%"
	case u == Preset && v == uint64(rules.PayTruth):
		return "truth"
	case u == Preset && v == uint64(rules.PayMajority):
		return "seed"
	}
	return strconv.FormatUint(v, 10)
}

// Argument writes a value as a command reads it.
func (u Unit) Argument(v uint64) string {
	return strings.ToLower(strings.ReplaceAll(u.Text(v), " ", ""))
}

const day = 86_400 // seconds

// Change is a parameter that two versions of the rules have different values of.
type Change struct {
	Name     string
	Unit     Unit
	Old, New uint64
}

// Changes compares two versions.
func Changes(before, after program.Params) (all []Change) {
	next := after.List()
	for i, p := range before.List() {
		if p.Value != next[i].Value {
			all = append(all, Change{Name: p.Name, Unit: UnitOf(p), Old: p.Value, New: next[i].Value})
		}
	}
	return all
}

// String says what changes.
func (c Change) String() string {
	verb := "rises"
	switch {
	case c.Unit == Preset:
		verb = "changes"
	case c.New < c.Old:
		verb = "falls"
	}
	text := fmt.Sprintf("%s %s from %s to %s", c.Name, verb, c.Unit.Text(c.Old), c.Unit.Text(c.New))
	if m := Meaning(c.Name); m != "" {
		text += " (" + m + ")"
	}
	return text
}

// ForJudges reports whether the change concerns judges. It is false only for what is known to
// concern creators and workers alone.
func (c Change) ForJudges() bool {
	switch c.Name {
	case "min_reward", "verify_seconds", "answer_seconds", "min_work_seconds", "max_reworks", "trade_bps", "claim_bps", "cover_bps":
		return false
	}
	return true
}

// Meaning says in a few words what a parameter is. It is empty for one that is not known here.
func Meaning(name string) string {
	//nolint:gosec // "credential" is a parameter here, and no secret
	return map[string]string{
		"min_stake":         "the least stake to join with; below half of it no judge is drawn",
		"max_seat_weight":   "the most stake that counts in one draw of a seat",
		"fee_min":           "the least cost of a seat, which the loser of a dispute pays",
		"min_reward":        "the least reward of a task",
		"commit_seconds":    "a judge's time to commit to its vote",
		"reveal_seconds":    "the time to reveal the votes",
		"verify_seconds":    "a creator's time to answer a result",
		"answer_seconds":    "a worker's time to answer an objection",
		"cooldown_seconds":  "from the begin of a judge's exit until it may take its stake, and the notice of new rules",
		"draw_seconds":      "a round that cannot be drawn in this time ends the case undecided",
		"evidence_seconds":  "how long a finished case stays open for evidence of two votes by one judge",
		"min_work_seconds":  "the least time for the work",
		"fee_bps":           "the cost of a seat as a share of the reward, if that is more",
		"creator_bps":       "the creator's bond as a share of the reward",
		"worker_bps":        "the worker's bond as a share of the reward",
		"risk_bps":          "the most of a seat's weight that one mistake costs",
		"golden_gain":       "pays that a right vote earns in a golden case",
		"golden_loss":       "gains that a wrong vote loses in a golden case, and a withheld one in any case",
		"absence":           "pays that a judge loses that never committed",
		"minority":          "pays that a clear minority loses, with preset seed",
		"preset":            "whom the court pays: truth, each vote for a side; seed, a clear majority",
		"max_judges":        "the most judges on the roster",
		"draw_delay_slots":  "slots from the opening of a round to the seed of its draw",
		"trade_bps":         "the golden pot's share of each payment to a worker",
		"claim_bps":         "the bond of a claim as a share of the highest reward",
		"cover_bps":         "the highest reward as a share of the weight of all judges; 0: no limit",
		"leaf_fee":          "the proctor's fee for each golden case",
		"batch_seconds":     "from the commitment of golden cases until they must be open; 0: none",
		"challenge_seconds": "from then until they may be applied, for those who find a false one",
		"golden_bps":        "the golden cases that may be committed as a share of the cases that ended",
		"credential":        "1: a season leaves out judges that are too often wrong in golden cases; 2: and lets new ones weigh a tenth",
		"season_seconds":    "from a season, which fixes the weights of all judges, to the next",
		"appeal_seconds":    "the loser's time to appeal; 0: no verdict can be appealed",
		"reversal":          "pays that a vote loses if an appeal clearly reverses it",
		"max_rounds":        "the most rounds of a case",
		"panel_seats":       "seats of a full panel",
		"min_seats":         "with fewer seats there is no panel",
		"max_reworks":       "how often a worker may hand in again",
	}[name]
}

// Bound says in people's units which range a parameter is out of, and how to write the nearest
// value. It returns other errors as they are.
func Bound(p program.Params, err error) error {
	var e *program.BoundError
	if !errors.As(err, &e) {
		return err
	}
	for _, one := range p.List() {
		if one.Name != e.Name {
			continue
		}
		u := UnitOf(one)
		want, nearest := u.Text(e.Lowest)+" to "+u.Text(e.Highest), e.Lowest
		if e.Highest >= ^uint64(0)>>(64-8*one.Bytes) {
			want = "at least " + u.Text(e.Lowest)
		}
		if e.Value > e.Highest {
			nearest = e.Highest
		}
		if e.Lowest > e.Highest {
			return fmt.Errorf("no value of %s is possible with the other values: it should be at least %s and at most %s; change these first",
				e.Name, u.Text(e.Lowest), u.Text(e.Highest))
		}
		return fmt.Errorf("%s would be %s and should be %s; write --set %s=%s", e.Name, u.Text(e.Value), want, e.Name, u.Argument(nearest))
	}
	return err
}
