package agentdata

import (
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/pin"
)

// TestRule: data decides only if it was there when the work was done, or is what the task says it
// is. Otherwise it counts against its owner, or against nobody.
func TestRule(t *testing.T) {
	t.Parallel()
	creator, worker, other := casefile.Address{1}, casefile.Address{2}, casefile.Address{3}
	done := WorkOf(casefile.TaskTerms{Creator: creator, Worker: worker, ClaimedAt: 100, SubmittedAt: 200})
	brought := WorkOf(casefile.TaskTerms{Creator: creator, Worker: worker, Prepaid: true, SubmittedAt: 200})
	now := Reading{Data: casefile.Address{7}}.Fill([]byte("as it is"))
	then := Reading{}.Fill([]byte("as it was"))
	for name, c := range map[string]struct {
		work    Work
		owner   casefile.Address
		at      int64
		pin     casefile.Digest
		says    string
		against Side
		pleads  bool
	}{
		"the creator's, before the claim":         {done, creator, 99, casefile.Digest{}, "", Nobody, true},
		"the creator's, at the claim":             {done, creator, 100, casefile.Digest{}, "the creator, wrote it after the work was claimed", Creator, true},
		"the creator's, after the result":         {done, creator, 201, casefile.Digest{}, "the creator, wrote it after the work was claimed", Creator, true},
		"the creator's, as it is pinned":          {done, creator, 201, now.SHA256, "", Nobody, false},
		"the creator's, not as it is pinned":      {done, creator, 50, then.SHA256, "the creator, changed it: its bytes", Creator, true},
		"another's, before the claim":             {done, other, 99, casefile.Digest{}, "", Nobody, false},
		"another's, after the claim":              {done, other, 150, casefile.Digest{}, "its owner wrote it after the work was claimed", Nobody, true},
		"another's, not as it is pinned":          {done, other, 50, then.SHA256, "changed it", Nobody, true},
		"the worker's, with the result":           {done, worker, 200, casefile.Digest{}, "", Nobody, true},
		"the worker's, after the result":          {done, worker, 201, casefile.Digest{}, "the worker, wrote it after the result", Worker, true},
		"the worker's, not as pinned, all along":  {done, worker, 50, then.SHA256, "it was like this before the claim", Nobody, true},
		"the worker's, not as pinned, since then": {done, worker, 150, then.SHA256, "the worker, changed it", Worker, true},
		"the respondent's, since it was brought":  {brought, creator, 200, casefile.Digest{}, "after the work was claimed", Creator, true},
		"the claimant's, since it was brought":    {brought, worker, 201, casefile.Digest{}, "after the result", Worker, true},
		"the respondent's, as it was":             {brought, creator, 150, casefile.Digest{}, "", Nobody, true},
		"nobody knows when the work was done":     {Work{}, creator, 1 << 40, casefile.Digest{}, "", Nobody, false},
		"it is not as it is pinned, for nobody":   {Work{}, creator, 1 << 40, then.SHA256, "changed it", Nobody, true},
	} {
		r := now
		r.Owner, r.UpdatedAt = c.owner, c.at
		task := casefile.Task{PDA: []pin.Data{{Account: r.Data.String()}}}
		if c.pin != (casefile.Digest{}) {
			task.PDA[0].SHA256 = c.pin.String()
		}
		got := c.work.Rule(task, r)
		if !strings.Contains(got.Why, c.says) || (got.Why == "") != (c.says == "") || got.Against != c.against {
			t.Errorf("%s: %+v", name, got)
		}
		asked, err := request(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		if pleads := c.work.Claim(task, Source, asked, answer(t, r)); pleads != c.pleads {
			t.Errorf("%s: it is the word of a party: %t", name, pleads)
		}
	}
}

// TestAttackPrivateCheck: a creator's check reads the content of its own private data, which no
// judge can see, so that every result failed.
func TestAttackPrivateCheck(t *testing.T) {
	t.Parallel()
	creator, worker, other := casefile.Address{1}, casefile.Address{2}, casefile.Address{3}
	done, hidden := Work{creator, worker, 100, 200}, Reading{Data: casefile.Address{7}, Private: true}.Fill([]byte("secret"))
	asked, err := request(hidden.Data)
	if err != nil {
		t.Fatal(err)
	}
	for owner, against := range map[casefile.Address]Side{creator: Creator, worker: Worker, other: Nobody} {
		hidden.Owner = owner
		for path, open := range map[string]bool{"/text": true, "/value/owl": true, "/base64": true, "/sha256": false, "/textual": false} {
			got := done.Ruled(casefile.Task{}, path, Source, asked, answer(t, hidden))
			if (got.Why != "") != open || open && got.Against != against {
				t.Errorf("%s of %s: %+v", path, owner, got)
			}
		}
	}
	if got := done.Ruled(casefile.Task{}, "/text", "site.post", asked, answer(t, hidden)); got.Why != "" {
		t.Errorf("another source: %+v", got)
	}
	asked, err = request(other)
	if err != nil {
		t.Fatal(err)
	}
	if got := done.Ruled(casefile.Task{}, "/sha256", Source, asked, answer(t, hidden)); !strings.Contains(got.Why, "it is about the account") || got.Against != Nobody {
		t.Errorf("another account: %+v", got)
	}
}

// TestAttackKeptBytes: bytes that somebody kept say only what follows from them. A creator takes
// its data away, so that a check of its owner, its name or its time fails. And bytes that the task
// does not pin decide nothing, whoever shows them.
func TestAttackKeptBytes(t *testing.T) {
	t.Parallel()
	done := Work{casefile.Address{1}, casefile.Address{2}, 100, 200}
	kept := KeptOf(casefile.Address{7}, []byte(`{"owl":3}`))
	task := casefile.Task{PDA: []pin.Data{{Account: kept.Data.String(), SHA256: kept.SHA256.String()}}}
	asked, err := request(kept.Data)
	if err != nil {
		t.Fatal(err)
	}
	for path, decides := range map[string]bool{"/value/owl": true, "/text": true, "/sha256": true, "/bytes": true, "/owner": false, "/name": false, "/updated_at": false, "": false} {
		if got := done.Ruled(task, path, Source, asked, answer(t, kept)); (got.Why == "") != decides || got.Against != Nobody {
			t.Errorf("%q: %+v", path, got)
		}
	}
	if done.Claim(task, Source, asked, answer(t, kept)) {
		t.Error("a reader may not rest on them")
	}
	for name, other := range map[string]casefile.Task{"not pinned": {PDA: pda(kept.Data.String())}, "pinned otherwise": {PDA: []pin.Data{{Account: kept.Data.String(), SHA256: strings.Repeat("0", 64)}}}} {
		if got := done.Ruled(other, "/text", Source, asked, answer(t, kept)); got.Why == "" || got.Against != Nobody {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if hidden := KeptOf(kept.Data, []byte(PrivateMark+"secret")); !hidden.Private || hidden.Text != nil {
		t.Errorf("%+v", hidden)
	}
}
