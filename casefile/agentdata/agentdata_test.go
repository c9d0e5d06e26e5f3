package agentdata

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/pin"
	"ojud/voting"
)

func answer(t testing.TB, a Reading) []byte {
	t.Helper()
	raw, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestReading: public content is there as text, as a value or as base64, with the hash of the
// account. Private content is not there.
func TestReading(t *testing.T) {
	t.Parallel()
	head := Reading{Data: casefile.Address{1}, Owner: casefile.Address{2}, Name: "prices", UpdatedAt: 5}
	for content, want := range map[string]string{
		`{"owl": 3}`: `"value":{"owl":3}`, "plain words": `"text":"plain words"`, "\xff\x00": `"base64":"/wA="`, "": `"text":""`, `{"n":1e999}`: `"text"`,
	} {
		raw := answer(t, head.Fill([]byte(content)))
		a, err := ParseReading(raw, head.Data)
		if err != nil || a.SHA256 != casefile.Digest(casefile.HashOf([]byte(content))) || a.Bytes != len(content) || !strings.Contains(string(raw), want) {
			t.Errorf("%q: %s, %v", content, raw, err)
		}
	}
	hidden := head
	hidden.Private = true
	if raw := answer(t, hidden.Fill([]byte("secret"))); strings.Contains(string(raw), "text") {
		t.Errorf("%s", raw)
	}
	largest := answer(t, head.Fill([]byte(strings.Repeat("\x01", 9216))))
	if _, err := ParseReading(largest, head.Data); err != nil {
		t.Error(err)
	}
}

// TestAttackReading: an answer whose content, value or size is not that of its hash is found out,
// and so is a true one about another account than was asked for.
func TestAttackReading(t *testing.T) {
	t.Parallel()
	good := Reading{Name: "prices"}.Fill([]byte(`{"owl":3}`))
	other := "other"
	for name, spoil := range map[string]func(*Reading){
		"other text":      func(a *Reading) { a.Text = &other },
		"other value":     func(a *Reading) { a.Value = json.RawMessage(`{"owl":4}`) },
		"no value":        func(a *Reading) { a.Value = nil },
		"no content":      func(a *Reading) { a.Text = nil },
		"two contents":    func(a *Reading) { a.Base64 = &other },
		"other hash":      func(a *Reading) { a.SHA256[0]++ },
		"other size":      func(a *Reading) { a.Bytes++ },
		"private content": func(a *Reading) { a.Private = true },
		"another account": func(a *Reading) { a.Data[0]++ },
		"text as base64":  func(a *Reading) { b := base64.StdEncoding.EncodeToString([]byte(*a.Text)); a.Base64, a.Text = &b, nil },
	} {
		a := good
		spoil(&a)
		if _, err := ParseReading(answer(t, a), good.Data); !errors.Is(err, errAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseReading(answer(t, good), good.Data); err != nil {
		t.Errorf("control: %v", err)
	}
}

func pda(accounts ...string) (out []pin.Data) {
	for _, a := range accounts {
		out = append(out, pin.Data{Account: a})
	}
	return out
}

// TestFindings: a judge reads each account once and at most eight, and says what it could not read.
func TestFindings(t *testing.T) {
	t.Parallel()
	address := func(n byte) string { return casefile.Address{n}.String() }
	task := casefile.Task{PDA: pda("PDA_ADDRESS", address(1), address(1), address(2), address(3), address(4)), DataSources: []string{"a"}}
	if got := Sources(task); !slices.Equal(got, []string{"a", Source}) {
		t.Error(got)
	}
	asked := 0
	ask := func(raw []byte) ([]byte, voting.Hash, error) {
		asked++
		at, err := ParseQuery(raw)
		if err != nil {
			t.Fatal(err)
		}
		a := Reading{Data: at, Name: "prices", Private: at[0] == 2}.Fill([]byte("3"))
		if at[0] == 3 {
			return nil, voting.Hash{}, errors.New("no such data")
		}
		if at[0] == 4 {
			a.Bytes++
		}
		return answer(t, a), voting.Hash{9}, nil
	}
	out := Findings(task, Work{}, "note/", ask)
	if asked != 4 || len(out) != 4 || out[0].Outcome != casefile.Pass || !strings.Contains(out[0].Detail, "1 bytes, sha256") || len(out[0].Evidence) != 2 {
		t.Fatalf("%d, %+v", asked, out)
	}
	for i, want := range []string{"is private", "no such data", "not what its hash says"} {
		if f := out[i+1]; f.Outcome != casefile.Unknown || !strings.Contains(f.Detail, want) {
			t.Errorf("%+v lacks %q", f, want)
		}
	}
	task.PDA = nil
	if got := Sources(task); !slices.Equal(got, []string{"a"}) || Findings(task, Work{}, "note/", ask) != nil {
		t.Error(got)
	}
	for n := range byte(20) {
		task.PDA = append(task.PDA, pin.Data{Account: address(n)})
	}
	if out := Findings(task, Work{}, "note/", ask); len(out) != maxRead+1 || !strings.Contains(out[maxRead].Detail, "more data") {
		t.Errorf("%+v", out)
	}
}

// FuzzReading: no answer that is taken has content with another hash.
func FuzzReading(f *testing.F) {
	f.Add(answer(f, Reading{Name: "prices"}.Fill([]byte(`{"owl":3}`))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if at, err := ParseQuery(raw); err == nil {
			if again, err := request(at); err != nil || len(again) > maxRequest {
				t.Errorf("%s: %v", again, err)
			}
		}
		if asked, err := request(casefile.Address{}); err != nil {
			t.Fatal(err)
		} else if _, ok, _ := reading(Source, asked, raw); !ok {
			t.Error("another source")
		}
		a, err := ParseReading(raw, casefile.Address{})
		if err == nil && a.Text != nil && casefile.Digest(casefile.HashOf([]byte(*a.Text))) != a.SHA256 {
			t.Errorf("%s", raw)
		}
	})
}
