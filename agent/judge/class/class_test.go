package class_test

import (
	"encoding/json"
	"testing"

	"ojud/agent/judge/class"
	"ojud/casefile"
)

// TestOf: a data source counts more than words. Among words, the first kind with a sign wins.
func TestOf(t *testing.T) {
	input := []json.RawMessage{json.RawMessage(`"x"`)}
	for _, c := range []struct {
		task casefile.Task
		want class.Class
	}{
		{casefile.Task{Instruction: []string{"Write a poem."}, DataSources: []string{"s"}}, class.Facts},
		{casefile.Task{Instruction: []string{"Be quick.", "Extract the total of each invoice."}}, class.Extraction},
		{casefile.Task{Instruction: []string{"Write a function that computes the sum."}}, class.Code},
		{casefile.Task{Instruction: []string{"Compute the sum of the column."}}, class.Arithmetic},
		{casefile.Task{Instruction: []string{"Write a poem of ten lines."}}, class.Writing},
		{casefile.Task{Instruction: []string{"make a ASCII drawing of an eleptiger"}}, class.Format},
		{casefile.Task{Instruction: []string{"Do as the input says."}, InputData: input}, class.Extraction},
		{casefile.Task{Instruction: []string{"Say something nice."}}, class.Writing},
	} {
		if got := class.Of(c.task); got != c.want || !got.Known() {
			t.Errorf("%v: %s, want %s", c.task.Instruction, got, c.want)
		}
	}
	if class.Class("cooking").Known() || len(class.All()) != 6 {
		t.Error(class.All())
	}
}
