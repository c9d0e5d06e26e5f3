package casefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ojud/voting"
)

// Enumerations of the accounts as JSON writes them: in words.
type (
	// OnUndecided is "refund", "pay" or "split".
	OnUndecided voting.OnUndecided
	// Preset says whom the court pays, "truth" or "seed" (package rules).
	Preset uint8
	// TaskOutcome is "paid", "refunded" or "split".
	TaskOutcome voting.Outcome
	// PaymentKind is "reward", "refund", "bond", "trade", the Pot's share, or "claim", the bond of
	// the claim; the excess of an auction is paid before there can be a case.
	PaymentKind voting.PaymentKind
	// TaskStatus is the status that a task with a case ends with: "complete" or "undecided".
	TaskStatus string
	// Resolution is by what it ended: "verdict" or "undecided".
	Resolution string
)

// The words of TaskStatus and Resolution.
const (
	TaskComplete  TaskStatus = "complete"
	TaskUndecided TaskStatus = "undecided"

	ByVerdict   Resolution = "verdict"
	ByUndecided Resolution = "undecided"
)

// The words of the enumerations, from the value 1 on.
const (
	onUndecidedWords = "refund pay split"
	presetWords      = "truth seed"
	outcomeWords     = "paid refunded split"
	paymentWords     = "reward refund bond excess trade claim"
)

// MarshalText implements encoding.TextMarshaler.
func (o OnUndecided) MarshalText() ([]byte, error) { return nth(onUndecidedWords, uint8(o)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *OnUndecided) UnmarshalText(text []byte) error { return indexOf(onUndecidedWords, text, o) }

// MarshalText implements encoding.TextMarshaler.
func (p Preset) MarshalText() ([]byte, error) { return nth(presetWords, uint8(p)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Preset) UnmarshalText(text []byte) error { return indexOf(presetWords, text, p) }

// MarshalText implements encoding.TextMarshaler.
func (o TaskOutcome) MarshalText() ([]byte, error) { return nth(outcomeWords, uint8(o)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *TaskOutcome) UnmarshalText(text []byte) error { return indexOf(outcomeWords, text, o) }

// MarshalText implements encoding.TextMarshaler.
func (k PaymentKind) MarshalText() ([]byte, error) { return nth(paymentWords, uint8(k)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *PaymentKind) UnmarshalText(text []byte) error { return indexOf(paymentWords, text, k) }

// nth returns the word of a value that counts from 1.
func nth(words string, value uint8) ([]byte, error) {
	list := strings.Fields(words)
	if value < 1 || int(value) > len(list) {
		return nil, fmt.Errorf("casefile: value %d is none of 1 to %d (%s)", value, len(list), words)
	}
	return []byte(list[value-1]), nil
}

// indexOf is the inverse of nth.
func indexOf[T ~uint8](words string, text []byte, value *T) error {
	list := strings.Fields(words)
	*value = T(slices.Index(list, string(text)) + 1)
	if *value == 0 {
		return fmt.Errorf("%.40q is none of %s", text, strings.Join(list, ", "))
	}
	return nil
}

// InOrder returns the payments that move something, in the order of the program's Paid events
// (protocol section 7): the worker's share or reward, the creator's refund, then the bonds, the
// Pot's share and the claim's bond. Of the bonds the worker's is first; which it is, only the order
// given can say.
func InOrder(list []Payment) []Payment {
	kept := slices.DeleteFunc(append([]Payment{}, list...), func(p Payment) bool { return p.Amount == 0 })
	slices.SortStableFunc(kept, func(a, b Payment) int { return cmp.Compare(a.Kind, b.Kind) })
	return kept
}
