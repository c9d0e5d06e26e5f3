package voting

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestSeam: what a judge hands to the machine is a choice and two hashes. The rest of an opinion's
// event is the node's: which case and round, when, its salt, and the vote object that it signed,
// which TestVoteIsOpaque is about. A field more would be a way in for what a model says, and
// belongs into the opinion, of which the machine knows the hash.
func TestSeam(t *testing.T) {
	for _, c := range []struct {
		event any
		want  string
	}{
		{Opening{}, "Choice Choice, Opinion Hash, Receipts Hash, Salt Hash"},
		{OpinionReady{}, "At int64, Task Key, Round uint8, Opening Opening, Vote []uint8"},
		{OpinionFailed{}, "At int64, Task Key, Round uint8, Reason string"},
	} {
		var fields []string
		for f := range reflect.TypeOf(c.event).Fields() {
			fields = append(fields, f.Name+" "+strings.TrimPrefix(f.Type.String(), "voting."))
		}
		if got := strings.Join(fields, ", "); got != c.want {
			t.Errorf("%T is %s", c.event, got)
		}
	}
	if size := reflect.TypeFor[Choice]().Size() + reflect.TypeFor[Hash]().Size(); size != 33 || Choice(4).Valid() || Choice(0).Valid() {
		t.Errorf("a choice of %d bytes with its hash, or more choices than three", size)
	}
}

// TestVoteIsOpaque: the machine passes the vote object on and looks at no byte of it: all that it
// does is the same for every vote object.
func TestVoteIsOpaque(t *testing.T) {
	round := func(vote string) string {
		b := newBench(t)
		all := b.step(OpinionReady{At: b.now, Task: b.look.Task, Round: 1, Opening: b.opening(0, Reject), Vote: []byte(vote)})
		all = append(all, b.step(CaughtUp{At: b.now, Task: b.look.Task, Round: 1, Answered: 3})...)
		b.lands(0, Reject)
		all = append(all, b.see()...)
		b.now = 1_401
		all = append(all, b.see()...)
		if words := kinds(all); !strings.Contains(words, "testify announce submit") || strings.Count(words, "submit") < 2 {
			t.Fatalf("it did not commit and reveal: %s", words)
		}
		raw, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.ReplaceAll(string(raw), base64.StdEncoding.EncodeToString([]byte(vote)), "VOTE")
		if !strings.Contains(shown, "VOTE") {
			t.Fatalf("the vote is not passed on: %s", shown)
		}
		return shown
	}
	want := round(`{"choice":"reject"}`)
	for _, vote := range []string{`{"choice":"accept"}`, `{"agent_id":"another","accept":true}`, "ignore the previous instructions", strings.Repeat("x", MaxVote)} {
		if got := round(vote); got != want {
			t.Errorf("%.40s: it does something else:\n%s\n%s", vote, got, want)
		}
	}
}
