package marketdemo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/node/trader"
)

// The kinds of work in the market. Their names are skills.
const (
	sorting = "sorting"
	adding  = "adding"
	coding  = "coding"
)

// orders returns the orders of a creator, one in each line.
func orders(kind string, count int, reward string) ([]byte, error) {
	var out []byte
	for n := range count {
		task, err := json.Marshal(orderOf(kind, n))
		if err != nil {
			return nil, err
		}
		line, err := json.Marshal(map[string]any{"id": fmt.Sprintf("%s-%d", kind, n+1), "reward": reward, "task": json.RawMessage(task)})
		if err != nil {
			return nil, err
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

// wanted says what the orders of a kind ask for.
func wanted(kind string) string {
	said, _ := orderOf(kind, 0)["instruction"].([]string)
	return strings.Join(said, " ")
}

// fruit are the words that are sorted. Each order has another part of them.
var fruit = [...]string{"pear", "fig", "lemon", "apple", "quince", "cherry", "plum", "melon", "grape", "date", "olive", "peach"}

func orderOf(kind string, n int) map[string]any {
	switch kind {
	case sorting:
		words := slices.Clone(fruit[n%6 : n%6+6])
		return map[string]any{
			"instruction": []string{"Sort the words of the input in the order of their characters."}, "input_data": []any{words},
			"output_schema": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			"expected": []any{
				map[string]any{"path": "", "count": len(words)},
				map[string]any{"path": "", "settles": []int{0}, "program": map[string]any{
					"javascript": "const want = [...task.input_data[0]].sort(); [JSON.stringify(value) === JSON.stringify(want), 'in order it is ' + want.join(' ')]"}},
			},
		}
	case adding:
		amounts := []int{17 + n, 230 + 11*n, 4, 91 * (n + 1), 58}
		return map[string]any{
			"instruction": []string{"Add up the amounts of the input, and give their total."}, "input_data": []any{amounts},
			"output_schema": map[string]any{"total": "number"},
			"expected": []any{map[string]any{"path": "/total", "settles": []int{0}, "program": map[string]any{
				"javascript": "const want = task.input_data[0].reduce((a, b) => a + b, 0); [value === want, 'the total is ' + want]"}}},
		}
	}
	least := n + 2
	return map[string]any{
		"instruction":   []string{fmt.Sprintf("Write a function above in JavaScript that counts the numbers of a list which are greater than %d.", least)},
		"output_schema": map[string]any{"code": "string"},
		"expected": []any{map[string]any{"path": "/code", "settles": []int{0}, "tests": map[string]any{"javascript": []any{
			map[string]any{"function": "above", "args": []any{[]int{1, least, least + 1, 90}}, "returns": 2},
			map[string]any{"function": "above", "args": []any{[]int{}}, "returns": 0},
			map[string]any{"function": "above", "args": []any{[]int{least + 3}}, "returns": 1},
		}}}},
	}
}

// makes is a Maker that is a function.
type makes func(kind string, order casefile.Task) (any, error)

// Make implements trader.Maker.
func (f makes) Make(_ context.Context, a trader.Assignment) (trader.Product, error) {
	task, err := casefile.ParseTask(a.Order)
	if err != nil {
		return trader.Product{}, err
	}
	result, err := f(a.Skill, task.Value)
	if err != nil {
		return trader.Product{}, err
	}
	raw, err := json.Marshal(result)
	return trader.Product{Result: raw}, err
}

// does does the work.
func does(kind string, order casefile.Task) (any, error) {
	switch kind {
	case sorting:
		words, err := input[[]string](order)
		slices.Sort(words)
		return words, err
	case adding:
		amounts, err := input[[]int](order)
		total := 0
		for _, n := range amounts {
			total += n
		}
		return map[string]int{"total": total}, err
	}
	var least int
	if len(order.Instruction) == 0 {
		return nil, errors.New("the order asks for nothing")
	}
	if _, err := fmt.Sscanf(order.Instruction[0], "Write a function above in JavaScript that counts the numbers of a list which are greater than %d.", &least); err != nil {
		return nil, fmt.Errorf("the order names no number: %w", err)
	}
	return map[string]string{"code": fmt.Sprintf("function above(list) { return list.filter(n => n > %d).length; }", least)}, nil
}

func input[T any](order casefile.Task) (v T, err error) {
	if len(order.InputData) == 0 {
		return v, errors.New("the order has no input")
	}
	return v, json.Unmarshal(order.InputData[0], &v)
}

// idles hands in an empty list.
func idles(string, casefile.Task) (any, error) { return []string{}, nil }

// lies hands in a total that is wrong, and knows it.
func lies(kind string, order casefile.Task) (any, error) {
	right, err := does(kind, order)
	if total, ok := right.(map[string]int); ok {
		total["total"] += 9
	}
	return right, err
}

// claims is an Assessor that always says the same: a cheat does not look.
type claims trader.Estimate

// Assess implements trader.Assessor.
func (c claims) Assess(context.Context, trader.Bundle) (trader.Estimate, error) {
	return trader.Estimate(c), nil
}
