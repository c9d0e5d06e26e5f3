// Package bounds checks that settings are inside their ranges, and says so in the same words
// everywhere. The packages that own sections of settings use it in their Validate methods.
package bounds

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Number is the type of a setting that has a range.
type Number interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~float64
}

// Range is a setting with its value and its limits. Make it with Of or AtLeast.
type Range struct {
	name, value, limits string
	inside              bool
}

// Of returns the range of a setting. The limits belong to the range. NaN is outside every range.
func Of[T Number](name string, value, least, most T) Range {
	return Range{name, text(value), text(least) + " to " + text(most), value >= least && value <= most}
}

// AtLeast returns the range of a setting that has no upper limit.
func AtLeast[T Number](name string, value, least T) Range {
	return Range{name, text(value), "at least " + text(least), value >= least}
}

// Error names a setting that is outside its range.
type Error struct {
	Name    string // of the setting, with the prefix
	Problem string // its value and its limits
}

// Error returns the name and the problem: "tries is 13; set it to 2 to 12".
func (e *Error) Error() string { return e.Name + " " + e.Problem }

// Check returns an *Error for the first setting outside its range, or nil. The prefix stands before
// the name, for example "exchange: desk." or "limits.".
func Check(prefix string, ranges ...Range) error {
	for _, r := range ranges {
		if !r.inside {
			return &Error{prefix + r.name, fmt.Sprintf("is %s; set it to %s", r.value, r.limits)}
		}
	}
	return nil
}

// text writes a value for people: "1000000000" instead of "1e+09".
func text(value any) string {
	if f, ok := value.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	if d, ok := value.(time.Duration); ok {
		return Duration(d)
	}
	return fmt.Sprint(value)
}

// Duration writes a duration without zero units: "5m" instead of "5m0s".
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
