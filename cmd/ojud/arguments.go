package main

import (
	"strconv"
	"strings"
	"time"

	"ojud/ledger/onchain"
	"ojud/node/client"
)

// address reads a base58 address; empty is the zero address.
func address(what, text string) (onchain.Address, error) {
	if text == "" {
		return onchain.Address{}, nil
	}
	k, err := onchain.ParseAddress(strings.TrimSpace(text))
	if err != nil {
		return k, usage("%s %q is not an address", what, text).next("write the base58 address that \"ojud task list\" or \"ojud agent show\" prints")
	}
	return k, nil
}

// amount is a flag that is an amount of money with its unit: "0.5sol" or "1000lamports".
type amount struct {
	client.Lamports
	set bool
}

// String implements pflag.Value.
func (m *amount) String() string {
	if !m.set {
		return ""
	}
	return m.Argument()
}

// Set implements pflag.Value.
func (m *amount) Set(text string) error {
	l, err := client.ParseLamports(text)
	m.Lamports, m.set = l, err == nil
	return err
}

// Type implements pflag.Value; it stands for the value in the help.
func (m *amount) Type() string { return "AMOUNT" }

// lamports reads an amount. It refuses 0.
func lamports(what, text string) (client.Lamports, error) {
	l, err := client.ParseLamports(text)
	if err != nil {
		return 0, usage("%s: %v", what, err)
	}
	if l == 0 {
		return 0, usage("%s is 0", what).next("give more than nothing, such as 0.5sol")
	}
	return l, nil
}

// span is a duration in whole seconds as the program keeps it; it also reads days: "2d".
type span struct{ seconds uint32 }

// String implements pflag.Value.
func (s *span) String() string {
	if s.seconds == 0 {
		return ""
	}
	return (time.Duration(s.seconds) * time.Second).String()
}

// Set implements pflag.Value.
func (s *span) Set(text string) error {
	n, err := seconds(text)
	s.seconds = n
	return err
}

// Type implements pflag.Value.
func (s *span) Type() string { return "TIME" }

// seconds reads "90s", "8h", "1h30m", "2d".
func seconds(text string) (uint32, error) {
	wrong := fail("%q is not a time", text).next("write whole seconds, such as 90s, 30m, 8h or 2d")
	if number, ok := strings.CutSuffix(text, "d"); ok {
		days, err := strconv.ParseUint(number, 10, 16)
		if err != nil || days > maxSeconds/86_400 {
			return 0, wrong
		}
		return uint32(days) * 86_400, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d%time.Second != 0 || d/time.Second > maxSeconds {
		return 0, wrong
	}
	return uint32(d / time.Second), nil
}

// maxSeconds is the longest time that an instruction can carry.
const maxSeconds = 1<<32 - 1
