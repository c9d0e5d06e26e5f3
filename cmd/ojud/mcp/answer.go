package mcp

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"

	"ojud/agent/face"
	"ojud/casefile/ground"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/fit"
	"ojud/node/library"
	"ojud/voting"
)

// What a tool signs when it answers a task.
const (
	submitting = "submit_result"
	accepting  = "accept"
	objecting  = "object"
)

// maxGrounds bounds the grounds of an objection.
const maxGrounds = 16

// checkedOut is an answer, and what the checks of the task could not say about the result.
type checkedOut struct {
	dealt
	Unchecked string `json:"unchecked,omitempty"`
}

// ours opens the party for a task that a tool of this server posted or claimed. The reward or bond
// of such a task is counted already. The tools answer no other task, so a stranger's text cannot
// make them answer one that a person made with the same key.
func (d *dealer) ours(task, otherwise string) (onchain.Address, party, error) {
	at, err := address("task", task)
	if err != nil {
		return at, nil, err
	}
	if !d.purse.own(at) {
		return at, nil, cli.Fail("no tool of this server posted or claimed %s", at).Next("a person answers it: " + otherwise)
	}
	by, err := d.open()
	return at, by, err
}

// fits refuses a result that the checks of its task refute, and returns what they could not say.
func fits(ctx context.Context, by party, task onchain.Address, result library.Document) (string, error) {
	err := by.CheckResult(ctx, task, result)
	switch {
	case errors.Is(err, library.ErrNoContent) || errors.Is(err, fit.ErrSchema) || errors.Is(err, fit.ErrSilent):
		return cli.Plain(err), nil
	case err != nil:
		return "", cli.Fail("%s", cli.Plain(err))
	}
	return "", nil
}

type submitIn struct {
	Task   string `json:"task" jsonschema:"address of the task"`
	Result any    `json:"result" jsonschema:"the result: any JSON that the task's output_schema allows"`
}

func (d *dealer) submit(ctx context.Context, in submitIn, _ face.Say) (any, error) {
	raw, err := json.Marshal(in.Result)
	if err != nil {
		return nil, err
	}
	result, err := library.ReadResult(raw)
	if err != nil {
		return nil, err
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	at, by, err := d.ours(in.Task, "ojud task submit")
	if err != nil {
		return nil, err
	}
	unchecked, err := fits(ctx, by, at, result)
	if err != nil {
		return nil, err
	}
	return d.answer(&act{answers: at, may: submitting}, unchecked, func() (client.TaskDone, error) { return by.Submit(ctx, at, result) })
}

func (d *dealer) answer(of *act, unchecked string, do func() (client.TaskDone, error)) (any, error) {
	done, err := d.act(of, do)
	if out, ok := done.(dealt); ok && err == nil {
		return checkedOut{out, unchecked}, nil
	}
	return done, err
}

func (d *dealer) accept(ctx context.Context, in taskIn, _ face.Say) (any, error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	at, by, err := d.ours(in.Task, "ojud task accept")
	if err != nil {
		return nil, err
	}
	v, err := by.Task(ctx, at)
	if err != nil {
		return nil, err
	}
	hash, err := hashOf(v.ResultHash)
	if err != nil {
		return nil, cli.Fail("nobody has handed in a result of %s", at)
	}
	raw, err := by.Fetch(ctx, hash)
	if err != nil {
		return nil, cli.Fail("the result cannot be had, so it is not accepted: %s", cli.Plain(err)).Next("object, or try again; a person may accept it: ojud task accept " + at.String())
	}
	result := library.Document{Content: raw, Hash: hash}
	if err := by.CheckResult(ctx, at, result); errors.Is(err, library.ErrNoContent) {
		return nil, cli.Fail("no check was made, so the result is not accepted: %s", cli.Plain(err)).Next("try again; a person may accept it: ojud task accept " + at.String())
	}
	unchecked, err := fits(ctx, by, at, result)
	if err != nil {
		return nil, err
	}
	return d.answer(&act{answers: at, may: accepting}, unchecked, func() (client.TaskDone, error) { return by.Accept(ctx, at) })
}

type objectIn struct {
	Task    string           `json:"task" jsonschema:"address of the task"`
	Reason  string           `json:"reason" jsonschema:"what the task asks and the result does not do; the judges read it"`
	Grounds []map[string]any `json:"grounds,omitempty" jsonschema:"what code compares: each with pointer (a JSON pointer into the result), kind (such as value, count, contains, missing) and expected"`
}

func (d *dealer) object(ctx context.Context, in objectIn, _ face.Say) (any, error) {
	if in.Reason == "" {
		return nil, cli.Usage("reason is missing")
	}
	if len(in.Grounds) > maxGrounds {
		return nil, cli.Usage("there are %d grounds; give at most %d", len(in.Grounds), maxGrounds)
	}
	raw, err := json.Marshal(in.Grounds)
	if err != nil {
		return nil, err
	}
	var grounds []ground.Ground
	reader := json.NewDecoder(bytes.NewReader(raw))
	reader.DisallowUnknownFields() // a ground with "path" would be about the whole result, and cost the bond
	if err := reader.Decode(&grounds); err != nil {
		return nil, cli.Usage("grounds: %v", err)
	}
	if field, problem := ground.Check(grounds); field != "" {
		return nil, cli.Usage("%s %s", field, problem)
	}
	doc, err := library.Argue(in.Reason, nil, nil, grounds...)
	if err != nil {
		return nil, err
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	at, by, err := d.ours(in.Task, "ojud task object")
	if err != nil {
		return nil, err
	}
	bond, err := d.bond(ctx, at)
	if err != nil {
		return nil, err
	}
	return d.answer(&act{answers: at, may: objecting, bond: bond}, "", func() (client.TaskDone, error) { return by.Object(ctx, at, doc) })
}

// hashOf reads the hash of a document.
func hashOf(text string) (voting.Hash, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(voting.Hash{}) {
		return voting.Hash{}, cli.Fail("%.80q is no hash", text)
	}
	return voting.Hash(raw), nil
}
