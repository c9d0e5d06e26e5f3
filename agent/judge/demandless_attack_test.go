package judge

import (
	"fmt"
	"testing"

	"ojud/voting"
)

// TestAttackOrderTakenForIdle: code took orders such as "Write notes into summary." for sentences
// that demand nothing. Then nothing was open, and code alone paid for an empty result at every
// seat. Now a sentence must say itself that a field is optional or is not judged.
func TestAttackOrderTakenForIdle(t *testing.T) {
	for _, c := range [][4]string{
		{`"Write notes into summary."`, `{"summary":"string"}`, `{"summary":""}`, "It is empty. There are no notes of the meeting."},
		{`"Put questions into quiz."`, `{"quiz":["string"]}`, `{"quiz":[]}`, "I ordered a quiz and got nothing."},
		{`"Write comments into code."`, `{"code":"string"}`, `{"code":"garbage"}`, "My function is gone."},
		{`"Answer is for questions."`, `{"answer":"string"}`, `{"answer":"no"}`, "My question is not answered."},
		{`"Write anything else into text."`, `{"text":"string"}`, `{"text":""}`, "nothing"},
		{`"Hello. Write notes into summary.","note is optional."`, `{"summary":"string","note":"string"}`, `{"summary":"","note":""}`, "It is empty."},
		{`"The text may say anything."`, `{"text":"string"}`, `{"text":""}`, "I ordered a text, and got none."},
		{`"Hello."`, `{"text":"string"}`, `{"text":""}`, "It says nothing."},
	} {
		if o := disputed(t, fmt.Sprintf(`{"instruction":[%s],"output_schema":%s}`, c[0], c[1]), c[2], c[3], nil); voting.Choice(o.Choice) != voting.Abstain {
			t.Errorf("%s: %s", c[0], told(o))
		}
	}
	// What says itself that it is free stays free, beside a demand that checks settle.
	const settled = `{"instruction":["Copy the number 3.","note is for remarks; it is not judged."],"output_schema":{"n":"number","note":"string"},"expected":[{"path":"/n","equals":3,"settles":[0]}]}`
	if o := disputed(t, settled, `{"n":3,"note":""}`, "The note is poor.", nil); voting.Choice(o.Choice) != voting.Accept {
		t.Error(told(o))
	}
}
