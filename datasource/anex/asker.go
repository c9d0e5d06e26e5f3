package anex

import (
	"fmt"
	"strings"
)

// Asker is the machine of the party that wants data. The package comment lists its caller's duties.
type Asker struct {
	conversation
	started  bool
	start    Start
	until    int64     // the conversation's last moment
	awaited  []awaited // outstanding answers, in their order
	bids     int       // CFPs that the holder answers
	changes  int       // modifications that the holder wanted
	proposed Message   // the proposal that awaits a decision
	terms    Terms
	agreed   bool
	requests int // data REQUESTs sent
	todo     []DataRequest
	keep     bool
}

// awaited is an outstanding answer.
type awaited struct {
	what    question // aboutEngagement, aboutTerms or aboutData
	id      string   // its in-reply-to
	by      int64    // Unix ms: its reply-by
	short   bool     // the asker's own deadline made it shorter than Config.Reply
	index   int      // of the request, for aboutData
	request DataRequest
}

// NewAsker returns a machine that waits for Start. Config.Peer must be set.
func NewAsker(cfg Config) (*Asker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Peer == "" {
		return nil, fmt.Errorf("anex: config: Peer is empty; an asker names the holder that it asks")
	}
	return &Asker{conversation: newConversation(cfg, "a", MaxInform)}, nil
}

// Step takes one event and returns the effects to execute, in order. If it returns an error, it has
// refused the event and changed nothing. The error is of class ErrEvent, ErrOwn or ErrEnded, and
// the caller's fault. Errors of the peer come as Ended.
func (a *Asker) Step(e Event) ([]Effect, error) {
	if _, first := e.(Start); !a.started && !first {
		return nil, fmt.Errorf("%w: %T before Start", ErrEvent, e)
	}
	return a.step(e, a)
}

// Next returns the time, Unix ms, of the next TimeUp, and whether there is one.
func (a *Asker) Next() (at int64, ok bool) { return a.next(), a.started && !a.ended }

func (a *Asker) next() int64 {
	switch {
	case a.asking != nothing:
		return min(a.asked+a.cfg.Decide.Milliseconds(), a.until) + 1
	case len(a.awaited) > 0:
		return a.awaited[0].by + 1
	}
	return a.until + 1
}

func (a *Asker) timeUp() {
	err := fmt.Errorf("%w: %s", ErrDeadline, writeTime(a.until))
	switch {
	case a.now > a.until:
	case a.asking != nothing:
		err = ErrSlow
	default:
		err = a.late(ErrSilent)
	}
	a.cancel("out of time")
	a.end(Broken, err)
}

// late returns err, or ErrDeadline if the holder had less time than Config gives.
func (a *Asker) late(err error) error {
	if head := a.awaited[0]; head.short {
		return fmt.Errorf("%w: %s", ErrDeadline, writeTime(head.by))
	}
	return err
}

func (a *Asker) decide(e Event) error {
	switch e := e.(type) {
	case Start:
		return a.begin(e)
	case ModificationDecided:
		return a.modify(e)
	case ProposalDecided:
		return a.judge(e)
	case Ask:
		return a.more(e.Requests)
	case Tell:
		return a.tell(e)
	case Finish:
		a.keep = false
		return nil
	}
	return fmt.Errorf("%w: %T is not for an asker", ErrEvent, e)
}

// begin introduces the asker, and asks whether it may go on.
func (a *Asker) begin(e Start) (err error) {
	if a.started {
		return fmt.Errorf("%w: Start comes once", ErrEvent)
	}
	if e, err = a.checkStart(e); err != nil {
		return fmt.Errorf("%w: start: %w", ErrEvent, err)
	}
	a.started, a.met, a.id, a.start, a.began = true, true, e.Conversation, e, a.now
	a.todo, a.keep = e.Requests, e.Keep
	if a.until = a.now + a.cfg.Total.Milliseconds(); e.Deadline != 0 {
		a.until = min(a.until, e.Deadline)
	}
	a.send(Message{Performative: ActRequest, Protocol: Handshaking, Content: say("message", e.Introduction)})
	a.engage("")
	return nil
}

// checkStart returns the start, spelled as the holder will read it.
func (a *Asker) checkStart(e Start) (_ Start, err error) {
	if !isID(e.Conversation) || len(e.Introduction) > maxText || !strings.Contains(e.Introduction, Marker) {
		return e, fmt.Errorf("conversation %.80q or introduction %.80q, in which %s has to be", e.Conversation, e.Introduction, Marker)
	}
	if e.Deadline != 0 && (e.Deadline <= a.now || e.Deadline >= maxTime) {
		return e, fmt.Errorf("deadline %d is over", e.Deadline)
	}
	if e.Engagement, err = e.Engagement.spelled(); err != nil {
		return e, err
	}
	if e.Call, err = e.Call.checked(); err != nil {
		return e, err
	}
	e.Requests, err = a.checkRequests(e.Requests, e.Call.DataSource)
	return e, err
}

// checkRequests returns requests, spelled as the holder will read them.
func (a *Asker) checkRequests(requests []DataRequest, source string) ([]DataRequest, error) {
	if a.requests+len(a.todo)+len(requests) > a.cfg.MaxRequests {
		return nil, fmt.Errorf("more than %d data requests", a.cfg.MaxRequests)
	}
	out := make([]DataRequest, len(requests))
	for i, r := range requests {
		spelled, err := r.spelled()
		if err != nil {
			return nil, err
		}
		if source != "" && r.DataSource != source {
			return nil, fmt.Errorf("data request for %q; the CFP names %q", r.DataSource, source)
		}
		out[i] = spelled
	}
	return out, nil
}
