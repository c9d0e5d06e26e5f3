package judge

import (
	"strings"
	"testing"

	"ojud/voting"
)

// TestAttackNothingMeetsDemands: a worker hands in a result that shows nothing, or one of which
// code cannot tell. Doubt must neither pay the worker nor take its pay: code abstains. The controls
// break a demand, and are rejected.
func TestAttackNothingMeetsDemands(t *testing.T) {
	const task = `{"instruction":["List the rows by name."],"output_schema":{"rows":[{"n":"string"}]},` +
		`"expected":[{"path":"/rows","sorted":{"by":"/n"},"unique":{"by":"/n"},"settles":[0]}]}`
	const objection, counter = `{"reason":"x","grounds":[{"pointer":"/rows","kind":"unique"}]}`, `{"reason":"They are in order."}`
	for name, c := range map[string]struct {
		rows string
		want voting.Choice
	}{
		"no rows":          {`[]`, voting.Abstain},
		"order by case":    {`[{"n":"a"},{"n":"B"}]`, voting.Abstain},
		"out of order":     {`[{"n":"b"},{"n":"a"}]`, voting.Reject},
		"one stands twice": {`[{"n":"a"},{"n":"a"}]`, voting.Reject},
	} {
		o := typedly(t, task, `{"rows":`+c.rows+`}`, objection, counter, nil)
		if voting.Choice(o.Choice) != c.want {
			t.Errorf("%s: %s, not %s: %s", name, voting.Choice(o.Choice), c.want, told(o))
		}
		if says := strings.Contains(told(o), "it decides nothing"); says != (c.want == voting.Abstain) {
			t.Errorf("%s: whether code doubts: %t: %s", name, says, told(o))
		}
	}
}
