package judge

import (
	"fmt"
	"testing"

	"ojud/casefile"
	"ojud/voting"
)

// TestAttackOneUntrueSentence: the worker hands in garbage, and the objection says two things. One
// is untrue to the letter, so that code refutes it. The other is right, and stood where code did
// not look: in an exhibit, in words of the schema that no validator asserts, or at another place of
// the result. Code took every ground for refuted and paid. Now the right one stays open. The
// controls have nothing but the untrue one, and the worker is paid as before.
func TestAttackOneUntrueSentence(t *testing.T) {
	shot := []byte("a photo of the source from which it was copied")
	exhibit := func(content []byte) string {
		return fmt.Sprintf(`,"evidence":[{"name":"copied.txt","sha256":%q,"bytes":%d}]`, casefile.Digest(casefile.HashOf(content)), len(content))
	}
	const plain, said = `{"text":"string"}`, "The result does not match the schema."
	task := func(schema, expected string) string {
		return fmt.Sprintf(`{"instruction":["Write a German text about owls of your own."],"output_schema":%s,"expected":[%s]}`, schema, expected)
	}
	field := func(more string) string {
		return fmt.Sprintf(`{"type":"object","properties":{"text":{"type":"string"%s}},"required":["text"]}`, more)
	}
	const twoTexts, paris = `{"to":"string","text":"string"}`, "The result does not mention Paris."
	for name, c := range map[string]struct {
		task, result, reason, evidence string
		shown                          bool // the exhibit is here
		want                           voting.Choice
	}{
		"nothing else":                        {task(plain, ""), `{"text":"x"}`, said, "", false, voting.Accept},
		"an exhibit":                          {task(plain, ""), `{"text":"x"}`, said, exhibit(shot), true, voting.Abstain},
		"an exhibit that nobody shows":        {task(plain, ""), `{"text":"x"}`, said, exhibit(shot), false, voting.Accept},
		"a schema without words":              {task(field(`,"minLength":1`), ""), `{"text":"x"}`, said, "", false, voting.Accept},
		"a description in the schema":         {task(field(`,"description":"a German text about owls"`), ""), `{"text":"x"}`, said, "", false, voting.Abstain},
		"a title in the schema":               {task(field(`,"title":"German text"`), ""), `{"text":"x"}`, said, "", false, voting.Abstain},
		"a format that nobody asserts":        {task(field(`,"format":"german-text"`), ""), `{"text":"x"}`, said, "", false, voting.Abstain},
		"a keyword that nobody knows":         {task(field(`,"minWords":50`), ""), `{"text":"x"}`, said, "", false, voting.Abstain},
		"content of a type":                   {task(field(`,"contentMediaType":"text/markdown"`), ""), `{"text":"x"}`, said, "", false, voting.Abstain},
		"a field that is called description":  {task(`{"type":"object","properties":{"description":{"type":"string"}}}`, ""), `{"description":"x"}`, said, "", false, voting.Accept},
		"a value that is called description":  {task(`{"enum":[{"description":"x"}]}`, ""), `{"description":"x"}`, said, "", false, voting.Accept},
		"the word is at another place":        {task(twoTexts, `{"path":"/to","contains":"Paris"}`), `{"to":"Paris","text":"x"}`, paris, "", false, voting.Abstain},
		"the word is in all that there is":    {task(plain, `{"path":"/text","contains":"Paris"}`), `{"text":"I saw Paris."}`, paris, "", false, voting.Accept},
		"the word is demanded of every place": {task(twoTexts, `{"path":"/to","contains":"Paris"},{"path":"/text","contains":"Paris"}`), `{"to":"Paris","text":"I saw Paris."}`, paris, "", false, voting.Accept},
	} {
		b := dataBrief(t, c.task, c.result, NoSources{})
		b.Objection = paper(t, fmt.Appendf(nil, `{"reason":%q%s}`, c.reason, c.evidence), casefile.ParseObjection)
		if c.shown {
			b.Exhibits = map[voting.Hash][]byte{casefile.HashOf(shot): shot}
		}
		o, err := Shared.Evaluate(t.Context(), b)
		if err != nil || voting.Choice(o.Choice) != c.want || Decide(o.Findings) != c.want {
			t.Errorf("%s: %s, %v: %s", name, voting.Choice(o.Choice), err, told(o))
		}
	}
}
