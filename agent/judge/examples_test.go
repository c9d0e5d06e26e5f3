package judge_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/casefile"
	"ojud/casefile/sealed"
	"ojud/voting"
)

// The examples end as their READMEs say.
func TestExamples(t *testing.T) {
	for _, c := range []struct {
		folder, result, objection string
		want                      voting.Choice
	}{
		{"eleptiger", "good", "untrue.objection", voting.Accept},
		{"eleptiger", "good", "likeness.objection", voting.Abstain},
		{"eleptiger", "bad", "likeness.objection", voting.Abstain},
		{"alan-walker", "good", "objection", voting.Accept},
		{"alan-walker", "bad", "objection", voting.Reject},
		{"median", "good", "objection", voting.Accept},
		{"median", "bad", "objection", voting.Reject},
		{"invoices", "good", "objection", voting.Accept},
		{"invoices", "bad", "objection", voting.Reject},
		{"report", "good", "objection", voting.Accept},
		{"report", "bad", "objection", voting.Reject},
		{"thumbnail", "good", "objection", voting.Accept},
		{"thumbnail", "bad", "objection", voting.Reject},
		{"translation", "good", "objection", voting.Accept},
		{"translation", "bad", "objection", voting.Reject},
		{"judges", "doubtful", "quality.objection", voting.Abstain},
	} {
		t.Run(c.folder+" "+c.result+" "+c.objection, func(t *testing.T) {
			read := func(name string) string {
				raw, err := os.ReadFile(filepath.Join("..", "..", "examples", c.folder, name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			task := c.folder + ".task"
			if c.folder == "judges" {
				task = "../alan-walker/alan-walker.task"
			}
			b := judgetest.Brief(t, judgetest.Papers{
				Task: read(task), Result: read(c.result + ".result"), Objection: read(c.objection), Counter: read("counter"),
			})
			for name, err := range map[string]error{"task": b.Task.Err, "result": b.Result.Err, "objection": b.Objection.Err, "counter": b.Counter.Err} {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			o, err := judge.Shared.Evaluate(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			if voting.Choice(o.Choice) != c.want {
				t.Errorf("%s, want %s: %s", voting.Choice(o.Choice), c.want, o.Summary)
			}
			t.Log(o.Summary)
		})
	}
}

// explorer answers about transactions as a source of the kind "solana" does.
type explorer map[string]string

func (e explorer) Ask(_ context.Context, r judge.Request) ([]judge.Answer, error) {
	for signature, answer := range e {
		if strings.Contains(string(r.Request), signature) {
			return []judge.Answer{{Content: []byte(answer), Receipt: voting.Hash{1}, Standing: casefile.StakedHolder, Weight: 1}}, nil
		}
	}
	return nil, judge.ErrBadRequest
}

// TestPayment: the source decides whether the supplier was paid.
func TestPayment(t *testing.T) {
	shown := func(after, memo string) string {
		return `{"exists":true,"error":null,"time":1795900000,"accounts":["4Nd1mYxJx2bqE4M1WQh6wC3yq9Nn2v5c8oZB1rLq7uTK","9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],` +
			`"balances_before":["900000000","5"],"balances_after":["649995000","` + after + `"],"logs":["Program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr invoke [1]",` +
			`"Program log: Memo (len 7): \"` + memo + `\"","Program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr success"]}`
	}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("..", "..", "examples", "payment", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for result, want := range map[string]voting.Choice{"good.result": voting.Accept, "bad.result": voting.Reject} {
		b := judgetest.Brief(t, judgetest.Papers{Task: read("payment.task"), Result: read(result), Objection: read("objection"), Counter: read("counter")})
		b.Evidence = explorer{"2id3YC2jK9G5Wo2phDx4": shown("250000005", "INV-107"), "3Bxs4h24hBtQy9rw4Sqa": shown("205000005", "INV-107")}
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil || voting.Choice(o.Choice) != want {
			t.Errorf("%s: %s, want %s: %s, %v", result, voting.Choice(o.Choice), want, o.Summary, err)
		}
	}
}

// Every file parses as the type that its name says. The eleptiger is the seed's own task, field for
// field.
func TestExamplesParse(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "*.json"))
	if err != nil || len(files) < 11 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Base(filepath.Dir(file)) {
		case "parcel", "agent":
			continue // papers of another program's dispute, and a card; node/dispute and cmd/ojud test them
		}
		switch base := filepath.Base(file); {
		case strings.HasSuffix(base, "task.json"):
			doc, bad := casefile.ParseTask(raw)
			if err = bad; strings.HasPrefix(base, "eleptiger") && string(doc.Raw) != seedCanonical {
				t.Errorf("%s is not the seed's task: %s", file, doc.Raw)
			}
		case strings.HasSuffix(base, "result.json"):
			_, err = casefile.ParseResult(raw)
		case strings.HasSuffix(base, "objection.json"):
			_, err = casefile.ParseObjection(raw)
		case strings.HasSuffix(base, "check.json"): // to be sealed
			var k casefile.Check
			if err = json.Unmarshal(raw, &k); err == nil {
				_, _, err = sealed.Seal(k, [32]byte{})
			}
		case base == "counter.json":
			_, err = casefile.ParseCounterObjection(raw)
		default:
			t.Errorf("%s: unknown kind of example", file)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// seedCanonical is the example task of seed 000 in canonical form.
const seedCanonical = `{"input_data":[{"eleptiger":"eleptiger is a fusion of elephant + tiger"}],"instruction":["You should make a ASCII drawing of eleptiger"],"output_schema":{"ascii_painting":"string"},"pda":["PDA_ADDRESS"]}`
