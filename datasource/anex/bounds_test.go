package anex_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/datasource/anex"
)

// flood is the messages of an endless peer to a holder, and the bound that ends them.
type flood struct {
	name    string
	change  func(*anex.Config)
	bound   bool // there is agreement first
	raw     func(i int) string
	want    string // part of the error
	most    int    // frames until it ends
	decided anex.Event
}

func message(act anex.Performative, protocol anex.Protocol, content string) string {
	return fmt.Sprintf(`{"performative":%q,"sender":"AgentA","receiver":"AgentB","content":%s,"language":"JSON","ontology":"ANEX-Ontology","protocol":%q}`,
		act, content, protocol)
}

const aCall = `{"request":{"identity":"i","owner":"","relation":"","request_type":"t","access":[],"promise":[]}}`

// greeting brings a holder to the point where it takes a CFP.
func greeting(t *testing.T, cfg anex.Config) *anex.Holder {
	t.Helper()
	cfg.Self = "AgentB"
	h, err := anex.NewHolder(cfg, began)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []anex.Event{
		anex.Received{At: began, Raw: []byte(message(anex.ActRequest, anex.Handshaking, `{"message":"[PA*]"}`))},
		anex.Received{At: began, Raw: []byte(message(anex.ActRequest, anex.Handshaking, `{"request":"?"}`))},
		anex.EngagementDecided{At: began, Answer: anex.Agreeing},
	} {
		if _, err := h.Step(e); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// agreement goes on to the point where the holder takes data REQUESTs.
func agreement(t *testing.T, h *anex.Holder) {
	t.Helper()
	terms := anex.Terms{Asker: "AgentA", Holder: "AgentB", Call: anex.Call{Identity: "i", RequestType: "t"}, Grant: anex.Proposal{Access: []string{"*"}}}
	for _, e := range []anex.Event{
		anex.Received{At: began, Raw: []byte(message(anex.ActCFP, anex.ContractNet, aCall))},
		anex.AuthorityDecided{At: began, Allowed: true},
		anex.TermsDecided{At: began, Offer: &anex.Offer{Access: []string{"*"}}},
		anex.Received{At: began, Raw: []byte(message(anex.ActAcceptProposal, anex.ContractNet, fmt.Sprintf(`{"response":"","terms":%q}`, terms.Hash())))},
	} {
		if _, err := h.Step(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFloods(t *testing.T) {
	tell := func(int) string {
		return message(anex.ActInform, anex.DataExchange, `{"x":"`+strings.Repeat("y", 32<<10)+`"}`)
	}
	floods := []flood{
		{"messages", func(c *anex.Config) { c.MaxMessages = 20 }, true, tell, "21 messages", 17, nil},
		{"bytes", func(c *anex.Config) { c.MaxBytes = 100 << 10 }, true, tell, "messages of 1", 4, nil},
		{"unanswered", func(c *anex.Config) { c.MaxRequests = 2 }, true, func(int) string {
			return message(anex.ActRequest, anex.DataExchange, `{"data_source":"s","request":{}}`)
		}, "10 not yet answered", 12, nil},
		{"data requests", func(c *anex.Config) { c.MaxRequests = 2 }, true, func(int) string {
			return message(anex.ActRequest, anex.DataExchange, `{"data_source":"s","request":{}}`)
		}, "data request 3", 3, anex.FetchFailed{At: began}},
		{"CFPs", func(c *anex.Config) { c.MaxBids = 2 }, false, func(i int) string {
			if i%2 == 0 {
				return message(anex.ActCFP, anex.ContractNet, aCall)
			}
			return message(anex.ActRejectProposal, anex.ContractNet, `{"response":"no"}`)
		}, "CFP 3", 5, anex.TermsDecided{At: began, Offer: &anex.Offer{Access: []string{"*"}}}},
		{"queries", func(c *anex.Config) { c.MaxQueries = 2 }, false, func(int) string {
			return message(anex.ActQueryIf, anex.Handshaking, `{"query":"?"}`)
		}, "query 3", 3, anex.QueryDecided{At: began}},
	}
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) { f.run(t) })
	}
}

func (f flood) run(t *testing.T) {
	cfg := anex.DefaultConfig()
	f.change(&cfg)
	h := greeting(t, cfg)
	if f.bound {
		agreement(t, h)
	}
	for i := range f.most + 1 {
		effects, err := h.Step(anex.Received{At: began, Raw: []byte(f.raw(i))})
		for len(effects) > 0 && f.decided != nil && err == nil { // answer every question
			last := effects[len(effects)-1]
			if ended, ok := last.(anex.Ended); ok {
				f.check(t, i, ended)
				return
			}
			if _, question := last.(anex.AskAuthority); question {
				effects, err = h.Step(anex.AuthorityDecided{At: began, Allowed: true})
				continue
			}
			if _, sent := last.(anex.Send); sent {
				break
			}
			effects, err = h.Step(f.decided)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := len(effects); n > 0 {
			if ended, ok := effects[n-1].(anex.Ended); ok {
				f.check(t, i, ended)
				return
			}
		}
	}
	t.Fatal("no end")
}

func (f flood) check(t *testing.T, i int, e anex.Ended) {
	t.Helper()
	if !errors.Is(e.Err, anex.ErrFlood) || e.Fault != anex.Theirs || !strings.Contains(e.Err.Error(), f.want) || i+1 != f.most {
		t.Errorf("after %d: %s", i+1, e)
	}
}

// TestHolderTakesNothingLong: 64 KiB are enough for every message to a holder.
func TestHolderTakesNothingLong(t *testing.T) {
	h := greeting(t, anex.DefaultConfig())
	agreement(t, h)
	raw := message(anex.ActInform, anex.DataExchange, `{"x":"`+strings.Repeat("y", 64<<10)+`"}`)
	effects, err := h.Step(anex.Received{At: began, Raw: []byte(raw)})
	if err != nil || len(effects) != 2 || !errors.Is(effects[1].(anex.Ended).Err, anex.ErrTooLarge) {
		t.Errorf("%v %v", effects, err)
	}
}

// TestNewModifications: a holder that always wants another modification.
func TestNewModifications(t *testing.T) {
	a := newAsker(t)
	if _, err := a.Step(anex.Start{At: began, Introduction: anex.Marker, Engagement: anex.Engagement{Request: "?"},
		Call: anex.Call{Identity: "i", RequestType: "t"}}); err != nil {
		t.Fatal(err)
	}
	raw := strings.NewReplacer(`"sender":"AgentA","receiver":"AgentB"`, `"sender":"AgentB","receiver":"AgentA"`).Replace(
		message(anex.ActPropose, anex.Handshaking, `{"modification":"more"}`))
	for i := 1; ; i++ {
		effects, err := a.Step(anex.Received{At: began, Raw: []byte(raw)})
		if err != nil {
			t.Fatal(err)
		}
		if ended, ok := effects[len(effects)-1].(anex.Ended); ok {
			if i != 3 || !errors.Is(ended.Err, anex.ErrFlood) || ended.Fault != anex.Theirs {
				t.Errorf("after %d: %s", i, ended)
			}
			return
		}
		if _, err := a.Step(anex.ModificationDecided{At: began, Again: &anex.Engagement{Request: "?"}}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLargestAnswer: an answer with the largest data goes from a source to an asker. One byte more
// is refused here.
func TestLargestAnswer(t *testing.T) {
	h := greeting(t, anex.DefaultConfig())
	agreement(t, h)
	raw := []byte(message(anex.ActRequest, anex.DataExchange, `{"data_source":"s","request":{}}`))
	if _, err := h.Step(anex.Received{At: began, Raw: raw}); err != nil {
		t.Fatal(err)
	}
	for _, tooMuch := range []string{`"` + strings.Repeat("x", anex.MaxData-1) + `"`, "[" + strings.Repeat("1,", 245_760) + "1]",
		strings.Repeat("[", 63) + strings.Repeat("]", 63), "{", ""} {
		if _, err := h.Step(anex.Fetched{At: began, Data: []byte(tooMuch)}); !errors.Is(err, anex.ErrOwn) {
			t.Errorf("%d bytes %.10q: %v", len(tooMuch), tooMuch, err)
		}
	}
	for _, most := range []string{"[" + strings.Repeat("1,", 245_757) + "1]", `"` + strings.Repeat("x", anex.MaxData-2) + `"`} {
		if _, err := h.Step(anex.Fetched{At: began, Data: []byte(most)}); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"[]", "", `{"x":"` + strings.Repeat("y", anex.MaxReceipt) + `"}`} {
			if _, err := h.Step(anex.ReceiptMade{At: began, Receipt: []byte(bad)}); !errors.Is(err, anex.ErrOwn) {
				t.Errorf("receipt %.20q: %v", bad, err)
			}
		}
		receipt := `{ "x": [` + strings.Repeat("1, ", 5400) + `1] }`
		effects, err := h.Step(anex.ReceiptMade{At: began, Receipt: []byte(receipt)})
		if err != nil || len(effects) != 1 {
			t.Fatal(effects, err)
		}
		if _, err := anex.Parse(effects[0].(anex.Send).Raw); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Step(anex.Received{At: began, Raw: raw}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnswerTooLong: a holder sends too much data in a message that is not too long itself.
func TestAnswerTooLong(t *testing.T) {
	for name, content := range map[string]string{
		"data":    `{"data":"` + strings.Repeat("x", anex.MaxData-1) + `","receipt":{}}`,
		"receipt": `{"data":1,"receipt":{"x":"` + strings.Repeat("x", anex.MaxReceipt) + `"}}`,
		"more":    `{"data":1,"receipt":{},"x":1}`,
	} {
		s := newStage()
		for _, line := range []string{"start access=* ask=`s:{}`", "agree", "authority yes", "offer access=*", "accept"} {
			if _, err := s.run(line); err != nil {
				t.Fatal(err)
			}
		}
		raw := strings.Replace(message(anex.ActInform, anex.DataExchange, content), `"sender":"AgentA","receiver":"AgentB"`, `"sender":"AgentB","receiver":"AgentA"`, 1)
		effects, err := s.asker.Step(anex.Received{At: began, Raw: []byte(raw)})
		if err != nil || len(effects) != 2 || !errors.Is(effects[1].(anex.Ended).Err, anex.ErrMalformed) {
			t.Errorf("%s: %.200v %v", name, effects, err)
		}
	}
}

// TestTimeUpTooEarly: a timer that fires before its time does nothing.
func TestTimeUpTooEarly(t *testing.T) {
	h := greeting(t, anex.DefaultConfig())
	at, ok := h.Next()
	if effects, err := h.Step(anex.TimeUp{At: at - 1}); !ok || err != nil || len(effects) != 0 {
		t.Errorf("%v %v", effects, err)
	}
	if effects, err := h.Step(anex.TimeUp{At: at}); err != nil || len(effects) != 1 {
		t.Errorf("%v %v", effects, err)
	}
	if _, ok := h.Next(); ok {
		t.Error("it waits after its end")
	}
	if effects, err := h.Step(anex.Hangup{At: at}); err != nil || effects != nil {
		t.Errorf("what was on its way at the end: %v %v", effects, err)
	}
	if _, err := h.Step(anex.Stop{At: at}); !errors.Is(err, anex.ErrEnded) {
		t.Errorf("stopped after the end: %v", err)
	}
}
