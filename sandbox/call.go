package sandbox

import (
	"context"
	"encoding/json"
)

// maxReturned bounds what a function returns, in bytes of JSON.
const maxReturned = 64 << 10

// Call is a call of a function of a program in JavaScript.
type Call struct {
	Source   string
	Function string // an identifier
	Args     []json.RawMessage
	Fuel     int64 // that it may use, at most MaxFuel
}

// Returned is what a function returned. It is the same on every machine.
type Returned struct {
	Value json.RawMessage // nil: none
	Why   string          // there is none
	Doubt bool            // the program could have written the value itself
	Fuel  int64
}

// Call calls a function. An error says that it cannot be called at all, or that ctx ended.
func (e *Engine) Call(ctx context.Context, c Call) (Returned, error) {
	inputs := struct {
		Function string            `json:"function"`
		Args     []json.RawMessage `json:"args"`
	}{c.Function, c.Args}
	if inputs.Args == nil {
		inputs.Args = []json.RawMessage{}
	}
	line, how, fuel, err := e.javascript(ctx, calling, c.Source, inputs, min(c.Fuel, MaxFuel), maxReturned+2)
	switch {
	case err != nil:
		return Returned{}, err
	case how != returned || line == "":
		return Returned{Why: "it does not get to its end: " + string(how), Fuel: fuel}, nil
	case line[0] == 'E':
		return Returned{Why: cut(line[1:]), Fuel: fuel}, nil
	case len(line) > maxReturned+1:
		return Returned{Why: "it returns too much", Fuel: fuel}, nil
	}
	return Returned{Value: json.RawMessage(line[1:]), Fuel: fuel}, nil
}
