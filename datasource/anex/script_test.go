package anex_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ojud/datasource/anex"
)

// began is the time of every scenario: 2026-01-01T00:00:00Z in Unix ms.
const began = 1_767_225_600_000

// stage is a scenario under way: an asker and a holder with two wires between them.
type stage struct {
	cfg    anex.Config
	now    int64
	asker  *anex.Asker
	holder *anex.Holder
	wires  map[string][][]byte // frames on their way to A and to B
	last   map[string][]byte   // the frame that came last
	held   map[string]bool     // nothing is delivered
	alter  [2]string           // in the next frame: replace the first by the second
	call   anex.Call
	out    strings.Builder
}

func newStage() *stage {
	s := &stage{cfg: anex.DefaultConfig(), now: began, wires: map[string][][]byte{}, last: map[string][]byte{}, held: map[string]bool{}}
	return s
}

// words splits a command at spaces; a word in back quotes may have them.
func words(line string) (out []string) {
	for _, part := range strings.SplitAfter(line, "`") {
		if text, quoted := strings.CutSuffix(part, "`"); len(out) > 0 && strings.HasSuffix(out[len(out)-1], "`") {
			if quoted {
				out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "`") + text
			}
			continue
		}
		before := strings.HasSuffix(part, "`")
		fields := strings.Fields(strings.TrimSuffix(part, "`"))
		out = append(out, fields...)
		if before {
			if len(out) == 0 || strings.HasSuffix(strings.TrimSuffix(part, "`"), " ") {
				out = append(out, "")
			}
			out[len(out)-1] += "`"
		}
	}
	return out
}

// args are the key=value words of a command.
type args map[string][]string

func parseArgs(list []string) (plain []string, a args) {
	a = args{}
	for _, w := range list {
		key, value, ok := strings.Cut(w, "=")
		if !ok || strings.ContainsAny(key, " {\"") {
			plain = append(plain, w)
			continue
		}
		a[key] = append(a[key], value)
	}
	return plain, a
}

func (a args) get(key, otherwise string) string {
	if v, ok := a[key]; ok {
		return v[0]
	}
	return otherwise
}

func (a args) list(key string) []string {
	if a.get(key, "") == "" {
		return []string{}
	}
	return strings.Split(a.get(key, ""), ",")
}

func (a args) number(key string) uint64 {
	n, err := strconv.ParseUint(a.get(key, "0"), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// fill changes a call by the given words.
func (a args) fill(c anex.Call) anex.Call {
	c.Identity, c.Owner = a.get("identity", c.Identity), a.get("owner", c.Owner)
	c.Relation, c.RequestType = a.get("relation", c.Relation), a.get("type", c.RequestType)
	if _, ok := a["access"]; ok {
		c.Access = anex.Names(a.list("access")...)
	}
	if _, ok := a["promise"]; ok {
		c.Promise = anex.Names(a.list("promise")...)
	}
	if _, ok := a["limit"]; ok {
		n := a.number("limit")
		c.PriceLimit = &n
	}
	c.DataSource, c.Case, c.Judge = a.get("source", c.DataSource), a.get("case", c.Case), a.get("judge", c.Judge)
	c.Round = uint8(a.number("round"))
	return c
}

func requests(texts []string) (out []anex.DataRequest) {
	for _, text := range texts {
		source, request, _ := strings.Cut(text, ":")
		out = append(out, anex.DataRequest{DataSource: source, Request: json.RawMessage(request)})
	}
	return out
}

// run runs one command and returns the results.
func (s *stage) run(line string) (string, error) {
	s.out.Reset()
	list := words(line)
	plain, a := parseArgs(list[1:])
	plain = append(plain, "", "")
	if err := s.command(list[0], plain, a); err != nil {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	s.deliver()
	if s.out.Len() == 0 {
		return "ok\n", nil
	}
	return s.out.String(), nil
}

func (s *stage) command(name string, plain []string, a args) error {
	rest := strings.TrimRight(strings.Join(plain, " "), " ")
	switch name {
	case "bounds":
		s.cfg.MaxBids, s.cfg.MaxRequests = int(a.number("bids")), int(a.number("requests"))
		s.cfg.MaxModifications, s.cfg.MaxQueries, s.cfg.MaxMessages = int(a.number("modifications")), int(a.number("queries")), int(a.number("messages"))
	case "start":
		return s.start(plain, a)
	case "hold":
		s.held[plain[0]] = true
	case "flow":
		delete(s.held, plain[0])
	case "alter":
		s.alter = [2]string{plain[0], plain[1]}
	case "again":
		s.wires[plain[0]] = append(s.wires[plain[0]], s.last[plain[0]])
	case "raw":
		s.wires[plain[0]] = append(s.wires[plain[0]], []byte(strings.TrimPrefix(rest, plain[0]+" ")))
	case "stop":
		s.step(plain[0], anex.Stop{At: s.now, Reason: plain[1]})
	case "hangup":
		s.step(plain[0], anex.Hangup{At: s.now})
	case "wait", "pass": // pass: TimeUp is not stepped
		return s.wait(plain[0], name == "wait")
	default:
		return s.decision(name, plain, rest, a)
	}
	return nil
}

func (s *stage) start(plain []string, a args) (err error) {
	cfg := s.cfg
	cfg.Self, cfg.Peer = "AgentA", "AgentB"
	if s.asker, err = anex.NewAsker(cfg); err != nil {
		return err
	}
	cfg.Self, cfg.Peer = "AgentB", ""
	if s.holder, err = anex.NewHolder(cfg, s.now); err != nil {
		return err
	}
	s.call = a.fill(anex.Call{Identity: "unique-id", RequestType: "data"})
	e := anex.Start{At: s.now, Conversation: a.get("id", ""), Introduction: a.get("hello", "Hi, I'm judge 3's AI assistant [PA*]."),
		Engagement: anex.Engagement{Request: a.get("engage", "May I ask for data?")}, Call: s.call, Requests: requests(a["ask"])}
	for _, word := range plain {
		e.Pipeline, e.Keep = e.Pipeline || word == "pipeline", e.Keep || word == "keep"
	}
	if n := a.number("deadline"); n > 0 {
		e.Deadline = s.now + int64(n)*1000
	}
	s.step("A", e)
	return nil
}

func (s *stage) wait(text string, wake bool) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	s.now += d.Milliseconds()
	if !wake {
		return nil
	}
	if at, ok := s.asker.Next(); ok && at <= s.now {
		s.step("A", anex.TimeUp{At: s.now})
	}
	if at, ok := s.holder.Next(); ok && at <= s.now {
		s.step("B", anex.TimeUp{At: s.now})
	}
	return nil
}

// decision answers a question.
func (s *stage) decision(name string, plain []string, rest string, a args) error {
	engagement := map[string]anex.Decision{"agree": anex.Agreeing, "refuse": anex.Refusing, "modify": anex.Modifying}
	switch name {
	case "agree", "refuse", "modify":
		s.step("B", anex.EngagementDecided{At: s.now, Answer: engagement[name], Text: rest})
	case "authority":
		s.step("B", anex.AuthorityDecided{At: s.now, Allowed: plain[0] == "yes", Reason: plain[1]})
	case "offer":
		s.step("B", anex.TermsDecided{At: s.now, Offer: &anex.Offer{Access: a.list("access"), Demand: a.list("demand"),
			Accepted: a.list("accepted"), Price: a.number("price")}})
	case "no-offer":
		s.step("B", anex.TermsDecided{At: s.now, Reason: rest})
	case "query":
		s.step("B", anex.QueryDecided{At: s.now, Known: plain[0] != "unknown", Yes: plain[0] == "yes"})
	case "fetched":
		s.step("B", anex.Fetched{At: s.now, Data: json.RawMessage(rest)})
	case "fetch-failed":
		s.step("B", anex.FetchFailed{At: s.now, Reason: rest})
	case "receipt":
		s.step("B", anex.ReceiptMade{At: s.now, Receipt: json.RawMessage(rest)})
	case "accept":
		s.step("A", anex.ProposalDecided{At: s.now, Accept: true})
	case "reject":
		e := anex.ProposalDecided{At: s.now, Reason: plain[0]}
		if len(a) > 0 {
			s.call = a.fill(s.call)
			e.Again = &s.call
		}
		s.step("A", e)
	case "engage-again":
		s.step("A", anex.ModificationDecided{At: s.now, Again: &anex.Engagement{Request: plain[0], Details: json.RawMessage(plain[1])}})
	case "give-up":
		s.step("A", anex.ModificationDecided{At: s.now})
	case "ask":
		s.step("A", anex.Ask{At: s.now, Requests: requests(plain[:1])})
	case "tell":
		s.step("A", anex.Tell{At: s.now, Content: json.RawMessage(rest)})
	case "finish":
		s.step("A", anex.Finish{At: s.now})
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

// step steps A or B, prints the effects and puts sent messages on the wire.
func (s *stage) step(who string, e anex.Event) {
	var effects []anex.Effect
	var err error
	other := "A"
	if who == "A" {
		other = "B"
		effects, err = s.asker.Step(e)
	} else {
		effects, err = s.holder.Step(e)
	}
	if err != nil {
		fmt.Fprintf(&s.out, "%s refuses the event: %v\n", who, err)
	}
	for _, effect := range effects {
		fmt.Fprintf(&s.out, "%s %s\n", who, effect)
		if send, ok := effect.(anex.Send); ok {
			s.wires[other] = append(s.wires[other], s.altered(send.Raw))
		}
	}
}

func (s *stage) altered(raw []byte) []byte {
	if s.alter[0] != "" && strings.Contains(string(raw), s.alter[0]) {
		raw = []byte(strings.Replace(string(raw), s.alter[0], s.alter[1], 1))
		s.alter = [2]string{}
	}
	return raw
}

// deliver delivers frames until none is left.
func (s *stage) deliver() {
	for moved := true; moved; {
		moved = false
		for _, who := range []string{"B", "A"} {
			if wire := s.wires[who]; len(wire) > 0 && !s.held[who] {
				s.wires[who], s.last[who], moved = wire[1:], wire[0], true
				s.step(who, anex.Received{At: s.now, Raw: wire[0]})
				break
			}
		}
	}
}
