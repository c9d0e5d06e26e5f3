package cluster

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/node/cluster/hearing"
	"ojud/node/cluster/site"
	"ojud/test/longtest"
)

// TestAsker: a client that is not our code gets data from a real node over TCP. It uses the seat of
// a judge whose own node does not run. The holder's case file has the receipts that the client
// verified, and a forbidden or malformed request is refused. npm installs the client if it is
// missing. If that is not possible, the log says so, and in CI (environment variable CI is set) it
// is an error, because no other test speaks the protocol with foreign code.
func TestAsker(t *testing.T) {
	longtest.Only(t)
	if os.Getenv(noNode) == "1" {
		t.Logf("NOT RUN: %s=1, the client in JavaScript was not tried", noNode)
		return
	}
	t.Parallel()
	node, err := askerNode(t)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("the client in JavaScript is missing, and CI must try it (or set %s=1): %v", noNode, err)
	}
	if err != nil {
		t.Logf("NOT RUN: THE CLIENT IN JAVASCRIPT WAS NOT TRIED. Install Node.js 20 or later with npm, and let npm reach its registry: %v", err)
		return
	}
	t.Run("vectors", func(t *testing.T) {
		if _, err := runAsker(t, node, "check.mjs"); err != nil {
			t.Error(err)
		}
	})
	s := openScene(t, node)
	t.Run("data", s.data)
	t.Run("fields", s.fields)
	t.Run("refused", s.refused)
	t.Run("broken", s.broken)
	t.Run("case file", s.file)
}

// scene is a dispute with two judges in its first round that have no node. The client asks instead
// of them.
type scene struct {
	*play
	node     string // path of the node program
	good     *Member
	bad      *Member
	receipts []string // hashes of the receipts that the client verified
}

func openScene(t *testing.T, node string) *scene {
	t.Helper()
	cfg := testConfig(t)
	cfg.Story, cfg.Holders, cfg.Absent = StoryData, 1, 2
	c, _ := begin(t, cfg)
	p := &play{Cluster: c, record: hearing.New(), began: time.Now(), before: c.chain.Lamports()}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	for _, act := range []func(context.Context) error{p.cast, p.dispute} {
		if err := act(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	err := p.poll(t.Context(), 100*time.Millisecond, func() (bool, error) { // then the holder has committed and knows the round
		now, _, err := c.treasury.client.Case(t.Context(), p.task)
		return err == nil && int(now.Committed) == cfg.Nodes-cfg.Absent, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return &scene{play: p, node: node, good: c.members[5], bad: c.members[6]}
}

// got holds the output of client.mjs.
type got struct {
	Holder      casefile.DID
	Card        struct{ Name string }
	Access      []string
	Data        json.RawMessage
	Receipt     json.RawMessage
	ReceiptHash string `json:"receipt_hash"`

	Error, Kind, Performative string
}

// ask runs client.mjs with the node key of a judge, its seat and more options. The last option of a
// name wins.
func (s *scene) ask(t *testing.T, m *Member, more ...string) (g got) {
	t.Helper()
	args := append(s.options(t, m.Home.Keys.Identity.Ed25519().Seed(), m.Authority().String()), more...)
	out, err := runAsker(t, s.node, "client.mjs", args...)
	if failed := json.Unmarshal(out, &g); failed != nil {
		t.Fatalf("%v, %v: %s", failed, err, out)
	}
	if (err == nil) != (g.Error == "") {
		t.Errorf("%v, but it says %s", err, out)
	}
	return g
}

// options returns the options of a request that gets an answer.
func (s *scene) options(t *testing.T, seed []byte, judge string) []string {
	t.Helper()
	key := filepath.Join(t.TempDir(), "node.key")
	if err := os.WriteFile(key, []byte(hex.EncodeToString(seed)), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--network", s.chain.rpc + "/network.json", "--key", key, "--source", source, "--request", `{"id":"` + site.PostID + `"}`,
		"--case", s.task.String(), "--round", "1", "--judge", judge}
}

// holder returns the libp2p address of the one node that has the source.
func (s *scene) holder(t *testing.T) string {
	t.Helper()
	addrs, err := s.members[0].node.Addrs()
	if err != nil || len(addrs) == 0 {
		t.Fatal(addrs, err)
	}
	return addrs[0]
}

// check compares a receipt with the result of the node's own code.
func (s *scene) check(t *testing.T, g got, data string, access ...string) {
	t.Helper()
	r, err := casefile.ParseReceipt(g.Receipt)
	if err != nil {
		t.Fatal(err, g.Error)
	}
	hash, err := r.Hash()
	if err := errors.Join(err, r.Verify(s.treasury.domain())); err != nil {
		t.Fatal(err)
	}
	if g.Holder != casefile.DID(s.members[0].Home.Keys.Peer()) || string(g.Data) != data || g.ReceiptHash != hex.EncodeToString(hash[:]) ||
		!slices.Equal(r.Access, access) || r.Asker != casefile.DID(s.good.Home.Keys.Peer()) {
		t.Errorf("%+v", g)
	}
	s.receipts = append(s.receipts, g.ReceiptHash)
}

// data checks that the client needs only network.json to find the holder and its card.
func (s *scene) data(t *testing.T) {
	g := s.ask(t, s.good)
	s.check(t, g, `{"author":"worker","id":"`+site.PostID+`","text":"Osiris is live."}`)
	if g.Card.Name != source {
		t.Errorf("%+v", g)
	}
}

// fields checks that the answer has only the requested fields.
func (s *scene) fields(t *testing.T) {
	g := s.ask(t, s.good, "--to", s.holder(t), "--access", "text(m)", "--access", "/author", "--price-limit", "0")
	s.check(t, g, `{"author":"worker","text":"Osiris is live."}`, "/author", "text")
}

// refused checks that a forbidden request gets a fixed text, and that the client leaves a holder
// that does not give enough.
func (s *scene) refused(t *testing.T) {
	other := s.members[1].Authority().String()
	for name, c := range map[string]struct {
		more []string
		kind string
		text string
	}{
		"another's seat": {[]string{"--judge", other}, "Ended", "the peer is not the node of that judge"},
		"no seat":        {[]string{"--judge", s.creator.key.Address().String()}, "Ended", "that judge has no seat in that round"},
		"no such round":  {[]string{"--round", "2"}, "Ended", "the chain does not show that seat here yet"},
		"no authority":   {[]string{"--case", ""}, "Ended", ""},
		"no such source": {[]string{"--source", "site.likes"}, "Ended", "there is no such source"},
		"no promise":     {[]string{"--promise", "secrecy(m)"}, "NotEnough", "promise secrecy is mandatory"},
	} {
		t.Run(name, func(t *testing.T) {
			g := s.ask(t, s.good, append([]string{"--to", s.holder(t)}, c.more...)...)
			if g.Kind != c.kind || c.kind == "Ended" && g.Performative != "REFUSE" || !strings.Contains(g.Error, c.text) || g.Receipt != nil {
				t.Errorf("%+v", g)
			}
		})
	}
}

// broken checks that a malformed frame gets one answer, and ends the conversation.
func (s *scene) broken(t *testing.T) {
	args := append(s.options(t, s.bad.Home.Keys.Identity.Ed25519().Seed(), s.bad.Authority().String()), "--to", s.holder(t))
	out, err := runAsker(t, s.node, "break.mjs", args...)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for line := range bytes.Lines(out) {
		var a struct{ Misdeed, Performative, Error string }
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		want := "NOT-UNDERSTOOD"
		if a.Misdeed == "too late" {
			want = "FAILURE"
		}
		if tried++; a.Performative != want || a.Error == "" {
			t.Errorf("%s", line)
		}
	}
	if tried != 8 {
		t.Errorf("%d misdeeds", tried)
	}
}

// file checks that the court decides without the two, and that the case file has the answer for one
// of them.
func (s *scene) file(t *testing.T) {
	if err := s.await(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := s.report(t.Context())
	if err := s.play.file(t.Context(), &r); err != nil || !r.Verified {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		Events []casefile.Event `json:"events"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range s.receipts {
		if !slices.ContainsFunc(b.Events, func(e casefile.Event) bool { return testifies(t, e, want) }) {
			t.Errorf("the file lacks receipt %s", want)
		}
	}
}

// testifies reports whether an event is a holder's statement that it gave this receipt.
func testifies(t *testing.T, e casefile.Event, receipt string) bool {
	t.Helper()
	if e.Kind != casefile.KindReceipt {
		return false
	}
	var body casefile.ReceiptBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatal(err)
	}
	hash, err := body.Receipt.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(hash[:]) == receipt
}
