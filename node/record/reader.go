package record

import (
	"context"
	"crypto/ed25519"
	"errors"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/node/why"
	"ojud/p2p/directory"
	"ojud/voting"
)

// announcements lists what judges announce of themselves.
type announcements interface {
	Judge(p peer.ID) (directory.Judge, bool)
}

// Reader reads this node's data of a case, followed or in the archive.
type Reader struct {
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
}

// Export writes this node's case file of a task. missing lists content that the file names and this
// node does not have. The error is casefile.ErrNoCase if this node knows nothing of the case.
func (r *Reader) Export(ctx context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error) {
	log, err := r.Log(task)
	if err != nil {
		return nil, nil, err
	}
	r.Content.GatherDocuments(ctx, task)
	return casefile.Export(log, r.Blobs, verify.Panels(r.Decisions.All()), r.Key, r.Clock())
}

// Log returns the events of a case. They are from the archive if the case is no longer followed or
// not loaded yet.
func (r *Reader) Log(task voting.Key) (*casefile.Log, error) {
	c := r.Cases.find(task)
	if c != nil && len(c.log.Events()) > 0 {
		return c.log, nil
	}
	log, err := reading.Archive(r.Domain, task, r.Store, r.Blobs)
	if c != nil && c.seen() && errors.Is(err, casefile.ErrNoCase) {
		return c.log, nil // it has no statements yet
	}
	return log, err
}

// Opinion returns an opinion that is kept here: this node's own, or one that was revealed.
func (r *Reader) Opinion(hash voting.Hash) (casefile.Opinion, error) {
	return readOpinion(r.Blobs, hash)
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
	for _, c := range r.Cases.all() {
		out = append(out, r.status(c))
	}
	return out
}

// Case returns the state of one case. The error is casefile.ErrNoCase if this node knows nothing of
// it.
func (r *Reader) Case(ctx context.Context, task voting.Key) (CaseStatus, error) {
	if c := r.Cases.find(task); c != nil && c.seen() {
		return r.status(c), nil
	}
	file, _, err := r.Export(ctx, task)
	if err != nil {
		return CaseStatus{}, err
	}
	report := verify.File(file)
	status := voting.EndedUndecided
	if v := voting.Verdict(report.Verdict); v == voting.ForWorker || v == voting.ForCreator {
		status = voting.Decided
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
		Seat: look.SeatOf(r.Judge), Seats: len(look.Seats), Events: len(c.log.Events()),
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
	if view := r.View(); view != nil {
		commits, votes := view.Have(c.task, look.Round)
		out.Statements, out.Votes = len(commits), len(votes)
	}
	c.mu.Lock()
	out.Complete = c.complete
	c.mu.Unlock()
	return out
}
