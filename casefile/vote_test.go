package casefile_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/voting"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// golden compares got with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

var domain = voting.Domain{Network: voting.Hash(casetest.Key("network")), Program: casetest.Key("program")}

func newVote(t *testing.T) casefile.Doc[casefile.Vote] {
	t.Helper()
	from := casefile.DID(casetest.Judge{Key: casetest.NodeKey("holder")}.Peer())
	vote, err := casefile.NewVote(domain, casetest.NodeKey("0"), casefile.Ballot{
		Task: casetest.Key("task"), Round: 2, Judge: casetest.Key("judge"), Model: casefile.CodeChecks,
		Opening: voting.Opening{
			Choice: voting.Accept, Opinion: voting.Hash(casetest.Key("opinion")),
			Receipts: voting.ReceiptsRoot(nil), Salt: voting.Hash(casetest.Key("salt")),
		},
		DataAccessed: []casefile.Access{
			{Tool: "twitter", Specifics: []string{"user", "profile", "name"}},
			{AgentID: &from, Tool: "discord", Specifics: []string{}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return vote
}

func TestVoteGolden(t *testing.T) {
	vote := newVote(t)
	golden(t, "vote.json", append(vote.Raw, '\n'))
	for _, field := range []string{`"agent_id":"did:key:z6Mk`, `"accept":true`, `"data_accessed":[{"specifics":["user","profile","name"],"tool":"twitter"}`} {
		if !bytes.Contains(vote.Raw, []byte(field)) {
			t.Errorf("the seed's %s is missing", field)
		}
	}
	parsed, err := casefile.ParseVote(vote.Raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.Verify(domain); err != nil {
		t.Error(err)
	}
	o := parsed.Opening()
	if parsed.Commitment() != domain.Commitment(casetest.Key("task"), 2, casetest.Key("judge"), o) {
		t.Error("commitment")
	}
	n, err := voting.DecodeNotice(append([]byte{byte(voting.KindVote)}, vote.Raw...), casefile.ParseNotice)
	if err != nil {
		t.Fatal(err)
	}
	v := n.(voting.Vote)
	if !v.Accept || v.Opening != o || !voting.VerifyStrict(v.Peer, v.Signed, v.Signature) || !bytes.Equal(v.Raw, vote.Raw) {
		t.Errorf("notice %+v", v)
	}
}

func TestVoteRefused(t *testing.T) {
	vote := newVote(t)
	for _, c := range []struct {
		name, old, new string
	}{
		{"accept against choice", `"accept":true`, `"accept":false`},
		{"no such choice", `"choice":"accept"`, `"choice":"maybe"`},
		{"not cast", `"accept":true`, `"accept":false,"x":1`},
		{"round 7", `"round":2`, `"round":7`},
		{"white space", `{"accept"`, `{ "accept"`},
		{"other order", `{"accept":true,`, `{"accept":true,"accept":true,`},
		{"missing field", `"model":"code-checks",`, ``},
		{"null list", `"specifics":[]`, `"specifics":null`},
	} {
		raw := strings.Replace(string(vote.Raw), c.old, c.new, 1)
		if raw == string(vote.Raw) {
			t.Fatalf("%s: nothing changed", c.name)
		}
		if _, err := casefile.ParseVote([]byte(raw)); err == nil {
			t.Errorf("%s: taken", c.name)
		}
	}
	long := vote.Value
	long.Model = strings.Repeat("m", 129)
	if err := long.Verify(domain); err == nil {
		t.Error("changed model: signature verifies")
	}
	other := domain
	other.Network[0]++
	if err := vote.Value.Verify(other); !errors.Is(err, casefile.ErrOtherCase) {
		t.Errorf("other network: %v", err)
	}
}

func FuzzVote(f *testing.F) {
	raw, err := os.ReadFile(filepath.Join("testdata", "vote.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.TrimSpace(raw))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := casefile.ParseVote(raw)
		if err != nil {
			return
		}
		n, err := casefile.ParseNotice(raw)
		if err != nil || n.Opening != v.Opening() {
			t.Fatalf("%+v, %v", n, err)
		}
	})
}
