package keep

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/delegation/keeper"
	"ojud/ledger/journal/durable"
)

// AskedCall is what a person is asked about a call that waits.
type AskedCall struct {
	keeper.OpenCall                        // its Caller is who signed the call
	Holders         []delegation.Principal // of the chain, from its root to who signed the call
	Asker           string                 // who calls, in the words of the host; perhaps empty
	// Input is what is asked: the payload, or the input that is in the call itself. The id of the
	// call binds it.
	Input json.RawMessage
	// Beside is what else the executor acts on, as the host keeps it; nil: nothing.
	Beside json.RawMessage
	// Problem says why the input is not known for certain. A person should not approve the call.
	Problem string
}

// By returns who makes the call: the one before the executor if the executor signed it itself.
func (q AskedCall) By() delegation.Principal {
	if n := len(q.Holders); n > 1 && q.Caller == q.Executor {
		return q.Holders[n-2]
	}
	return q.Caller
}

// Root returns at whom the chain begins.
func (q AskedCall) Root() delegation.Principal {
	if len(q.Holders) > 0 {
		return q.Holders[0]
	}
	return q.Caller
}

// Asked returns what a person is asked about the calls in a folder that wait. It needs no lock, so
// a command can ask while a host runs.
func Asked(dir string) (map[string]AskedCall, error) {
	waiting, err := Waits(dir)
	out := map[string]AskedCall{}
	for id, c := range waiting {
		q, bad := question(dir, id, c)
		err = errors.Join(err, bad)
		out[id] = q
	}
	return out, err
}

// Waits returns the calls in a folder that wait, without what each is about, which may be long.
func Waits(dir string) (map[string]keeper.OpenCall, error) {
	ids, err := files(filepath.Join(dir, askedDir), askedSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out := map[string]keeper.OpenCall{}
	for id := range ids {
		c, bad := waits(dir, id)
		if errors.Is(bad, fs.ErrNotExist) {
			continue // it was answered since
		}
		err = errors.Join(err, bad)
		out[id] = c
	}
	return out, err
}

// waits reads the state of a call that waits.
func waits(dir, id string) (c keeper.OpenCall, err error) {
	raw, err := readBounded(filepath.Join(dir, askedDir, id+askedSuffix), delegation.MaxBundle)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	return c, err
}

// ErrNotWaiting says that no such call waits.
var ErrNotWaiting = errors.New("no such call waits; it was answered, or its time is over")

// Question returns what a person is asked about one call, or ErrNotWaiting.
func Question(dir, id string) (q AskedCall, err error) {
	if !callName.MatchString(id) {
		return q, ErrNotWaiting
	}
	c, err := waits(dir, id)
	if errors.Is(err, fs.ErrNotExist) {
		return q, ErrNotWaiting
	}
	if err != nil {
		return q, err
	}
	return question(dir, id, c)
}

// callName is the name of a call in files.
var callName = regexp.MustCompile(`^[a-z0-9]{1,70}$`)

// Answer signs a person's answer to a call that waits, and leaves it for the process that has the
// folder open, or that opens it next. If it cannot read what the call asks, it signs no yes. It
// returns what the answer is about.
func Answer(dir string, s delegation.Signer, id string, yes bool, now time.Time) (q AskedCall, err error) {
	if q, err = Question(dir, id); err != nil {
		return q, err
	}
	word := "no"
	if yes {
		word = "yes"
		if q.Problem != "" {
			return q, fmt.Errorf("%w: %s", ErrNotCertain, q.Problem)
		}
	}
	raw, err := delegation.Approve(s, id, yes, []byte(rand.Text()), now)
	if err != nil {
		return q, err
	}
	who := s.Principal().String()
	return q, Mail(dir, word+who[len(who)-8:]+id, raw)
}

// ErrNotCertain says that a call cannot be approved.
var ErrNotCertain = errors.New("it is not known for certain what the call asks, so nobody can approve it")

// files are the calls with such a file in askedDir.
func files(dir, suffix string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	out := map[string]bool{}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), suffix); ok {
			out[id] = true
		}
	}
	return out, err
}

// maxAsked bounds a file of askedDir, in bytes: a call, and a payload in base64.
const maxAsked = delegation.MaxBundle + 1<<20

// contents is the file beside a question: the call as it was signed, its payload, and what else
// its executor acts on.
type contents struct {
	Call    []byte          `json:"call"` // as delegation.BundleCall writes it
	Payload []byte          `json:"payload,omitempty"`
	Asker   string          `json:"asker,omitempty"`
	Beside  json.RawMessage `json:"beside,omitempty"`
}

// present writes what a call is about, before it is decided whether it waits.
func (k *Keep) present(c Incoming, links []*delegation.Delegation) error {
	if len(c.Domains) == 0 || k.asked[c.Invocation.ID()] {
		return nil // it never waits, or it does already
	}
	call, err := delegation.BundleCall(c.Invocation, links)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(contents{call, c.Payload, c.Asker, c.Beside})
	if err != nil {
		return err
	}
	if err := durable.WriteFile(k.asks(c.Invocation.ID()), raw); err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	return nil
}

// asks is the file that says what a call is about.
func (k *Keep) asks(id string) string { return filepath.Join(k.dir, askedDir, id+asksSuffix) }

// sweep removes what calls are about that do not wait.
func (k *Keep) sweep() error {
	all, err := files(filepath.Join(k.dir, askedDir), asksSuffix)
	for id := range all {
		if !k.asked[id] {
			err = errors.Join(err, k.drop(id))
		}
	}
	return err
}

// drop removes what a call is about.
func (k *Keep) drop(id string) error {
	if err := os.Remove(k.asks(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep: %w", err)
	}
	return nil
}

// question reads what a person is asked about a call.
func question(dir, id string, c keeper.OpenCall) (AskedCall, error) {
	q := AskedCall{OpenCall: c}
	raw, err := readBounded(filepath.Join(dir, askedDir, id+asksSuffix), maxAsked)
	if errors.Is(err, fs.ErrNotExist) {
		q.Problem = "what is asked was not kept"
		return q, nil
	}
	if err != nil {
		return q, err
	}
	var about contents
	if err = json.Unmarshal(raw, &about); err == nil {
		err = q.read(id, about)
	}
	if err != nil {
		q.Problem = "what is asked cannot be used: " + err.Error()
	}
	return q, nil
}

// read takes what a call is about, if it belongs to the call.
func (q *AskedCall) read(id string, about contents) error {
	inv, find, err := delegation.ParseCall(about.Call)
	if err != nil {
		return err
	}
	if inv.ID() != id {
		return fmt.Errorf("it is about the call %s", inv.ID())
	}
	holders, err := delegation.Holders(inv, find)
	if err != nil {
		return err
	}
	input := inv.Args["input"]
	if named, ok := input.(map[string]any); ok && len(about.Payload) > 0 {
		sum := sha256.Sum256(about.Payload)
		if named["sha256"] != hex.EncodeToString(sum[:]) || !json.Valid(about.Payload) {
			return errors.New("the payload is another one than the call names")
		}
		q.Input = about.Payload
	} else if q.Input, err = json.Marshal(input); err != nil {
		return err
	}
	q.Holders, q.Asker, q.Beside = holders, about.Asker, about.Beside
	return nil
}
