package casefile

import (
	"fmt"
	"strings"

	"ojud/voting"
)

// Enumerations of package voting as JSON writes them: in words.
type (
	// Choice is "accept", "reject" or "abstain"; "none" only in a settlement, for a seat that
	// revealed nothing.
	Choice voting.Choice
	// Verdict is "accept", "reject", "undecided", or "none" for a void round.
	Verdict voting.Verdict
	// SeatResult is how a seat ended a round, such as "majority".
	SeatResult voting.Result
)

// MarshalText implements encoding.TextMarshaler.
func (c Choice) MarshalText() ([]byte, error) { return []byte(voting.Choice(c).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Choice) UnmarshalText(text []byte) error {
	v, err := parseWord(string(text), voting.NoChoice, voting.Choice(voting.Choices))
	*c = Choice(v)
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(voting.Verdict(v).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Verdict) UnmarshalText(text []byte) error {
	w, err := parseWord(string(text), voting.NoVerdict, voting.Undecided)
	*v = Verdict(w)
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (r SeatResult) MarshalText() ([]byte, error) { return []byte(voting.Result(r).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *SeatResult) UnmarshalText(text []byte) error {
	v, err := parseWord(string(text), voting.Pending, voting.Voted)
	*r = SeatResult(v)
	return err
}

// word is an enumeration of package voting.
type word interface {
	~uint8
	String() string
}

// parseWord finds the value from first to last that text names.
func parseWord[T word](text string, first, last T) (T, error) {
	names := make([]string, 0, int(last-first)+1)
	for v := first; v <= last; v++ {
		if v.String() == text {
			return v, nil
		}
		names = append(names, v.String())
	}
	return first, fmt.Errorf("%.40q is none of %s", text, strings.Join(names, ", "))
}
