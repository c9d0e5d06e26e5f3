package record

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/node/network"
	"ojud/node/why"
	"ojud/p2p/directory"
	"ojud/voting"
)

// announcements lists what judges announce of themselves.
type announcements interface {
	Judge(p peer.ID) (directory.Judge, bool)
}

// ReaderDeps are the parts of the node that a Reader needs.
type ReaderDeps struct {
	Domain    voting.Domain
	Key       ed25519.PrivateKey // of this node; it signs the exported case files
	Judge     voting.Key         // whose seat this node fills
	Cases     *Cases
	Decisions *Decisions
	Store     casefile.Store // events of cases that are no longer followed
	Blobs     casefile.Blobs
	Content   fetcher
	Judges    announcements
	// Own returns the node's audit trail of a case, and of itself.
	Own   func(task voting.Key) (why.Own, error)
	Clock clock
	View  viewFunc
	Chain historian // tells whether a case was golden
	Log   *slog.Logger
}

// Reader reads this node's data of a case, followed or in the archive.
type Reader struct{ d ReaderDeps }

// NewReader returns a Reader.
func NewReader(d ReaderDeps) *Reader { return &Reader{d} }

// Export writes this node's case file of a task. missing lists content that the file names and this
// node does not have. The error is casefile.ErrNoCase if this node knows nothing of the case.
func (r *Reader) Export(ctx context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error) {
	log, err := r.Log(task)
	if err != nil {
		return nil, nil, err
	}
	r.d.Content.GatherDocuments(ctx, task)
	golden, err := openLeaf(ctx, r.d.Chain, task)
	if err != nil { // a file without the leaf is whole in all else
		r.d.Log.Warn("a case file is written without the answer of its golden case, if it is one", "case", casefile.Address(task).String(), "error", err)
	}
	return casefile.Export(log, r.d.Blobs, verify.Panels(r.d.Decisions.All()), golden, r.d.Key, r.d.Clock())
}

// Log returns the events of a case. They are from the archive if the case is no longer followed or
// not loaded yet.
func (r *Reader) Log(task voting.Key) (*casefile.Log, error) {
	c := r.d.Cases.find(task)
	if c != nil && len(c.log.Events()) > 0 {
		return c.log, nil
	}
	log, err := reading.Archive(r.d.Domain, task, r.d.Store, r.d.Blobs)
	if c != nil && c.seen() && errors.Is(err, casefile.ErrNoCase) {
		return c.log, nil // it has no statements yet
	}
	return log, err
}

// Opinion returns an opinion that is kept here: this node's own, or one that was revealed.
func (r *Reader) Opinion(hash voting.Hash) (casefile.Opinion, error) {
	return readOpinion(r.d.Blobs, hash)
}

// CaseStatus is the state of a case as this node knows it.
type CaseStatus struct {
	Case      string `json:"case"`
	Status    string `json:"status"`
	Round     uint8  `json:"round"`
	Verdict   string `json:"verdict"`
	Seat      int    `json:"seat"` // −1: none
	Committed int    `json:"committed"`
	Revealed  int    `json:"revealed"`
	Seats     int    `json:"seats"`
	Choice    string `json:"choice,omitempty"` // own, once revealed
	// Statements and Votes count the seats of the round whose signed commitment and whose vote are
	// here, own ones included.
	Statements int  `json:"statements"`
	Votes      int  `json:"votes"`
	Events     int  `json:"events"`             // of the case file, here
	Complete   bool `json:"complete"`           // it is over, and every seat that revealed has said how it ended
	Archived   bool `json:"archived,omitempty"` // it is no longer followed: Seat, Committed, Revealed and Seats are not known
}

// All returns the state of all cases that the node follows.
func (r *Reader) All() (out []CaseStatus) {
	for _, c := range r.d.Cases.all() {
		out = append(out, r.status(c))
	}
	return out
}

// Case returns the state of one case. The error is casefile.ErrNoCase if this node knows nothing of
// it.
func (r *Reader) Case(ctx context.Context, task voting.Key) (CaseStatus, error) {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict may be one of a case that is decided
	if c := r.d.Cases.find(task); c != nil && c.seen() {
		return r.status(c), nil
	}
	file, _, err := r.Export(ctx, task)
	if err != nil {
		return CaseStatus{}, err
	}
	report := verify.File(file)
	var status voting.Status // unknown, if the file does not verify
	switch v := voting.Verdict(report.Verdict); {
	case v == voting.ForWorker || v == voting.ForCreator:
		status = voting.Decided
	case report.OK():
		status = voting.EndedUndecided
	}
	return CaseStatus{
		Case: casefile.Address(task).String(), Status: status.String(), Round: uint8(report.Rounds),
		Verdict: voting.Verdict(report.Verdict).String(), Seat: -1,
		Events: report.Check(verify.CheckEvents).Count, Complete: report.OK(), Archived: true,
	}, nil
}

func (r *Reader) status(c *caseRecord) CaseStatus {
	look, _ := c.snapshot()
	out := CaseStatus{
		Case: casefile.Address(c.task).String(), Status: look.Status.String(), Round: look.Round, Verdict: look.Verdict.String(),
		Seat: look.SeatOf(r.d.Judge), Seats: len(look.Seats), Events: len(c.log.Events()),
	}
	for i, s := range look.Seats {
		if s.Committed {
			out.Committed++
		}
		if s.Revealed {
			out.Revealed++
		}
		if i == out.Seat && s.Revealed {
			out.Choice = s.Choice.String()
		}
	}
	if view := r.d.View(); view != nil {
		commits, votes := view.Have(c.task, look.Round)
		out.Statements, out.Votes = len(commits), len(votes)
	}
	c.mu.Lock()
	out.Complete = c.complete
	c.mu.Unlock()
	return out
}

// PanelStatus says how many independent votes the panel of a case's round is worth, as this node
// sees it. Its History has the rounds that this node saw.
type PanelStatus struct {
	panel.Summary
	// Cast: the round is over, and the report is about the votes that counted. Before that, the
	// report assumes that every seat votes for the same side, with the families and dimensions that
	// the judges announce.
	Cast  bool                 `json:"cast"`
	Seats []casefile.PanelSeat `json:"seats"` // in the order of the draw; empty for a case that is no longer followed
}

// ErrNoPanel means that no panel was drawn yet.
var ErrNoPanel = errors.New("record: no panel was drawn yet")

// Panel looks at the present panel of a case, or at the panel of the last round in the case file.
// The error is casefile.ErrNoCase if this node knows nothing of the case.
func (r *Reader) Panel(ctx context.Context, task voting.Key) (PanelStatus, error) {
	if c := r.d.Cases.find(task); c != nil && c.seen() {
		look, _ := c.snapshot()
		if len(look.Seats) == 0 {
			return PanelStatus{}, ErrNoPanel
		}
		return r.panel(c, look)
	}
	file, _, err := r.Export(ctx, task)
	if err != nil {
		return PanelStatus{}, err
	}
	panels := verify.File(file).Panels
	if len(panels) == 0 {
		return PanelStatus{}, ErrNoPanel
	}
	return PanelStatus{Summary: panels[len(panels)-1], Cast: true, Seats: []casefile.PanelSeat{}}, nil
}

// panel predicts from a look what the case file will say, as far as it is known.
func (r *Reader) panel(c *caseRecord, look voting.Case) (PanelStatus, error) {
	const _ = uint(6 - voting.Statuses) // are the votes of a seventh status cast?
	s := PanelStatus{Cast: look.Status != voting.Committing && look.Status != voting.Revealing}
	describe := r.announced
	if s.Cast {
		opinions, err := r.opinionSeats(c.log.Events(), look)
		if err != nil {
			return PanelStatus{}, err
		}
		describe = func(seat voting.Seat) casefile.PanelSeat { return opinions[seat.Commitment] }
	}
	p := casefile.Panel{Round: look.SeatsRound()}
	var judges []casefile.Address
	var choices []casefile.Choice
	var weights []casefile.Amount
	for _, seat := range look.Seats {
		member := describe(seat)
		member.Judge = casefile.Address(seat.Judge)
		p.Seats, judges, weights = append(p.Seats, member), append(judges, member.Judge), append(weights, casefile.Amount(seat.Weight))
		choice := casefile.Chosen(seat)
		if !s.Cast {
			choice = casefile.Choice(voting.Accept)
		}
		choices = append(choices, choice)
	}
	p.History = panel.History(casefile.Address(c.task), judges, r.d.Decisions.All())
	s.Summary, s.Seats = panel.Summarize(p, casefile.Spell(choices), weights), p.Seats
	return s, nil
}

// announced returns what a seat's judge announces of itself.
func (r *Reader) announced(seat voting.Seat) (member casefile.PanelSeat) {
	id, err := network.PeerOf(seat.Peer)
	if err != nil {
		return member // no node can have this key, so no node announces anything under it
	}
	if j, ok := r.d.Judges.Judge(id); ok {
		member.Family, member.Dimension = j.ModelFamily, j.Dimension
	}
	return member
}

// opinionSeats returns the families and dimensions of the local opinions of a look's round, by the
// commitment that their vote opens. It leaves out opinions that are missing or cannot be read.
func (r *Reader) opinionSeats(events []casefile.Event, look voting.Case) (map[voting.Hash]casefile.PanelSeat, error) {
	out := map[voting.Hash]casefile.PanelSeat{}
	for _, e := range events {
		if e.Kind != casefile.KindVote {
			continue
		}
		var b casefile.VoteBody
		if err := network.DecodeStrict(e.Body, &b); err != nil {
			return nil, err
		}
		raw, err := r.d.Blobs.Blob(voting.Hash(b.Vote.OpinionHash))
		if errors.Is(err, casefile.ErrNoBlob) || b.Round != look.SeatsRound() {
			continue
		}
		if err != nil {
			return nil, err
		}
		if doc, err := casefile.ParseOpinion(raw); err == nil {
			out[b.Vote.Commitment()] = casefile.PanelSeat{Family: doc.Value.Family, Dimension: doc.Value.Dimension}
		}
	}
	return out, nil
}

// Why explains what happened to a judge in a case. It uses the local record, the chain, and, for
// this node's own judge, the node's audit trail. A zero judge is this node's own.
func (r *Reader) Why(task, judge voting.Key) (why.Explanation, error) {
	f := why.Facts{
		Case: casefile.Address(task), Judge: casefile.Address(judge), Source: "the case file as this node has it", Now: r.d.Clock(),
	}
	self := judge.IsZero() || judge == r.d.Judge
	if look, ok := r.d.Cases.Look(task); ok && look.Status != 0 {
		f.Look = &look
	}
	log, err := r.Log(task)
	if err == nil {
		err = readLog(log, r.d.Blobs, r.d.Key, &f)
	}
	if err != nil && !errors.Is(err, casefile.ErrNoCase) {
		return why.Explanation{}, err
	}
	if !self {
		return why.Explain(f), nil
	}
	f.Judge = casefile.Address(r.d.Judge)
	own, err := r.d.Own(task)
	f.Own = &own
	return why.Explain(f), err
}

// WhyArchived explains a case from the disk of a node that does not run. The facts are completed
// with the record.
func WhyArchived(d voting.Domain, key ed25519.PrivateKey, task voting.Key, store casefile.Store,
	blobs casefile.Blobs, f why.Facts) (why.Explanation, error) {
	log, err := reading.Archive(d, task, store, blobs)
	if errors.Is(err, casefile.ErrNoCase) {
		return why.Explain(f), nil
	}
	if err == nil {
		err = readLog(log, blobs, key, &f)
	}
	return why.Explain(f), err
}

// WhyFile explains what happened to a judge, from a case file alone. The name of the file is for
// people.
func WhyFile(file []byte, name string, judge voting.Key) (why.Explanation, error) {
	f := why.Facts{Judge: casefile.Address(judge), Source: name, File: name}
	if err := readFile(file, &f); err != nil {
		return why.Explanation{}, err
	}
	f.Case = f.Record.Case
	answer := why.Explain(f)
	if l := f.Record.Leaf; l != nil {
		answer.Lines = append(answer.Lines, why.GoldenLine(goldenSeat(f.Record, judge), name))
	}
	return answer, nil
}

// goldenSeat is what a golden case meant for a judge, by the record of a file.
func goldenSeat(r *reading.Record, judge voting.Key) why.GoldenSeat {
	l := r.Leaf
	g := why.GoldenSeat{Batch: l.Batch, Answer: voting.Choice(l.Answer).String(), Applied: l.Applied != nil}
	place := 0 // of the seat, among those that the answer moves money of
	for _, last := range lastRounds(r) {
		for _, s := range last.Seats {
			if voting.Key(s.Judge) == judge {
				g.Choice = voting.Choice(s.Choice).String()
				if l.Applied != nil && place < len(l.Applied.Seats) {
					g.Slashed, g.Earned = uint64(l.Applied.Seats[place].Slashed), uint64(l.Applied.Seats[place].Earned)
				}
			}
			place++
		}
	}
	return g
}

// lastRounds returns the settlements that an answer moves money of: the last one of the first
// panel, and the last one of an appeal.
func lastRounds(r *reading.Record) (out []casefile.SettleFact) {
	if r.Open == nil {
		return nil
	}
	most, level := int(r.Open.Value.Rules.Timing().MaxRounds), 0
	for i, round := range r.Rounds {
		switch {
		case round.Settle == nil:
		case len(out) > 0 && level == i/most:
			out[len(out)-1] = round.Settle.Value
		default:
			out, level = append(out, round.Settle.Value), i/most
		}
	}
	return out
}

// readLog takes the record from a log. If the case is over, it also checks whether the file that
// could be exported now verifies.
func readLog(log *casefile.Log, blobs casefile.Blobs, key ed25519.PrivateKey, f *why.Facts) error {
	r, err := reading.Log(log, blobs)
	f.Record = &r
	if err != nil || r.Outcome == nil {
		f.Proof, f.Pending = "how the case ended is not in the record", f.Look != nil && f.Look.Status.Over()
		return err
	}
	file, _, err := casefile.Export(log, blobs, verify.Panels(nil), nil, key, r.Outcome.Value.At)
	if err != nil {
		return err
	}
	return readFile(file, f)
}

// readFile takes the record from a file, and notes the first check of the file that failed.
func readFile(file []byte, f *why.Facts) error {
	r, err := reading.File(file)
	if err != nil {
		return err
	}
	report := verify.File(file)
	f.Record, f.Proof, f.Pending = &r, firstFailed(report), report.Pending()
	return nil
}

// firstFailed describes the first check that failed; empty if all passed.
func firstFailed(r verify.Report) string {
	for _, c := range r.Checks {
		if c.State != verify.Passed {
			return fmt.Sprintf("check %s: %s: %s", c.Name, c.Path, c.Detail)
		}
	}
	return ""
}
