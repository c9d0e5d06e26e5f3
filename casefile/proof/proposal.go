package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/runs"
	"ojud/sandbox"
)

// proposalFuel is what each run of a proposal may use. Whoever verifies a file makes the runs of
// all opinions again.
const proposalFuel = sandbox.MaxFuel / 20

// Sides are the pleadings: the documents in which a proposal must not have read its answer.
type Sides struct{ Objection, Counter []byte }

// Propose runs a proposal of a judge's model on its controls and on the result. It is accepted if
// refused is empty: the program says true of the right control and false of the wrong one, which
// differ in one value, neither is the result, it does not say true of nothing, and it has no
// constant from a pleading or from the result that the task does not have. An error says that it
// could not be run.
func (p *Prover) Propose(ctx context.Context, proposal runs.Proposed, papers Papers, said Sides) (out runs.Proposed, refused string, err error) {
	proposal.Runs = nil
	if field, problem := proposal.Written(); problem != "" {
		return proposal, field + " " + problem, nil
	}
	task, err := casefile.ParseTask(papers.Task)
	if err != nil {
		return proposal, "the task cannot be read", nil
	}
	right, wrong, refused := controlsOf(proposal, papers)
	if refused == "" {
		refused = constants(proposal.JavaScript, papers, said)
	}
	if refused != "" {
		return proposal, refused, nil
	}
	other := papers.Task
	if len(task.Value.InputData) > 0 {
		if other, refused = elsewhere(task.Value, proposal.Input); refused != "" {
			return proposal, refused, nil
		}
	} else if proposal.Input != nil {
		return proposal, "it has an input, and the task has none", nil
	}
	out = proposal
	for _, c := range []struct {
		of           string
		task, result []byte
	}{{runs.OfRight, other, right}, {runs.OfWrong, other, wrong}, {runs.OfResult, papers.Task, papers.Result}} {
		run, err := p.look(ctx, c.of, proposal.JavaScript, c.task, c.result)
		if err != nil {
			return proposal, "", err
		}
		out.Runs = append(out.Runs, run)
	}
	switch {
	case out.Runs[0].Said != runs.True:
		return out, fmt.Sprintf("it says %s of its right control: %s", out.Runs[0].Said, out.Runs[0].Why), nil
	case out.Runs[1].Said != runs.False:
		return out, fmt.Sprintf("it says %s of its wrong control: %s", out.Runs[1].Said, out.Runs[1].Why), nil
	}
	for _, nothing := range controls {
		run, err := p.look(ctx, runs.OfResult, proposal.JavaScript, papers.Task, []byte(nothing))
		if err != nil {
			return proposal, "", err
		}
		if run.Said == runs.True {
			return out, "it says true of " + nothing + ", too", nil
		}
	}
	return out, "", nil
}

// look runs a proposed program.
func (p *Prover) look(ctx context.Context, of, source string, task, result []byte) (runs.Run, error) {
	engine, err := p.open(ctx)
	if err != nil {
		return runs.Run{}, err
	}
	ran, err := engine.JavaScript(ctx, sandbox.Script{Source: source, Fuel: proposalFuel, Inputs: map[string]json.RawMessage{"task": task, "result": result}})
	return record(of, sandbox.Version, sandbox.QuickJS, ran), err
}

// controlsOf returns the controls in canonical form.
func controlsOf(p runs.Proposed, papers Papers) (right, wrong []byte, refused string) {
	right, bad := canon.JSON(p.Right, casefile.MaxDocument)
	wrong, err := canon.JSON(p.Wrong, casefile.MaxDocument)
	switch {
	case bad != nil || err != nil:
		refused = "its controls are not JSON"
	case bytes.Equal(right, wrong):
		refused = "its controls are equal"
	case bytes.Equal(right, papers.Result):
		refused = "its right control is the result itself"
	case bytes.Equal(wrong, papers.Result):
		refused = "its wrong control is the result itself"
	case apart(right, wrong) != 1:
		refused = "its controls differ in more than one value, so it may look at another than the point is about"
	}
	return right, wrong, refused
}

// elsewhere returns the task with another input. A program that has this task's answer as a
// constant cannot be right there.
func elsewhere(t casefile.Task, input []json.RawMessage) (raw []byte, refused string) {
	if len(input) != len(t.InputData) {
		return nil, fmt.Sprintf("its input has %d items, and that of the task %d", len(input), len(t.InputData))
	}
	was := slices.Clone(t.InputData)
	t.InputData = input
	doc, err := casefile.NewTask(t)
	if err != nil {
		return nil, "its input is none for the task: " + err.Error()
	}
	for i := range input {
		before, bad := canon.JSON(was[i], casefile.MaxDocument)
		now, err := canon.JSON(input[i], casefile.MaxDocument)
		if bad != nil || err != nil || bytes.Equal(before, now) {
			return nil, "its controls are for the input of the task itself; another one is needed"
		}
	}
	return doc.Raw, ""
}

var (
	literal = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`")
	number  = regexp.MustCompile(`\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?`)
	token   = regexp.MustCompile(`[\pL\pN]+`)
	// disguise is what makes constants, or code, of other texts.
	disguise = regexp.MustCompile(`\\[xu]|\b(?:eval|Function|constructor|fromCharCode|fromCodePoint|unescape|decodeURI|decodeURIComponent|Reflect|Proxy|globalThis|Date|0[xXoObB][0-9a-fA-F]+)\b`)
)

// constants says which constant of a program stands in a pleading or in the result, and not in the
// task. 0, 1 and 2 are in every program.
func constants(source string, papers Papers, said Sides) string {
	if found := disguise.FindString(source); found != "" {
		return "it has " + strconv.Quote(found) + ", with which a constant can be disguised"
	}
	task, claimed := string(papers.Task), string(papers.Result)+"\n"+string(said.Objection)+"\n"+string(said.Counter)
	given, claims := numbers(task), numbers(claimed)
	for _, n := range number.FindAllString(source, -1) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(n, "_", ""), 64); err == nil && v > 2 && claims[v] && !given[v] {
			return "it has the number " + n + ", which stands in a pleading or in the result, and not in the task"
		}
	}
	known, heard := words(task), words(claimed)
	for _, text := range literal.FindAllString(source, -1) {
		w := words(text[1 : len(text)-1])
		if len(w) > 3 && strings.Contains(heard, w) && !strings.Contains(known, w) {
			return "it has the text " + strconv.Quote(short(text)) + ", which stands in a pleading or in the result, and not in the task"
		}
	}
	return ""
}

// numbers are the numbers of a text.
func numbers(text string) map[float64]bool {
	out := map[float64]bool{}
	for _, n := range number.FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(n, "_", ""), 64); err == nil {
			out[v] = true
		}
	}
	return out
}

// words are the words of a text in lower case, each between spaces.
func words(text string) string {
	return " " + strings.Join(token.FindAllString(strings.ToLower(text), -1), " ") + " "
}
