package leaf_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/leaf"
	"ojud/voting"
)

// TestParse: what is written can be read, and an error names the field.
func TestParse(t *testing.T) {
	t.Parallel()
	want := leaf.Leaf{Batch: 1, Index: 2, Answer: casefile.Choice(voting.Reject), At: 3, Applied: &leaf.Applied{Taken: 4, Paid: 5, Fee: 6, At: 7, Seats: []leaf.Moved{{Slashed: 8}}}}
	raw, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := leaf.Parse(raw)
	if err != nil || got.Applied == nil || got.Applied.Seats[0] != want.Applied.Seats[0] || got.Batch != 1 || got.Applied.Fee != 6 {
		t.Errorf("%+v, %v", got, err)
	}
	many := strings.Repeat(`{"slashed":"0","earned":"0"},`, 2*voting.MaxSeats)
	for says, change := range map[string][2]string{
		"answer": {`"answer":"reject"`, `"answer":"abstain"`},
		"seed":   {`"seed":"00`, `"seed":"0g`},
		"seats":  {`"seats":[`, `"seats":[` + many},
		"fee":    {`"fee":"6",`, ``},
		"spare":  {`"index":2`, `"index":2,"spare":1`},
		"bytes":  {`"seats":[`, `"seats":[` + strings.Repeat(many, 20)},
	} {
		bad := strings.Replace(string(raw), change[0], change[1], 1)
		if _, err := leaf.Parse(json.RawMessage(bad)); bad == string(raw) || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	raw, err := leaf.Leaf{Answer: casefile.Choice(voting.Accept), Applied: &leaf.Applied{Seats: []leaf.Moved{{}}}}.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(raw))
	f.Add([]byte(`{"batch":1}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		canonical, err := canon.JSON(in, 1<<20)
		if err != nil {
			return // a bundle is canonical before its parts are read
		}
		l, err := leaf.Parse(canonical)
		if err != nil {
			return
		}
		out, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := leaf.Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := again.Encode(); err != nil || !bytes.Equal(out, second) {
			t.Errorf("%s, %v", second, err)
		}
	})
}
