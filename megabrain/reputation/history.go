package reputation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"ojud/schema"
)

// The bounds of a log.
const (
	MaxBytes   = 4 << 20
	maxEvents  = 5000
	maxName    = 64 // bytes
	maxSeen    = 20
	maxClasses = 100
	maxNear    = 8
	maxTime    = 1 << 40 // Unix seconds
)

// History is what happened, in the order in which it did.
type History struct {
	Constants Constants           `json:"constants"`
	Near      map[string][]string `json:"near"` // classes whose records count in part in a class
	Pass      int                 `json:"pass_points"`
	Tolerance int                 `json:"tolerance_points"`
	Events    []Deed              `json:"events"`
}

// Deed is one thing that happened. It has a golden task, an outcome, or what becomes of a voucher:
// it is offered, the agent agrees, or one of both ends it.
type Deed struct {
	At      int64  `json:"at"` // Unix seconds
	Agent   string `json:"agent"`
	Role    Role   `json:"role"`
	Class   string `json:"class,omitempty"`
	Passed  *bool  `json:"passed,omitempty"` // a golden task of a worker
	Seen    []Seen `json:"seen,omitempty"`   // what an evaluator said in a golden task
	Outcome End    `json:"outcome,omitempty"`
	By      string `json:"vouched_by,omitempty"`
	Stake   uint64 `json:"stake,string,omitempty"`
	Share   int    `json:"share_bps,omitempty"`
	Agrees  string `json:"agrees_with,omitempty"`
	Ends    string `json:"released_by,omitempty"`
}

// Repute is where an agent stands after a log.
type Repute struct {
	Agent  string `json:"agent"`
	Role   Role   `json:"role"`
	Class  string `json:"class"`
	Value  int    `json:"value"`
	Alarm  int    `json:"alarm"`
	Frozen int64  `json:"frozen_until,omitempty"`
}

// ReadHistory reads a log that a stranger may have written. Constants that it does not name have
// their defaults.
func ReadHistory(raw []byte) (History, error) {
	l := History{Constants: Defaults(), Pass: 50, Tolerance: 10}
	limits := schema.DefaultLimits()
	limits.ValueBytes, limits.Values, limits.Depth = MaxBytes, 400_000, 10
	if _, err := limits.Decode(raw); err != nil {
		return History{}, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return History{}, fmt.Errorf("the log is not in its form: %w", err)
	}
	return l, l.validate()
}

func (l *History) validate() error {
	if err := l.Constants.Validate(); err != nil {
		return err
	}
	switch {
	case len(l.Events) > maxEvents:
		return fmt.Errorf("there are %d events; a log has at most %d", len(l.Events), maxEvents)
	case len(l.Near) > maxClasses:
		return fmt.Errorf("near names %d classes; it names at most %d", len(l.Near), maxClasses)
	case l.Pass < 1 || l.Pass > 100 || l.Tolerance < 1 || l.Tolerance > 50:
		return errors.New("pass_points is 1 to 100, tolerance_points is 1 to 50")
	}
	for class, near := range l.Near {
		if len(near) > maxNear || slices.Contains(near, class) {
			return fmt.Errorf("near[%.64q] names itself or more than %d classes", class, maxNear)
		}
	}
	last := int64(0)
	for i, e := range l.Events {
		if err := e.validate(last); err != nil {
			return fmt.Errorf("events[%d]%w", i, err)
		}
		last = e.At
	}
	return nil
}

func (e *Deed) validate(last int64) error {
	kinds := 0
	for _, is := range []bool{e.Passed != nil, len(e.Seen) > 0, e.Outcome != "", e.By != "", e.Agrees != "", e.Ends != ""} {
		kinds += one(is)
	}
	switch {
	case e.At < last || e.At > maxTime:
		return fmt.Errorf(".at is %d; events are in the order of time, up to %d", e.At, int64(maxTime))
	case e.Agent == "" || max(len(e.Agent), len(e.Class), len(e.By), len(e.Agrees), len(e.Ends)) > maxName || !utf8.ValidString(e.Agent):
		return fmt.Errorf(" has a name that is empty or longer than %d bytes", maxName)
	case e.Role != Worker && e.Role != Evaluator:
		return fmt.Errorf(".role is %.20q; it is worker or evaluator", e.Role)
	case kinds != 1:
		return errors.New(" has not exactly one of passed, seen, outcome, vouched_by, agrees_with and released_by")
	case e.Outcome != "" && !slices.Contains([]End{Good, Failed, LowEffort, Lost}, e.Outcome):
		return fmt.Errorf(".outcome is %.20q; it is good, failed, low_effort or lost", e.Outcome)
	case len(e.Seen) > 0 && e.Role != Evaluator, e.Passed != nil && e.Role != Worker:
		return errors.New(" has seen for a worker, or passed for an evaluator")
	case len(e.Seen) > maxSeen || len(e.Seen) > 0 && !Both(e.Seen):
		return fmt.Errorf(".seen has more than %d results, or not both right and wrong ones", maxSeen)
	case slices.ContainsFunc(e.Seen, func(s Seen) bool { return s.Score < 0 || s.Score > 100 }):
		return errors.New(".seen has a score that is not 0 to 100")
	}
	return nil
}

// Play enters the events of a log, and returns where each agent stands at its end, and which stakes
// were lost by vouching.
func (l *History) Play() ([]Repute, []Forfeit, error) {
	b, now := New(l.Constants, l.Near), int64(0)
	var at []Repute
	for i, e := range l.Events {
		now = e.At
		var err error
		switch {
		case e.Passed != nil:
			b.Golden(e.Agent, e.Role, e.Class, e.At, *e.Passed)
		case len(e.Seen) > 0:
			b.Golden(e.Agent, e.Role, e.Class, e.At, Tells(e.Seen, l.Pass, l.Tolerance))
		case e.Outcome != "":
			b.Outcome(e.Agent, e.Role, e.Class, e.At, e.Outcome)
		case e.By != "":
			err = b.Vouch(e.By, e.Agent, e.Role, e.At, e.Stake, e.Share)
		case e.Agrees != "":
			err = b.Agree(e.Agrees, e.Agent, e.Role, e.At)
		default:
			_, err = b.Release(e.Ends, e.Agent, e.Role, e.At)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("events[%d]: %w", i, err)
		}
		at = append(at, Repute{Agent: e.Agent, Role: e.Role, Class: e.Class})
	}
	slices.SortFunc(at, func(a, b Repute) int {
		return slices.Compare([]string{a.Agent, string(a.Role), a.Class}, []string{b.Agent, string(b.Role), b.Class})
	})
	at = slices.Compact(at)
	for i, s := range at {
		at[i].Value = b.Value(s.Agent, s.Role, s.Class, now)
		if a := b.accounts[key{s.Agent, s.Role}]; a != nil {
			at[i].Alarm, at[i].Frozen = a.alarms[s.Class], a.frozen
		}
	}
	return at, b.Forfeits(), nil
}
