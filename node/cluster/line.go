package cluster

import (
	"encoding/hex"
	"reflect"
	"strconv"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Line describes an event for people and for programs.
type Line struct {
	// Event is the name of the program's event (protocol section 7). Other values are "Note" for an
	// action of the cluster, "SeatSlashed" for a slash within RoundSettled, and "Report" for the
	// last line of Play.
	Event string `json:"event"`
	// Text describes the event in one sentence. In a Note, a party's words follow on lines of their
	// own.
	Text string `json:"text"`
	// Slot, At (Unix seconds of the chain's clock, 0 if not known) and Tx (base58) are the event's
	// place on the chain. They are empty for a Note.
	Slot uint64 `json:"slot,omitempty"`
	At   int64  `json:"at,omitempty"`
	Tx   string `json:"tx,omitempty"`
	// Data holds the event's fields: addresses in base58, hashes in hex, lamports as decimal
	// strings. "name" is the name of its judge or party for people.
	Data any `json:"data,omitempty"`

	// Show says how an output for people treats the line.
	Show Show `json:"-"`
	// Of is the number of seats of the panel if the line is one of many, or 0 if it is not known.
	Of int `json:"-"`
	// Vote is the choice of a Revealed.
	Vote string `json:"-"`
}

// Show says how an output for people treats a line.
type Show uint8

// The values of Show.
const (
	ShowLine Show = iota // on a line of its own
	ShowMany             // together with others of the same event
	ShowLess             // not at all: other lines tell enough
)

// The events of the cluster itself.
const (
	EventNote        = "Note"
	EventSeatSlashed = "SeatSlashed"
	EventReport      = "Report"
)

// fields returns an event's fields for JSON.
func fields(e program.Event) map[string]any {
	v := reflect.ValueOf(e).Elem()
	out := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		out[snake(v.Type().Field(i).Name)] = field(v.Field(i))
	}
	return out
}

// field converts one value by the rules of protocol section 1.
func field(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case onchain.Address:
		return x.String()
	case voting.Hash:
		return hex.EncodeToString(x[:])
	case voting.Key:
		return onchain.Address(x).String()
	case program.TaskStatus, program.Resolution, program.StakeKind, voting.Choice, voting.Verdict, voting.Result:
		return x.(interface{ String() string }).String()
	case voting.Outcome:
		return program.OutcomeName(x)
	case voting.PaymentKind:
		return program.PaymentName(x)
	}
	switch v.Kind() {
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Slice:
		return list(v)
	case reflect.Struct:
		out := make(map[string]any, v.NumField())
		for i := range v.NumField() {
			out[snake(v.Type().Field(i).Name)] = field(v.Field(i))
		}
		return out
	}
	return v.Interface()
}

func list(v reflect.Value) []any {
	out := make([]any, v.Len())
	for i := range v.Len() {
		out[i] = field(v.Index(i))
	}
	return out
}

// snake returns a field's name in the protocol's spelling.
func snake(name string) string {
	var out []rune
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				out = append(out, '_')
			}
			r += 'a' - 'A'
		}
		out = append(out, r)
	}
	return string(out)
}
