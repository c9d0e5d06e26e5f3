// Package when says times in words.
package when

import (
	"fmt"
	"time"

	"ojud/config/bounds"
)

// In describes a time relative to now, both in Unix seconds.
func In(at, now int64) string {
	d := time.Duration(at-now) * time.Second
	if d < 0 {
		return round(-d) + " ago"
	}
	return "in " + round(d)
}

// NextSeason says when the next season may begin.
func NextSeason(ends, now int64) string {
	if ends <= now {
		return "the next season may begin now"
	}
	return "the next season begins " + In(ends, now)
}

// Left describes the time that is left until by.
func Left(by, now int64) string {
	if by <= now {
		return "over for " + round(time.Duration(now-by)*time.Second)
	}
	return round(time.Duration(by-now)*time.Second) + " left"
}

// round keeps the two largest units.
func round(d time.Duration) string {
	day := 24 * time.Hour
	switch {
	case d >= 2*day:
		text := fmt.Sprintf("%dd", d/day)
		if h := (d % day).Truncate(time.Hour); h > 0 {
			text += bounds.Duration(h)
		}
		return text
	case d >= time.Hour:
		return bounds.Duration(d.Truncate(time.Minute))
	}
	return bounds.Duration(d.Truncate(time.Second))
}
