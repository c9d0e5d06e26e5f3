package cluster

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ojud/casefile"
)

// evidenceOf sums up a case file: how many votes name data, of how many receipts the requests have, and what Verify notes.
func evidenceOf(t *testing.T, file string) (votes, receipts int, notes string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		Events []casefile.Event `json:"events"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.Events {
		switch e.Kind {
		case casefile.KindVote:
			var v casefile.VoteBody
			if err := json.Unmarshal(e.Body, &v); err != nil {
				t.Fatal(err)
			}
			if len(v.Vote.DataAccessed) > 0 && v.Vote.DataAccessed[0].Tool == source {
				votes++
			}
		case casefile.KindData:
			var d casefile.DataBody
			if err := json.Unmarshal(e.Body, &d); err != nil {
				t.Fatal(err)
			}
			receipts += len(d.Receipts)
		}
	}
	r := casefile.Verify(raw)
	return votes, receipts, r.String()
}

// TestDataStory: two of seven judges have access to a site that really runs; all vote on what it says, with receipts. A third who
// lies changes nothing but that the file says so. (Without any, all abstain: TestDataUnavailable of package node.)
func TestDataStory(t *testing.T) {
	for name, c := range map[string]struct {
		holders, lying int
		verdict        string
		votes          int
		least          int // receipts
		note           string
	}{
		"two holders":   {2, 0, "accept", 7, 14, ""},
		"one more lies": {2, 1, "accept", 7, 14, "contradict each other about site.post"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t)
			cfg.Story, cfg.Holders, cfg.Lying = StoryData, c.holders, c.lying
			cluster, _ := begin(t, cfg)
			r := playOn(t, cluster)
			votes, receipts, notes := evidenceOf(t, r.File)
			if r.Verdict != c.verdict || votes != c.votes || receipts < c.least || !strings.Contains(notes, c.note) {
				t.Errorf("%s, %d votes with data, %d receipts\n%s", r.Verdict, votes, receipts, notes)
			}
		})
	}
}
