package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"ojud/agent/judge/class"
	"ojud/agent/likeness"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// errLesson is wrapped by errors about a malformed lesson.
var errLesson = errors.New("memory: not a lesson")

// The limits of a lesson.
const (
	MaxLines = 64       // of a lesson
	maxEntry = 96 << 10 // bytes of a file
)

// Lesson is a judge's lesson from one round of a case.
type Lesson struct {
	Case      casefile.Address   `json:"case"`
	Round     uint8              `json:"round"`
	Class     class.Class        `json:"class"`
	Choice    casefile.Choice    `json:"choice"`  // the judge's own
	Verdict   casefile.Verdict   `json:"verdict"` // of the case
	Lines     []Point            `json:"lines"`
	Flagged   bool               `json:"flagged"` // a text of the case spoke to its reader
	Embedding likeness.Embedding `json:"sketch"`  // of the task
	At        int64              `json:"at"`      // Unix seconds at which it was learned
}

// Point is a requirement that the judge's model decided. It has no words: a creator wrote those of
// the requirement, a model that read both parties those of the reason, and a sentence in a memory
// speaks in every later case.
type Point struct {
	Outcome casefile.CheckOutcome `json:"outcome"` // pass: met; fail: not met; unknown: left open
	Agree   uint8                 `json:"agree"`   // samples that said so
	Of      uint8                 `json:"of"`      // all samples that could be used
}

// UnmarshalJSON reads a point. Those of older lessons have words, which it drops.
func (l *Point) UnmarshalJSON(raw []byte) error {
	type point Point
	var filed struct {
		point
		Requirement, Reason json.RawMessage // of older lessons
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&filed); err != nil {
		return err
	}
	*l = Point(filed.point)
	return nil
}

// With reports whether the judge voted with the verdict. It is false if either decided nothing.
func (e Lesson) With() bool {
	c, v := voting.Choice(e.Choice), voting.Verdict(e.Verdict)
	return c != voting.NoChoice && c == v.Choice()
}

func (e Lesson) file() string { return fmt.Sprintf("%s-%d.json", e.Case, e.Round) }

var fileName = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}-\d\.json$`)

// Validate returns an error that wraps ErrLesson and names the problem.
func (e Lesson) Validate() error {
	switch {
	case e.Round < 1 || e.Round > casefile.MaxRound:
		return fmt.Errorf("%w: round is %d", errLesson, e.Round)
	case !e.Class.Known():
		return fmt.Errorf("%w: class is %.40q", errLesson, e.Class)
	case voting.Choice(e.Choice) == voting.NoChoice:
		return fmt.Errorf("%w: no choice", errLesson)
	case len(e.Lines) == 0 || len(e.Lines) > MaxLines:
		return fmt.Errorf("%w: it has %d lines; the limits are 1 and %d", errLesson, len(e.Lines), MaxLines)
	}
	for i, l := range e.Lines {
		if err := l.validate(); err != nil {
			return fmt.Errorf("%w: lines[%d] %w", errLesson, i, err)
		}
	}
	return nil
}

func (l Point) validate() error {
	switch {
	case l.Outcome != casefile.Pass && l.Outcome != casefile.Fail && l.Outcome != casefile.Unknown:
		return fmt.Errorf("has the outcome %.20q", string(l.Outcome))
	case l.Agree > l.Of:
		return fmt.Errorf("has %d samples of %d", l.Agree, l.Of)
	}
	return nil
}

// decode reads a lesson's file, which has that name.
func decode(name string, raw []byte) (Lesson, error) {
	if len(raw) > maxEntry {
		return Lesson{}, fmt.Errorf("%w: it has %d bytes; the limit is %d", errLesson, len(raw), maxEntry)
	}
	canonical, err := canon.JSON(raw, maxEntry)
	if err != nil {
		return Lesson{}, fmt.Errorf("%w: %w", errLesson, err)
	}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	var e Lesson
	if err := d.Decode(&e); err != nil {
		return Lesson{}, fmt.Errorf("%w: %w", errLesson, err)
	}
	if err := e.Validate(); err != nil {
		return Lesson{}, err
	}
	if e.file() != name {
		return Lesson{}, fmt.Errorf("%w: it belongs into the file %s", errLesson, e.file())
	}
	return e, nil
}

// encode returns the content of a lesson's file.
func (e Lesson) encode() ([]byte, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	raw, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLesson, err)
	}
	if len(raw) >= maxEntry {
		return nil, fmt.Errorf("%w: it has %d bytes; the limit is %d", errLesson, len(raw), maxEntry)
	}
	return append(raw, '\n'), nil
}
