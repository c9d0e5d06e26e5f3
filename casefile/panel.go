package casefile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"ojud/voting"
)

// Panel says in a bundle how far the votes of one round were independent of each other (protocol
// section 10, ADR 0017). Seats are proven by the file; History is the exporter's word.
type Panel struct {
	Round     uint8       `json:"round"`
	Seats     []PanelSeat `json:"seats"`   // in the order of the draw
	History   []PanelRow  `json:"history"` // sorted by case (as text) and round
	Effective Worth       `json:"effective"`
}

// PanelSeat is a seat, with the family and the dimension that its opinion of the round names. Both
// texts are empty if the file has no opinion that belongs to the vote with which the seat opened
// its commitment.
type PanelSeat struct {
	Judge     Address `json:"judge"`
	Family    string  `json:"family"`
	Dimension string  `json:"dimension"`
}

// PanelRow is an earlier decided round, as far as this panel's judges sat in it.
type PanelRow struct {
	Case    Address `json:"case"`
	Round   uint8   `json:"round"`
	Verdict Verdict `json:"verdict"` // accept or reject
	Choices Choices `json:"choices"`
}

// MaxHistory is the most earlier rounds that a panel names.
const MaxHistory = 256

// Choices is one character for each seat of a panel: a accept, r reject, - abstained, absent or not
// in that round.
type Choices string

// The characters of Choices.
const (
	charAccept = 'a'
	charReject = 'r'
	charNone   = '-'
)

// MarshalText implements encoding.TextMarshaler.
func (c Choices) MarshalText() ([]byte, error) { return []byte(c), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Choices) UnmarshalText(text []byte) error {
	if len(text) > voting.MaxSeats || strings.Trim(string(text), "ar-") != "" {
		return fmt.Errorf("no choices: at most %d of a, r and -", voting.MaxSeats)
	}
	*c = Choices(text)
	return nil
}

// Spell writes choices, in the order of the seats.
func Spell(choices []Choice) Choices {
	out := make([]byte, len(choices))
	for i, c := range choices {
		out[i] = letter(c)
	}
	return Choices(out)
}

// Sides counts the seats that chose a side.
func (c Choices) Sides() int { return len(c) - strings.Count(string(c), string(charNone)) }

// At returns the choice of a seat: accept, reject, or none.
func (c Choices) At(i int) Choice {
	switch c[i] {
	case charAccept:
		return Choice(voting.Accept)
	case charReject:
		return Choice(voting.Reject)
	}
	return Choice(voting.NoChoice)
}

// letter is a choice as Choices writes it.
func letter(c Choice) byte {
	const _ = uint(3 - voting.Choices) // a fourth choice needs a character, or counts as none
	switch voting.Choice(c) {
	case voting.Accept:
		return charAccept
	case voting.Reject:
		return charReject
	}
	return charNone
}

// Chosen returns the choice that a seat's vote counted for in the tally: "none" if it revealed
// nothing, or equivocated.
func Chosen(s voting.Seat) Choice {
	if !s.Revealed || s.Equivocated {
		return Choice(voting.NoChoice)
	}
	return Choice(s.Choice)
}

// Compare orders rows by case (as text) and round.
func (r PanelRow) Compare(other PanelRow) int {
	return cmp.Or(strings.Compare(r.Case.String(), other.Case.String()), cmp.Compare(r.Round, other.Round))
}

// check checks what can be checked without the rest of the file.
func (p Panel) check(c *checker, path string) {
	c.round(path+".round", p.Round)
	c.count(path+".seats", len(p.Seats), voting.MaxSeats, "seats")
	c.count(path+".history", len(p.History), MaxHistory, "rounds")
	for i, s := range p.Seats {
		c.plain(fmt.Sprintf("%s.seats[%d].family", path, i), s.Family, maxFamily)
		c.plain(fmt.Sprintf("%s.seats[%d].dimension", path, i), s.Dimension, maxDimension)
	}
	for i, r := range p.History {
		at := fmt.Sprintf("%s.history[%d]", path, i)
		r.check(c, at, len(p.Seats))
		if i > 0 && p.History[i-1].Compare(r) >= 0 {
			c.fail(at, "is out of order: rounds are sorted by case and round, each once")
		}
	}
}

func (r PanelRow) check(c *checker, at string, seats int) {
	const _ = uint(3 - voting.Verdicts) // is a round with a fourth verdict decided?
	c.round(at+".round", r.Round)
	if v := voting.Verdict(r.Verdict); v != voting.ForWorker && v != voting.ForCreator {
		c.fail(at+".verdict", "is %s; only rounds that were decided teach something", v)
	}
	if len(r.Choices) != seats {
		c.fail(at+".choices", "has %d characters for %d seats", len(r.Choices), seats)
	} else if r.Choices.Sides() < 2 {
		c.fail(at+".choices", "shows fewer than two of this panel with a choice")
	}
}

// Worth is a number of independent votes in hundredths: 410 is "4.10".
type Worth uint32

// String writes it with two decimals.
func (w Worth) String() string { return fmt.Sprintf("%d.%02d", w/100, w%100) }

// MarshalText implements encoding.TextMarshaler.
func (w Worth) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *Worth) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(strings.Replace(string(text), ".", "", 1), 10, 16)
	if err != nil || n > 100*voting.MaxSeats || Worth(n).String() != string(text) {
		return fmt.Errorf(`not a number of votes: write "0.00" to "%d.00", with two decimals`, voting.MaxSeats)
	}
	*w = Worth(n)
	return nil
}

// CodeFamily is the family of a judge that asked no model.
const CodeFamily = "code"
