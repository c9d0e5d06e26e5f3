package agents

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/transact"
)

// TestSheet: status has a row for each place where callers of other machines reach the agent.
func TestSheet(t *testing.T) {
	t.Parallel()
	v := host.Portrait{Agent: host.Agent{ID: "counter"}, Capabilities: []host.Capability{{Name: "words", Description: "Counts"}, {Name: "all"}}}
	for _, at := range append([]string{"agent://"}, (started{Public: "agent://z6Mk@HOST:4800" + anyOf, Libp2p: []string{"agent://12D3@1.2.3.4:4801" + anyOf}}).places()...) {
		for _, c := range v.Capabilities {
			v.Endpoints = append(v.Endpoints, strings.Replace(at+"/counter/"+c.Name, ":///", "://", 1))
		}
	}
	var b strings.Builder
	if err := sheet(v).Write(&b); err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(strings.Fields(b.String()), " ")
	if want := "reached at agent://z6Mk@HOST:4800/counter/CAPABILITY reached at agent://12D3@1.2.3.4:4801/counter/CAPABILITY capability agent://counter/words: Counts capability agent://counter/all"; !strings.Contains(shown, want) {
		t.Errorf("%s; want %s", shown, want)
	}
}

// TestCard: a card of an agent of a host can be signed by the key of the agent, has its
// capabilities as skills with their schemas, and says where it is.
func TestCard(t *testing.T) {
	t.Parallel()
	key, _, err := transact.LoadOrCreateKeypair(filepath.Join(t.TempDir(), "key.json"))
	if err != nil {
		t.Fatal(err)
	}
	v := host.Portrait{Agent: host.Agent{ID: "counter"}, Capabilities: []host.Capability{
		{Name: "words", Description: "Counts", Input: json.RawMessage(`{"type":"string"}`)}, {Name: "count.all"},
	}}
	at := "agent://z6Mk" + strings.Repeat("a", 44) + "@h.example:4800/counter"
	card, err := portray(v, at)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(card)
	if err == nil {
		raw, err = agentcard.Sign(raw, casefile.Address(key.Address()), func(m []byte) [64]byte { return key.Sign(m) })
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := agentcard.Parse(raw)
	if err != nil || s.Name != "counter" || len(s.Skills) != 2 || s.Interfaces[0].URL != at || !strings.Contains(string(raw), `"words":{"input":{"type":"string"}}`) {
		t.Errorf("%s, %v", raw, err)
	}
}
