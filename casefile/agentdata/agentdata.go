// Package agentdata has the form in which judges and workers read the data of agents that a task
// names under "pda" (protocol section 4), and in which case files show it. To them it is a source
// with the name Source. Every node has it, because everybody can read the chain.
package agentdata

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/pin"
)

// Source is the name of the source.
const Source = "agent.data"

// The schemas of the source.
const (
	InputSchema  = `{"type":"object","properties":{"data":{"type":"string","description":"The address of an AgentData account, as a task names it under pda"}},"required":["data"],"additionalProperties":false}`
	OutputSchema = `{"type":"object","properties":{"data":{"type":"string"},"owner":{"type":"string"},"name":{"type":"string"},"private":{"type":"boolean"},` +
		`"bytes":{"type":"integer"},"sha256":{"type":"string"},"updated_at":{"type":"integer"},"value":{},"text":{"type":"string"},"base64":{"type":"string"}},` +
		`"required":["data","owner","name","private","bytes","sha256","updated_at"]}`
)

// Limits.
const (
	maxRead    = 8        // data of a task that a judge reads
	maxRequest = 256      // bytes
	maxAnswer  = 64 << 10 // bytes; an account holds 9,216, and JSON escapes take up to six times that
)

// query is a request for the data of an account.
type query struct {
	Data casefile.Address `json:"data"`
}

// request returns the canonical JSON of a request for the data of an account.
func request(at casefile.Address) ([]byte, error) { return encoded(query{at}, maxRequest) }

// ParseQuery reads the account in a request.
func ParseQuery(raw []byte) (casefile.Address, error) {
	var q query
	err := fill("request", raw, maxRequest, &q)
	return q.Data, err
}

// PrivateMark begins the bytes of private data (protocol section 4).
const PrivateMark = "ojud/private-data/2\n"

// Private reports whether the bytes of an account say that they are those of private data.
func Private(content []byte) bool { return bytes.HasPrefix(content, []byte(PrivateMark)) }

// Reading is what the account says. Of private data nobody but those with a key knows the content.
type Reading struct {
	Data      casefile.Address `json:"data"`
	Owner     casefile.Address `json:"owner"`
	Name      string           `json:"name"`
	Private   bool             `json:"private"`
	Bytes     int              `json:"bytes"`  // in the account; of private data, of their ciphertext
	SHA256    casefile.Digest  `json:"sha256"` // of these bytes
	UpdatedAt int64            `json:"updated_at"`
	// Public content stands as text if it is UTF-8, or else as base64. Value is the same if it is
	// JSON, so that a check can point into it.
	Value  json.RawMessage `json:"value,omitempty"`
	Text   *string         `json:"text,omitempty"`
	Base64 *string         `json:"base64,omitempty"`
}

// Kept reports whether a reading is no word of the account, but bytes that somebody kept and that
// have the hash which the task says. So nobody knows who owns them and when they were written.
func (a Reading) Kept() bool { return a.Owner == (casefile.Address{}) && a.Name == "" }

// KeptOf is a reading of bytes that somebody kept.
func KeptOf(at casefile.Address, content []byte) Reading {
	return Reading{Data: at, Private: Private(content)}.Fill(content)
}

// Fill adds the content of an account, and what follows from it.
func (a Reading) Fill(content []byte) Reading {
	a.Bytes, a.SHA256 = len(content), casefile.Digest(casefile.HashOf(content))
	if a.Private {
		return a
	}
	if !utf8.Valid(content) {
		text := base64.StdEncoding.EncodeToString(content)
		a.Base64 = &text
		return a
	}
	text := string(content)
	a.Text = &text
	if value, err := canon.JSON(content, maxAnswer); err == nil {
		a.Value = value
	}
	return a
}

// Encode returns the canonical JSON of the answer.
func (a Reading) Encode() ([]byte, error) { return encoded(a, maxAnswer) }

// errAnswer is wrapped by errors about an answer that contradicts itself.
var errAnswer = errors.New("the data is not what its hash says")

// ParseReading reads an answer of anybody about an account, and checks it by the hash that it
// names: the content has that hash, and the value is the text.
func ParseReading(raw []byte, of casefile.Address) (a Reading, err error) {
	if err := fill("answer", raw, maxAnswer, &a); err != nil {
		return a, err
	}
	switch {
	case a.Data != of:
		return a, fmt.Errorf("%w: it is about the account %s, and %s was asked for", errAnswer, a.Data, of)
	case a.Private && (a.Text != nil || a.Base64 != nil || a.Value != nil):
		return a, fmt.Errorf("%w: it is private, and its content is there", errAnswer)
	case a.Private:
		return a, nil
	case (a.Text == nil) == (a.Base64 == nil):
		return a, fmt.Errorf("%w: it has no content, or two", errAnswer)
	}
	content, told := []byte(nil), Reading{}
	if a.Text != nil {
		content = []byte(*a.Text)
	} else if content, err = canon.Base64([]byte(*a.Base64)); err != nil {
		return a, fmt.Errorf("%w: %w", errAnswer, err)
	}
	told = told.Fill(content)
	switch {
	case told.SHA256 != a.SHA256 || told.Bytes != a.Bytes:
		return a, fmt.Errorf("%w: the content has the hash %s", errAnswer, told.SHA256)
	case string(told.Value) != string(a.Value) || (told.Text == nil) != (a.Text == nil):
		return a, fmt.Errorf("%w: the value is not that of the text", errAnswer)
	}
	return a, nil
}

func fill(document string, raw []byte, most int, v any) error {
	canonical, err := canon.JSON(raw, most)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return casefile.Fill(document, canonical, v, "")
}

func encoded(v any, most int) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("agentdata: %w", err)
	}
	return canon.JSON(raw, most)
}

// named returns the accounts that a task names, each once. The literal of the seed's example names
// none.
func named(task casefile.Task) (out []casefile.Address) {
	for _, d := range task.PDA {
		at, err := casefile.ParseAddress(d.Account)
		if err == nil && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// Asked returns the data that checks of a task read, and that the task does not name. If a result
// says which data a check reads, it is not among them.
func Asked(task casefile.Task) (out []pin.Data) {
	known := named(task)
	for _, at := range checked(task) {
		if !slices.Contains(known, at) {
			known, out = append(known, at), append(out, pin.Data{Account: at.String()})
		}
	}
	return out
}

// Checked reports whether a check of a task reads an account.
func Checked(task casefile.Task, at casefile.Address) bool {
	return slices.Contains(checked(task), at)
}

func checked(task casefile.Task) (out []casefile.Address) {
	for _, k := range task.Expected {
		if k.Data == nil || k.Data.Source != Source || len(k.Data.FromResult) > 0 {
			continue
		}
		if at, err := ParseQuery(k.Data.Request); err == nil {
			out = append(out, at)
		}
	}
	return out
}

// Sources returns the sources that may be asked about a task: those that it names, and Source if it
// names data of agents.
func Sources(task casefile.Task) []string {
	if len(named(task)) == 0 || slices.Contains(task.DataSources, Source) {
		return task.DataSources
	}
	return append(slices.Clip(task.DataSources), Source)
}
