package cli

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Address reads a base58 address. An empty text is the zero address.
func Address(what, text string) (onchain.Address, error) {
	if text == "" {
		return onchain.Address{}, nil
	}
	k, err := onchain.ParseAddress(strings.TrimSpace(text))
	if err != nil {
		return k, Usage("%s %q is not an address", what, text).Next("write the base58 address that \"ojud task list\" or \"ojud agent show\" prints")
	}
	return k, nil
}

// Signer reads the key file of a flag whose key signs besides the command's own; "" is none. The
// text why ends the refusal of an address.
func Signer(what, path, why string) (*client.Keypair, error) {
	if path == "" {
		return nil, nil
	}
	if k, err := onchain.ParseAddress(strings.TrimSpace(path)); err == nil {
		return nil, Usage("%s wants a key file, and %s is an address: %s", what, k, why)
	}
	key, err := client.LoadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Fail("%s: there is no key file %s", what, path)
	}
	return key, err
}

// Operator reads the key file of --operator.
func Operator(path string) (*client.Keypair, error) {
	return Signer("--operator", path, "an operator counts only if it signs, so that nobody can strike judges by naming who runs them")
}

// Amount is a flag for an amount of money with its unit: "0.5sol" or "1000lamports".
type Amount struct {
	client.Lamports
	// Given says that the flag was on the command line.
	Given bool
}

// String implements pflag.Value.
func (m *Amount) String() string {
	if !m.Given {
		return ""
	}
	return m.Argument()
}

// Set implements pflag.Value.
func (m *Amount) Set(text string) error {
	l, err := client.ParseLamports(text)
	m.Lamports, m.Given = l, err == nil
	return err
}

// Type implements pflag.Value. The help shows it in place of the value.
func (m *Amount) Type() string { return "AMOUNT" }

// Lamports reads an amount. It refuses 0.
func Lamports(what, text string) (client.Lamports, error) {
	l, err := client.ParseLamports(text)
	if err != nil {
		return 0, Usage("%s: %v", what, err)
	}
	if l == 0 {
		return 0, Usage("%s is 0", what).Next("give a higher amount, such as 0.5sol")
	}
	return l, nil
}

// Span is a flag for a time in whole seconds. It also reads days: "2d".
type Span struct{ Seconds uint32 }

// String implements pflag.Value.
func (s *Span) String() string {
	if s.Seconds == 0 {
		return ""
	}
	return (time.Duration(s.Seconds) * time.Second).String()
}

// Set implements pflag.Value.
func (s *Span) Set(text string) error {
	n, err := seconds(text)
	s.Seconds = n
	return err
}

// Type implements pflag.Value.
func (s *Span) Type() string { return "TIME" }

// seconds reads "90s", "8h", "1h30m", "2d".
func seconds(text string) (uint32, error) {
	wrong := Fail("%q is not a time", text).Next("write whole seconds, such as 90s, 30m, 8h or 2d")
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
