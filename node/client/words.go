package client

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"ojud/ledger/onchain"
)

func days(n time.Duration) string { return fmt.Sprintf("%dd", n) }

// trim writes a duration without zero units: 8h, not 8h0m0s.
func trim(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if s == "0s" {
		return "0s"
	}
	return s
}

// address returns base58, or an empty text for the zero address.
func address(k onchain.Address) string {
	if k.IsZero() {
		return ""
	}
	return k.String()
}

// digest returns hex, or an empty text for the zero hash.
func digest(h [32]byte) string {
	if h == ([32]byte{}) {
		return ""
	}
	return hex.EncodeToString(h[:])
}

// inWords describes a time relative to now, both in Unix seconds.
func inWords(at, now int64) string {
	d := time.Duration(at-now) * time.Second
	if d < 0 {
		return round(-d) + " ago"
	}
	return "in " + round(d)
}

// left describes the time that is left until by.
func left(by, now int64) string {
	if by <= now {
		return "over since " + round(time.Duration(now-by)*time.Second)
	}
	return round(time.Duration(by-now)*time.Second) + " left"
}

// round keeps the two largest units.
func round(d time.Duration) string {
	day := 24 * time.Hour
	switch {
	case d >= 2*day:
		rest := ""
		if h := (d % day).Truncate(time.Hour); h > 0 {
			rest = trim(h)
		}
		return days(d/day) + rest
	case d >= time.Hour:
		return trim(d.Truncate(time.Minute))
	}
	return trim(d.Truncate(time.Second))
}
