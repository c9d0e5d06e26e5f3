package exam

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ojud/agent/judge/class"
	"ojud/casefile"
	"ojud/voting"
)

// Set is a public set of pairs of answers. People marked the better answer of each pair.
type Set string

// The sets that can be converted, as published: an object on each line, or one array.
const (
	LLMBar      Set = "llmbar"      // input, output_1, output_2, label 1 or 2 (arXiv 2310.07641)
	MTBench     Set = "mtbench"     // conversation_a, conversation_b, winner model_a, model_b or tie (arXiv 2306.05685)
	RewardBench Set = "rewardbench" // prompt, chosen, rejected (arXiv 2403.13787)
	JudgeBench  Set = "judgebench"  // question, response_A, response_B, label A>B or B>A (arXiv 2410.12784)
)

// Sets returns all sets.
func Sets() []Set { return []Set{LLMBar, MTBench, RewardBench, JudgeBench} }

// errSet says that a file does not belong to the named set.
var errSet = errors.New("exam: not a pair of this set")

// pair is a pair of answers in any set.
type pair struct {
	question, first, second string
	better                  int // 1, 2 or 0: neither
}

// Convert makes two disputes from every pair of a public set. In both, a worker had to name the
// better answer. In the first, the worker names it. In the second, the answers are swapped and the
// worker names the worse one. The worker says the same number in both, so a judge that goes by an
// answer's position gets one of the two wrong. skipped counts pairs without a preference, and pairs
// that are too large for a task.
func Convert(r io.Reader, s Set) (items []Item, skipped int, err error) {
	if !slices.Contains(Sets(), s) {
		return nil, 0, fmt.Errorf("exam: there is no set %.40q; the sets are %v", s, Sets())
	}
	err = objects(r, func(number int, raw []byte) error {
		p, err := readPair(s, raw)
		if err != nil {
			return err
		}
		two, err := p.items(fmt.Sprintf("%s-%d", s, number))
		if err != nil || len(two) == 0 {
			skipped++ // no preference, or no task can hold it
			return nil
		}
		items = append(items, two...)
		return nil
	})
	if err == nil && len(items) == 0 {
		err = fmt.Errorf("%w: it has no pair with a preference", errSet)
	}
	return items, skipped, err
}

// objects calls see with every object of a file, which is JSONL or an array.
func objects(r io.Reader, see func(number int, raw []byte) error) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return fmt.Errorf("exam: %w", err)
	}
	if len(raw) > maxFile {
		return fmt.Errorf("%w: it has more than %d bytes", ErrFile, maxFile)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return lines(bytes.NewReader(raw), see)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	if len(all) > MaxItems {
		return fmt.Errorf("%w: it has more than %d pairs", ErrFile, MaxItems)
	}
	for i, one := range all {
		if err := see(i+1, one); err != nil {
			return fmt.Errorf("pair %d: %w", i+1, err)
		}
	}
	return nil
}

// turn is a message of MT-bench.
type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// readPair reads an object of a set, and ignores the many fields that it does not need.
func readPair(s Set, raw []byte) (pair, error) {
	var v struct {
		Input, Prompt, Question  string
		Output1                  string          `json:"output_1"`
		Output2                  string          `json:"output_2"`
		Label                    json.RawMessage `json:"label"`
		A                        []turn          `json:"conversation_a"`
		B                        []turn          `json:"conversation_b"`
		Winner, Chosen, Rejected string
		Turn                     int    // MT-bench: the judgement is about the conversation up to this question
		ResponseA                string `json:"response_A"`
		ResponseB                string `json:"response_B"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return pair{}, fmt.Errorf("%w: %w", errSet, err)
	}
	label := strings.Trim(string(v.Label), `"`)
	var p pair
	switch s {
	case LLMBar:
		p = pair{v.Input, v.Output1, v.Output2, map[string]int{"1": 1, "2": 2}[label]}
	case MTBench:
		p = pair{conversation(v.A, "user", v.Turn), conversation(v.A, "assistant", v.Turn), conversation(v.B, "assistant", v.Turn), map[string]int{"model_a": 1, "model_b": 2}[v.Winner]}
	case RewardBench:
		p = pair{v.Prompt, v.Chosen, v.Rejected, 1}
	case JudgeBench:
		p = pair{v.Question, v.ResponseA, v.ResponseB, map[string]int{"A>B": 1, "B>A": 2}[label]}
	}
	if p.question == "" || p.first == "" || p.second == "" {
		return p, fmt.Errorf("%w: %s lacks the question or one of the answers", errSet, s)
	}
	return p, nil
}

// conversation joins the words of one side, up to its turn number last, or all for 0.
func conversation(turns []turn, role string, last int) string {
	var said []string
	for _, t := range turns {
		if t.Role == role && (last == 0 || len(said) < last) {
			said = append(said, t.Content)
		}
	}
	return strings.Join(said, "\n\n")
}

// items makes the two disputes of a pair.
func (p pair) items(id string) ([]Item, error) {
	if p.better == 0 {
		return nil, nil
	}
	right, err := p.item(id+"-right", casefile.Choice(voting.Accept))
	if err != nil {
		return nil, err
	}
	p.first, p.second = p.second, p.first
	wrong, err := p.item(id+"-wrong", casefile.Choice(voting.Reject))
	return []Item{right, wrong}, err
}

// item makes a dispute whose worker names the answer p.better.
func (p pair) item(id string, label casefile.Choice) (Item, error) {
	input, err := json.Marshal(map[string]string{"question": p.question, "answer_1": p.first, "answer_2": p.second})
	if err != nil {
		return Item{}, err
	}
	task, err := casefile.NewTask(casefile.Task{
		Instruction:  []string{`The input has a question and two answers to it. Say which answer does better what the question asks: return {"better": 1} or {"better": 2}.`},
		InputData:    []json.RawMessage{input},
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"better":{"enum":[1,2]}},"required":["better"],"additionalProperties":false}`),
	})
	if err != nil {
		return Item{}, err
	}
	i := Item{
		ID: id, Class: class.Writing, Difficulty: hardest, Task: task.Raw, Result: fmt.Appendf(nil, `{"better":%d}`, p.better),
		Objection: json.RawMessage(`{"reason":"The other answer is the better one."}`),
		Counter:   json.RawMessage(`{"reason":"The answer that was named is the better one."}`),
		Label:     label, Why: "People compared the two answers; this is what the set says of their preference.",
		Checks: []string{"Compare the two answers with the question, once in this order and once in the other."},
	}
	return i, i.Validate()
}
