package tokens

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrAmount means that a text is no amount of a mint.
var ErrAmount = errors.New("it is no amount of this token")

// maxDigits bounds the text of an amount: 255 decimals, and the digits of a u64.
const maxDigits = 300

// Amount writes an amount of the smallest units with the decimals of its mint, without trailing
// zeros: 1500000 with 6 decimals is "1.5". With many decimals the text is long, and exact.
func Amount(units uint64, decimals uint8) string {
	digits := strconv.FormatUint(units, 10)
	n := int(decimals)
	if missing := n + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, rest := digits[:len(digits)-n], strings.TrimRight(digits[len(digits)-n:], "0")
	if rest == "" {
		return whole
	}
	return whole + "." + rest
}

// Shown is an amount of a mint as JSON-RPC shows it. It leaves out what extensions of Token-2022
// add for display.
type Shown struct {
	Units    string  `json:"amount"`
	Decimals uint8   `json:"decimals"`
	Number   float64 `json:"uiAmount"`
	Text     string  `json:"uiAmountString"`
}

// Shown returns an amount as JSON-RPC shows it.
func (m *Mint) Shown(units uint64) Shown {
	number := float64(units) / math.Pow10(int(m.Decimals))
	return Shown{strconv.FormatUint(units, 10), m.Decimals, number, Amount(units, m.Decimals)}
}

// Parse reads an amount of a mint with that many decimals: "1.5". It refuses signs, exponents and
// digits behind the last decimal.
func Parse(text string, decimals uint8) (uint64, error) {
	wrong := fmt.Errorf("%w: %.40q; write a number with at most %d decimals and without a sign, such as 1.5", ErrAmount, text, decimals)
	whole, rest, point := strings.Cut(text, ".")
	if len(text) > maxDigits || whole == "" || point && rest == "" || len(rest) > int(decimals) || strings.Trim(whole+rest, "0123456789") != "" {
		return 0, wrong
	}
	digits := strings.TrimLeft(whole+rest+strings.Repeat("0", int(decimals)-len(rest)), "0")
	if digits == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, wrong
	}
	return n, nil
}
