package anex_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ojud/datasource/anex"
	"ojud/test/longtest"
)

// machine has the common methods of Asker and Holder.
type machine interface {
	Step(anex.Event) ([]anex.Effect, error)
	Next() (int64, bool)
}

// side is one party of a simulated conversation, with its history.
type side struct {
	name     string
	machine  machine
	r        *rand.Rand
	question anex.Effect // open
	received int
	sent     int
	sentData int
	bid      anex.Call // asker: the latest call
	agreed   *anex.Terms
	data     int // delivered
	failed   int
	ended    *anex.Ended
	fault    string // an invariant that was broken
	friendly bool   // decides so that there will be data
}

// sim is two sides and the frames on their way between them.
type sim struct {
	now    int64
	cfg    anex.Config
	a, b   *side
	toA    [][]byte
	toB    [][]byte
	asked  int                                         // data requests of the asker
	mangle func(*rand.Rand, [][]byte, []byte) [][]byte // how a hostile network changes a frame; nil is honest
	victim *side                                       // whose incoming frames are mangled
}

func newSim(t testing.TB, r *rand.Rand, friendly bool) *sim {
	t.Helper()
	cfg := anex.DefaultConfig()
	cfg.MaxMessages, cfg.MaxRequests = 40, 1+r.IntN(5)
	cfg.MaxBytes = 1 << 20
	s := &sim{now: began, cfg: cfg}
	cfg.Self, cfg.Peer = "AgentA", "AgentB"
	a, err := anex.NewAsker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Self, cfg.Peer = "AgentB", []string{"", "AgentA"}[r.IntN(2)]
	b, err := anex.NewHolder(cfg, s.now)
	if err != nil {
		t.Fatal(err)
	}
	s.a = &side{name: "A", machine: a, r: r, friendly: friendly}
	s.b = &side{name: "B", machine: b, r: r, friendly: friendly}
	return s
}

func (s *sim) start(r *rand.Rand) {
	call := someCall(r)
	if s.a.friendly {
		call.PriceLimit = nil
	}
	s.asked = r.IntN(s.cfg.MaxRequests + 1)
	reqs := []anex.DataRequest{}
	for i := range s.asked {
		reqs = append(reqs, anex.DataRequest{DataSource: "s", Request: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))})
	}
	s.a.bid = call
	s.step(s.a, anex.Start{At: s.now, Conversation: []string{"", "c-1"}[r.IntN(2)], Introduction: "I am " + anex.Marker,
		Engagement: anex.Engagement{Request: "Ok?"}, Call: call, Requests: reqs, Pipeline: r.IntN(2) == 0})
}

// step steps one side and checks all its effects.
func (s *sim) step(who *side, e anex.Event) {
	effects, err := who.machine.Step(e)
	if err != nil {
		who.fault = fmt.Sprintf("%T refused: %v", e, err)
		return
	}
	for _, effect := range effects {
		if who.ended != nil {
			who.fault = "an effect after the end: " + effect.String()
		}
		s.effect(who, effect)
	}
}

func (s *sim) effect(who *side, effect anex.Effect) {
	switch effect := effect.(type) {
	case anex.Send:
		who.sent++
		s.sent(who, effect)
		s.carry(who, effect.Raw)
	case anex.Agreed:
		who.agreed = &effect.Terms
		if err := anex.CheckProposal(effect.Terms.Call, effect.Terms.Grant); err != nil && who == s.a {
			who.fault = "agreed to " + err.Error()
		}
	case anex.Deliver:
		who.data++
		if _, lost, err := anex.Cut(effect.Data, effect.Terms.Grant.Access); lost || err != nil || who.agreed == nil {
			who.fault = fmt.Sprintf("delivered %s under %q", effect.Data, effect.Terms.Grant.Access)
		}
	case anex.Failed:
		who.failed++
	case anex.Told:
	case anex.Ended:
		who.ended, who.question = &effect, nil
	default:
		if who.question != nil {
			who.fault = fmt.Sprintf("two questions: %s, %s", who.question, effect)
		}
		who.question = effect
	}
}

// sent checks a message against the rules for the sender.
func (s *sim) sent(who *side, e anex.Send) {
	m, err := anex.Parse(e.Raw)
	if err != nil {
		who.fault = fmt.Sprintf("sent %s: %v", e.Raw, err)
		return
	}
	if m.Performative != anex.ActInform || m.Protocol == anex.Termination || who != s.b || !strings.HasPrefix(string(m.Content), `{ "data"`) {
		return
	}
	who.sentData++
	var content struct{ Data json.RawMessage }
	if err := json.Unmarshal(m.Content, &content); err != nil || who.agreed == nil {
		who.fault = fmt.Sprintf("data without agreement: %s, %v", m.Content, err)
		return
	}
	if _, lost, err := anex.Cut(content.Data, who.agreed.Grant.Access); lost || err != nil {
		who.fault = fmt.Sprintf("sent %s under %q", content.Data, who.agreed.Grant.Access)
	}
}

// carry puts a frame on its way.
func (s *sim) carry(from *side, raw []byte) {
	to, wire := s.b, &s.toB
	if from == s.b {
		to, wire = s.a, &s.toA
	}
	if s.mangle != nil && to == s.victim {
		*wire = s.mangle(from.r, *wire, raw)
		return
	}
	*wire = append(*wire, raw)
}

// run goes on until both have ended, or the honest one has, for at most so many steps.
func (s *sim) run(r *rand.Rand, most int) {
	for range most {
		if s.a.ended != nil && s.b.ended != nil {
			return
		}
		switch {
		case len(s.toA) > 0 && r.IntN(2) == 0:
			s.deliver(s.a, &s.toA)
		case len(s.toB) > 0 && r.IntN(2) == 0:
			s.deliver(s.b, &s.toB)
		case s.a.question != nil && r.IntN(2) == 0:
			s.decide(r, s.a)
		case s.b.question != nil && r.IntN(2) == 0:
			s.decide(r, s.b)
		case len(s.toA)+len(s.toB) == 0 && s.a.question == nil && s.b.question == nil:
			s.wake()
		default:
			s.now += int64(r.IntN(300))
		}
	}
}

func (s *sim) deliver(to *side, wire *[][]byte) {
	raw := (*wire)[0]
	*wire = (*wire)[1:]
	to.received++
	s.step(to, anex.Received{At: s.now, Raw: raw})
}

// wake goes on to the next time for which a side waits.
func (s *sim) wake() {
	var soon *side
	var when int64
	for _, who := range []*side{s.a, s.b} {
		if at, ok := who.machine.Next(); ok && (soon == nil || at < when) {
			soon, when = who, at
		}
	}
	if soon != nil {
		s.now = max(s.now, when)
		s.step(soon, anex.TimeUp{At: s.now})
	}
}

// decide answers the open question as an honest party does.
func (s *sim) decide(r *rand.Rand, who *side) {
	q := who.question
	who.question = nil
	no := !who.friendly && r.IntN(8) == 0
	switch q := q.(type) {
	case anex.AskEngagement:
		answer := anex.Agreeing
		if no {
			answer = anex.Refusing
		} else if !q.Last && r.IntN(4) == 0 {
			answer = anex.Modifying
		}
		s.step(who, anex.EngagementDecided{At: s.now, Answer: answer, Text: "so"})
	case anex.AskModification:
		e := anex.ModificationDecided{At: s.now, Again: &anex.Engagement{Request: "And now?"}}
		if no {
			e.Again = nil
		}
		s.step(who, e)
	case anex.AskAuthority:
		s.step(who, anex.AuthorityDecided{At: s.now, Allowed: !no, Reason: "because"})
	case anex.AskTerms:
		s.step(who, anex.TermsDecided{At: s.now, Offer: s.offer(r, who, q.Call), Reason: "none"})
	case anex.AskProposal:
		s.step(who, s.judge(r, who, q, no))
	case anex.AskQuery:
		s.step(who, anex.QueryDecided{At: s.now, Known: r.IntN(2) == 0})
	case anex.Fetch:
		if no {
			s.step(who, anex.FetchFailed{At: s.now, Reason: "down"})
			return
		}
		s.step(who, anex.Fetched{At: s.now, Data: json.RawMessage(someJSON(r, 4))})
	case anex.MakeReceipt:
		s.step(who, anex.ReceiptMade{At: s.now, Receipt: json.RawMessage(`{"sig":"x"}`)})
	default:
		who.fault = "unknown question " + q.String()
	}
}

// offer grants a friendly holder's asker everything, now and then only at the second attempt.
func (s *sim) offer(r *rand.Rand, who *side, call anex.Call) *anex.Offer {
	if !who.friendly {
		return &anex.Offer{Access: someAccess(r), Accepted: somePromises(r), Price: r.Uint64N(4)}
	}
	return &anex.Offer{Access: []string{"*"}, Accepted: anex.Texts(call.Promise)}
}

func (s *sim) judge(r *rand.Rand, who *side, q anex.AskProposal, no bool) anex.ProposalDecided {
	e := anex.ProposalDecided{At: s.now, Accept: q.Problem == nil && !no, Reason: "not so"}
	if (!e.Accept || r.IntN(4) == 0) && !q.Last {
		again := q.Terms.Call
		again.Access = anex.Names(someAccess(r)...)
		e.Accept, e.Again = false, &again
	}
	return e
}

// sound returns the error of an honest side.
func (s *sim) sound(who *side) error {
	switch {
	case who.fault != "":
		return fmt.Errorf("%s: %s", who.name, who.fault)
	case who.ended == nil:
		return fmt.Errorf("%s has not ended", who.name)
	case who.sent > s.cfg.MaxMessages+2*s.cfg.MaxRequests+8:
		return fmt.Errorf("%s sent %d messages", who.name, who.sent)
	case who.sentData > s.cfg.MaxRequests || who.data > s.cfg.MaxRequests:
		return fmt.Errorf("%s: %d answers sent, %d delivered", who.name, who.sentData, who.data)
	}
	return nil
}

// TestHonestGetData: two honest parties that want to agree end with all the data, within a bounded
// number of messages.
func TestHonestGetData(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newSim(t, r, true)
		s.start(r)
		s.run(r, 2000)
		for _, who := range []*side{s.a, s.b} {
			if err := s.sound(who); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if who.ended.Outcome != anex.Completed {
				t.Fatalf("seed %d: %s %s", seed, who.name, who.ended)
			}
		}
		if s.a.data != s.asked || s.b.sentData != s.asked {
			t.Fatalf("seed %d: asked %d, delivered %d", seed, s.asked, s.a.data)
		}
		// introduction, per modification and per bid two messages and a dropped CFP, acceptance,
		// two per request, termination
		if most := 2 + 3*(1+s.cfg.MaxModifications) + 3*s.cfg.MaxBids + 2*s.asked; s.a.sent+s.b.sent > most {
			t.Fatalf("seed %d: %d messages", seed, s.a.sent+s.b.sent)
		}
	}
}

// TestHonestNeverBlameEachOther: two honest parties that may differ always end, and neither is at
// fault.
func TestHonestNeverBlameEachOther(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := newSim(t, r, false)
		s.start(r)
		s.run(r, 2000)
		for _, who := range []*side{s.a, s.b} {
			if err := s.sound(who); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if who.ended.Fault != anex.Nobody || who.ended.Outcome == anex.Broken {
				t.Fatalf("seed %d: %s %s", seed, who.name, who.ended)
			}
			outcomes[who.ended.Outcome.String()]++
		}
		if s.a.agreed != nil && s.b.agreed != nil && s.a.agreed.Hash() != s.b.agreed.Hash() {
			t.Fatalf("seed %d: %s\n%s", seed, s.a.agreed.Canonical(), s.b.agreed.Canonical())
		}
	}
	if outcomes["completed"] < 100 || outcomes["declined"] < 100 || outcomes["cancelled"] < 10 {
		t.Errorf("one-sided: %v", outcomes)
	}
}

// TestHonestAgainstHostile: an honest party ends in time and within its bounds, even if all
// messages of the other side are mangled. It delivers and sends only agreed data, and does not
// panic.
func TestHonestAgainstHostile(t *testing.T) {
	longtest.Only(t)
	blamed, completed := 0, 0
	for seed := range uint64(8000) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := newSim(t, r, r.IntN(2) == 0)
		s.victim = []*side{s.a, s.b}[r.IntN(2)]
		s.mangle = mangler(r)
		s.start(r)
		s.run(r, 3000)
		if err := s.sound(s.victim); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if s.now > began+s.cfg.Total.Milliseconds()+int64(time.Minute/time.Millisecond)+1_000_000 {
			t.Fatalf("seed %d: it took %d ms", seed, s.now-began)
		}
		switch {
		case s.victim.ended.Fault == anex.Theirs:
			blamed++
		case s.victim.ended.Outcome == anex.Completed:
			completed++
		}
	}
	if blamed < 2000 || completed < 200 {
		t.Errorf("one-sided: %d blamed, %d completed", blamed, completed)
	}
}
