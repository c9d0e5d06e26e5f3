package judge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/casefile"
	"ojud/voting"
)

const (
	owls     = `{"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"},"expected":[{"path":"/text","lines":3}]}`
	items    = `{"instruction":["Return a, b and c."],"output_schema":{"items":["string"]},"expected":[{"path":"/items","equals":["a","b","c"],"settles":[0]}]}`
	checked  = `{"instruction":["Write about Alan Walker"],"output_schema":{"lines":["string"]},"expected":[{"path":"/lines","count":10},{"path":"/lines/0","contains":"walker"}]}`
	seedTask = `{"instruction":["You should make a ASCII drawing of eleptiger"],"input_data":[{"eleptiger":"eleptiger is a fusion of elephant + tiger"}],"pda":["PDA_ADDRESS"],"output_schema":{"ascii_painting":"string"}}`
	cat      = `{"ascii_painting":" /\\_/\\ \n( o.o )\n > ^ <\n"}`
	three    = `{"text":"a\nb\nc"}`
	two      = `{"text":"a\nb"}`
)

func lines10(first string) string {
	return fmt.Sprintf(`{"lines":[%q,"2","3","4","5","6","7","8","9","10"]}`, first)
}

func reason(text string) string { return fmt.Sprintf(`{"reason":%q}`, text) }

// These are whole cases for the rule. Field why names a finding that must exist, with its outcome.
func TestCode(t *testing.T) {
	for _, c := range []struct {
		name                    string
		task, result, objection string
		want                    voting.Choice
		why                     string
	}{
		{"too few lines", owls, two, reason("The result has 2 lines rather than 3."), voting.Reject, "fail specification/expected[0]"},
		{"too few lines, whatever the objection says", owls, two, reason("I dislike owls."), voting.Reject, "fail specification/expected[0]"},
		{"too many lines", owls, `{"text":"a\nb\nc\nd"}`, reason("x"), voting.Reject, "fail specification/expected[0]"},
		{"untrue objection", owls, three, reason("The result has only 2 lines rather than 3."), voting.Accept, "pass objection/1"},
		{"an objection that does not say how many", owls, three, reason("The result has 2 lines."), voting.Abstain, "unknown objection/1"},
		{"two untrue grounds", owls, three, reason("The result has 2 lines rather than 3 and does not match the schema."), voting.Accept, "pass objection/2"},
		{"an untrue ground and a taste", owls, three, reason("The result has 2 lines rather than 3. It is boring."), voting.Abstain, "unknown objection/2"},
		{"a taste", owls, three, reason("These lines are boring."), voting.Abstain, "unknown objection/1"},
		{"no ground", owls, three, reason("I object to this result. Please refund me."), voting.Abstain, "unknown instruction/instruction[0]"},
		{"objection withheld", owls, three, "", voting.Accept, "fail fault/objection"},
		{"objection that is none", owls, three, `{"why":1}`, voting.Accept, "fail fault/objection"},
		{"nothing open: a taste does not matter", items, `{"items":["a","b","c"]}`, reason("These items are boring."), voting.Accept, "pass specification/instruction[0]"},
		{"wrong count", items, `{"items":["a","b"]}`, reason("x"), voting.Reject, "fail specification/expected[0]"},
		{"wrong schema", items, `{"items":"a"}`, reason("x"), voting.Reject, "fail specification/schema"},
		{"extra field against the short form", items, `{"items":["a","b","c"],"more":1}`, reason("x"), voting.Reject, "fail specification/schema"},
		{"untrue schema claim", checked, lines10("Alan WALKER"), reason("The result doesn't match the output schema"), voting.Accept, "pass objection/1"},
		{"expected count", checked, `{"lines":["Walker"]}`, reason("x"), voting.Reject, "fail specification/expected[0]"},
		{"expected text", checked, lines10("someone"), reason("x"), voting.Reject, "fail specification/expected[1]"},
		{"untrue claim about text", checked, lines10("alan walker"), reason(`The result does not mention "Walker".`), voting.Accept, "pass objection/1"},
		{"true claim that nothing demands", checked, lines10("alan walker"), reason(`The result does not mention "Faded".`), voting.Abstain, "unknown objection/1"},
		{"empty text", seedTask, `{"ascii_painting":" \n\u200b"}`, reason("It is empty."), voting.Abstain, "unknown objection/1"},
		{"empty list and empty note: nothing may match", `{"instruction":["List the overdue invoices."],"output_schema":{"ids":["string"],"note":"string"}}`, `{"ids":[],"note":""}`, reason("It is empty."), voting.Abstain, "unknown objection/1"},
		{"null", `{"instruction":["x"],"output_schema":{}}`, `null`, reason("x"), voting.Abstain, "pass specification/result"},
		{"null that the schema refuses", owls, `null`, reason("x"), voting.Reject, "fail specification/schema"},
		{"placeholder", seedTask, `{"ascii_painting":"TODO"}`, reason("x"), voting.Abstain, "pass specification/result"},
		{"empty list", items, `{"items":[]}`, reason("x"), voting.Reject, "fail specification/expected[0]"},
		{"result withheld", owls, "", reason("x"), voting.Reject, "fail specification/result"},
		{"result that is no JSON", owls, `{"text":`, reason("x"), voting.Reject, "fail specification/result"},
		{"objection withheld, but code sees a failure", owls, two, "", voting.Reject, "fail specification/expected[0]"},
		{"task withheld", "", three, reason("x"), voting.Accept, "fail fault/task"},
		{"task that is none", `{"instruction":["x"]}`, three, reason("x"), voting.Accept, "fail fault/task"},
		{"task with an unknown field", `{"deadline":1,` + owls[1:], two, reason("The result has 2 lines rather than 3."), voting.Accept, "fail fault/task"},
		{"task withheld, and a result that looks like nothing", "", `{"text":"TODO"}`, reason("x"), voting.Accept, "fail fault/task"},
		{"all withheld", "", "", "", voting.Reject, "fail specification/result"},
		{"seed: a drawing, untrue objection", seedTask, cat, reason("The result does not match the schema."), voting.Accept, "pass objection/1"},
		{"seed: a drawing, an objection about its characters", seedTask, cat, reason("The drawing is not ASCII."), voting.Abstain, "unknown objection/1"},
		{"seed: a drawing, likeness disputed", seedTask, cat, reason("It does not look like an eleptiger."), voting.Abstain, "unknown objection/1"},
		{"seed: not ASCII", seedTask, `{"ascii_painting":"🐘\n🐯"}`, reason("The drawing contains non-ASCII characters."), voting.Abstain, "unknown objection/1"},
		{"seed: wrong field", seedTask, `{"painting":"x"}`, reason("x"), voting.Reject, "fail specification/schema"},
		{"seed: prose instead of a drawing", seedTask, `{"ascii_painting":"I am sorry, I cannot draw."}`, reason("This is not a drawing."), voting.Abstain, "unknown instruction/instruction[0]"},
		{"seed: the instruction handed back", seedTask, `{"ascii_painting":"You should make a ASCII drawing of eleptiger"}`, reason("The result is a copy of the instruction."), voting.Abstain, "unknown instruction/instruction[0]"},
		{"a schema that cannot be used fails nobody", `{"instruction":["Return 3 items"],"output_schema":{"$ref":"file:///etc/passwd"},"expected":[{"path":"/items","count":3}]}`, `{"items":[1,2,3]}`, reason("The result has 2 items rather than 3."), voting.Accept, "unknown instruction/schema"},
		{"nor can one hide behind it", `{"instruction":["Return 3 items"],"output_schema":{"$ref":"file:///etc/passwd"},"expected":[{"path":"/items","count":3}]}`, `{"items":[1,2]}`, reason("x"), voting.Reject, "fail specification/expected[0]"},
		{"and a claim about it is open", `{"instruction":["Return exactly 3 items"],"output_schema":{"$ref":"#/nowhere"}}`, `{"items":[1,2,3]}`, reason("The result violates the schema."), voting.Abstain, "unknown objection/1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := judgetest.Brief(t, judgetest.Papers{Task: c.task, Result: c.result, Objection: c.objection, Counter: reason("It is right.")})
			o, err := judge.Shared.Evaluate(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			seen := ""
			for _, f := range o.Findings {
				seen += fmt.Sprintf("%s %s: %s\n", f.Outcome, f.Check, f.Detail)
			}
			if voting.Choice(o.Choice) != c.want || !strings.Contains(seen, c.why+":") {
				t.Errorf("%s, want %s with %s\n%s\n%s", voting.Choice(o.Choice), c.want, c.why, o.Summary, seen)
			}
			if judge.Decide(o.Findings) != voting.Choice(o.Choice) {
				t.Error("the findings do not give the choice again")
			}
			if !strings.HasPrefix(o.Summary, "Code checks without a model: ") || o.Model != casefile.CodeChecks {
				t.Errorf("summary %q, model %q", o.Summary, o.Model)
			}
		})
	}
}

// An opinion holds any number of findings and says the same.
func TestManyFindings(t *testing.T) {
	var instructions, checks []string
	for i := range 64 {
		instructions = append(instructions, `"The result must contain \"a\" and be beautiful"`)
		checks = append(checks, fmt.Sprintf(`{"path":"/text","contains":"a%d"}`, i))
	}
	task := `{"instruction":[` + strings.Join(instructions, ",") + `],"output_schema":{"text":"string"},"expected":[` + strings.Join(checks, ",") + `]}`
	text := ""
	for i := range 64 {
		text += fmt.Sprintf("a%d ", i)
	}
	for _, c := range []struct {
		text string
		want voting.Choice
	}{{text, voting.Abstain}, {text[:100], voting.Reject}} {
		b := judgetest.Brief(t, judgetest.Papers{Task: task, Result: fmt.Sprintf(`{"text":%q}`, c.text), Objection: reason(strings.Repeat("It is ugly. ", 40))})
		o, err := judge.Shared.Evaluate(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Findings) > casefile.MaxFindings || voting.Choice(o.Choice) != c.want || judge.Decide(o.Findings) != c.want {
			t.Errorf("%d findings, %s, decided again %s", len(o.Findings), voting.Choice(o.Choice), judge.Decide(o.Findings))
		}
	}
}

func TestCodeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := judgetest.Brief(t, judgetest.Papers{Task: owls, Result: three})
	if _, err := judge.Shared.Evaluate(ctx, b); err == nil {
		t.Error("a judge that was stopped went on")
	}
}
