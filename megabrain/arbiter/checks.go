package arbiter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/settle"
	"ojud/voting"
)

// maxGiven leaves room for the class beside the input data of a task.
const maxGiven = 255

// Checked reads a question that is a task of the court, with checks that code makes. It is not
// checked if it is any other text. The error says why nobody makes its checks, so that it is a
// question in words.
func Checked(question string) (task casefile.Doc[casefile.Task], checked bool, err error) {
	var has struct {
		Expected json.RawMessage `json:"expected"`
	}
	if json.Unmarshal([]byte(question), &has) != nil || has.Expected == nil {
		return task, false, nil
	}
	if task, err = settle.Create([]byte(question)); err != nil {
		return task, true, fmt.Errorf("arbiter: the question: %w", err)
	}
	k := task.Value
	switch {
	case len(k.Expected) == 0:
		return task, true, errors.New("arbiter: the question: expected is empty")
	case len(k.DataSources)+len(k.PDA)+len(k.Modules()) > 0:
		return task, true, errors.New("arbiter: the question: its checks read the result alone, so leave out data_sources, pda and modules")
	case len(k.InputData) > maxGiven:
		return task, true, fmt.Errorf("arbiter: the question: input_data has %d items; at most %d are allowed", len(k.InputData), maxGiven)
	}
	for i, c := range k.Expected {
		if c.Sealed != nil {
			return task, true, fmt.Errorf("arbiter: the question: expected[%d] is sealed, and nobody could open it in an appeal", i)
		}
	}
	return task, true, nil
}

// checks says what the checks of a question decide about a result, before anybody reads its
// words. Who opened a golden task wrote them, or knows who did, so they count against the
// opening alone: a result that was opened as right is wrong if one fails, or if the schema
// refuses it. One that was opened as wrong is right if they settle all that is asked. Otherwise
// they decide nothing. A creator could write checks that pass a lie, or that fail the truth,
// and would have the stake of each honest appellant.
func (a Arbiter) checks(ctx context.Context, b judge.Brief, task casefile.Doc[casefile.Task], result casefile.Doc[casefile.Result], right bool) (o casefile.Opinion, decided bool, err error) {
	// Without pleadings: what a party says of the result makes no check pass or fail.
	o, err = a.Code.Evaluate(ctx, judge.Brief{
		Case: b.Case, Round: b.Round, Judge: b.Judge, Network: b.Network, Program: b.Program, Deadline: b.Deadline, Evidence: judge.NoSources{},
		Task: judge.Paper[casefile.Task]{Doc: task}, Result: judge.Paper[casefile.Result]{Doc: result},
	})
	if err != nil {
		return o, false, fmt.Errorf("arbiter: the checks of the question: %w", err)
	}
	const _ = uint(3 - voting.Choices) // one more choice has to decide for a side, or nothing
	choice := voting.Choice(o.Choice)
	return o, right && choice == voting.Reject || !right && choice == voting.Accept, nil
}
