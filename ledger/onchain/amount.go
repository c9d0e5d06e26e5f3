package onchain

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// ParseSOL reads an amount of lamports with its unit: "0.5sol", "2 SOL" or "1000lamports". It
// refuses a number without a unit.
func ParseSOL(text string) (uint64, error) {
	trimmed := strings.ToLower(strings.TrimSpace(text))
	wrong := fmt.Errorf("%.40q is not an amount; write it with its unit and without a sign, such as 0.5sol or 1000lamports", text)
	if number, ok := strings.CutSuffix(trimmed, "lamports"); ok {
		n, ok := parseDigits(strings.ReplaceAll(strings.TrimSpace(number), "_", ""))
		if !ok {
			return 0, wrong
		}
		return n, nil
	}
	number, inSOL := strings.CutSuffix(trimmed, "sol")
	if n, ok := parseDigits(strings.ReplaceAll(number, "_", "")); ok && !inSOL {
		return 0, fmt.Errorf("%.40q has no unit; write %dlamports, or SOL such as 0.5sol", text, n)
	}
	whole, decimals, _ := strings.Cut(strings.TrimSpace(number), ".")
	if !inSOL || len(decimals) > 9 || whole == "" && decimals == "" {
		return 0, wrong
	}
	w, okWhole := parseDigits("0" + whole)
	d, okDecimals := parseDigits("0" + decimals + strings.Repeat("0", 9-len(decimals)))
	over, product := bits.Mul64(w, LamportsPerSOL)
	sum, carry := bits.Add64(product, d, 0)
	if !okWhole || !okDecimals || over > 0 || carry > 0 {
		return 0, wrong
	}
	return sum, nil
}

// parseDigits reads digits. It refuses signs and blanks, and accepts no empty text.
func parseDigits(s string) (uint64, bool) {
	for _, r := range s {
		if r < '0' || r > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}
