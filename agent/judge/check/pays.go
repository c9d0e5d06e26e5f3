package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"ojud/agent/judge/prose"
	"ojud/schema/pointer"
)

// pays: the answer of a source of the kind "solana", which reads transactions, shows that an
// address got an amount, and that the memo program logged a text.
func (s *subject) pays() (string, error) {
	p := s.Pays
	if p == nil {
		return "", nil
	}
	tx, ok := s.value.(map[string]any)
	if !ok {
		return "", unknown("the answer is %s instead of a transaction", pointer.Describe(s.value))
	}
	failure, told := tx["error"]
	switch exists, known := tx["exists"].(bool); {
	case known && !exists:
		return "", errors.New("no finalized block has the transaction")
	case !known || !told:
		return "", unknown("the answer does not say whether there is such a transaction, and whether it failed")
	case failure != nil:
		return "", errors.New("the transaction failed")
	}
	accounts, before, after := strs(tx["accounts"]), strs(tx["balances_before"]), strs(tx["balances_after"])
	i := slices.Index(accounts, p.To)
	switch {
	case len(accounts) == 0 || len(accounts) != len(before) || len(accounts) != len(after):
		return "", unknown("the answer does not show the balances")
	case i < 0:
		return "", fmt.Errorf("the transaction does not mention %s", p.To)
	case i == 0:
		return "", unknown("%s paid the fee of the transaction itself", p.To)
	}
	had, well := new(big.Int).SetString(before[i], 10)
	has, good := new(big.Int).SetString(after[i], 10)
	if !well || !good || len(before[i])+len(after[i]) > 2*20 {
		return "", unknown("the answer does not show the balances")
	}
	if got := has.Sub(has, had); got.String() != p.Lamports {
		return "", fmt.Errorf("%s got %s lamports instead of %s", p.To, got, p.Lamports)
	}
	if p.From != nil {
		if err := spent(*p.From, p.Lamports, accounts, before, after); err != nil {
			return "", err
		}
	}
	if p.After != nil {
		if err := since(*p.After, tx["time"]); err != nil {
			return "", err
		}
	}
	if p.Memo == nil {
		return fmt.Sprintf("%s got %s lamports", p.To, p.Lamports), nil
	}
	if err := memoIn(strs(tx["logs"]), *p.Memo); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s got %s lamports with the memo %s", p.To, p.Lamports, prose.Quote(*p.Memo)), nil
}

// spent demands that an account has so much less, at least, after the transaction.
func spent(from, lamports string, accounts, before, after []string) error {
	i := slices.Index(accounts, from)
	if i < 0 {
		return fmt.Errorf("the transaction does not mention %s, who should pay", from)
	}
	had, well := new(big.Int).SetString(before[i], 10)
	has, good := new(big.Int).SetString(after[i], 10)
	least, fine := new(big.Int).SetString(lamports, 10)
	if !well || !good || !fine || len(before[i])+len(after[i]) > 2*20 {
		return unknown("the answer does not show the balances")
	}
	if paid := had.Sub(had, has); paid.Cmp(least) < 0 {
		return fmt.Errorf("%s has %s lamports less instead of %s, so somebody else paid", from, paid, lamports)
	}
	return nil
}

// since demands a block that is not older than a time.
func since(after string, block any) error {
	least, err := time.Parse(time.RFC3339, after)
	number, _ := block.(json.Number)
	seconds, bad := number.Int64()
	if err != nil || bad != nil || seconds <= 0 || seconds > 1<<40 {
		return unknown("the answer does not show when the transaction was made")
	}
	if at := time.Unix(seconds, 0).UTC(); at.Before(least) {
		return fmt.Errorf("the transaction is of %s, before %s", at.Format(time.RFC3339), after)
	}
	return nil
}

// memoIn looks for a memo in the logs. No other program can write the lines with which the chain
// says that the memo program began and ended.
func memoIn(logs []string, memo string) error {
	const v1, v2 = "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo", "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
	line := fmt.Sprintf("Program log: Memo (len %d): %q", len(memo), memo)
	inside := false
	for _, l := range logs {
		id, rest, _ := strings.Cut(strings.TrimPrefix(l, "Program "), " ")
		ours := strings.HasPrefix(l, "Program ") && (id == v1 || id == v2)
		switch {
		case ours && strings.HasPrefix(rest, "invoke "):
			inside = true
		case ours && !strings.HasPrefix(rest, "consumed "):
			inside = false
		case inside && l == line:
			return nil
		}
	}
	if len(logs) == 0 || slices.Contains(logs, "Log truncated") {
		return unknown("the answer does not have all logs")
	}
	return fmt.Errorf("the transaction has no memo %s", prose.Quote(memo))
}

// strs are the texts of an array, and the digits of its numbers. An array with anything else has
// none.
func strs(v any) (out []string) {
	list, _ := v.([]any)
	for _, item := range list {
		switch item := item.(type) {
		case string:
			out = append(out, item)
		case json.Number:
			out = append(out, string(item))
		default:
			return nil
		}
	}
	return out
}
