package node

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"

	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/ledger/journal"
	"ojud/ledger/journal/blob"
	"ojud/node/why"
	"ojud/voting"
)

// Why explains what became of a judge in a case, from the record that is here, from what the chain shows, and, of the own judge, from what
// this node wrote down. Zero: the own judge.
func (n *Node) Why(task, judge voting.Key) (why.Answer, error) {
	f := why.Facts{Case: casefile.Address(task), Judge: casefile.Address(judge), Source: "the case file as this node has it", Now: at(n.client)}
	self := judge.IsZero() || judge == n.home.Keys.Judge()
	if c := n.docket.find(task); c != nil && c.seen() {
		look, _ := c.snapshot()
		f.Look = &look
	}
	log, err := n.record(task)
	if err == nil {
		err = readLog(log, n.blobs, n.home.Keys, &f)
	}
	if err != nil && !errors.Is(err, casefile.ErrNoCase) {
		return why.Answer{}, err
	}
	if !self {
		return why.Explain(f), nil
	}
	f.Judge = casefile.Address(n.home.Keys.Judge())
	own, err := recollect(n.journal, task)
	own.Running = true
	n.diaries.mu.Lock()
	own.Watch = n.diaries.watch
	n.diaries.mu.Unlock()
	own.Watch.Spans = append([]why.Span(nil), own.Watch.Spans...)
	own.Watch.Tick(f.Now)
	f.Own = &own
	return why.Explain(f), err
}

// readLog takes the record from a log. Of a case that is over it finds whether its file verifies: the one that could be exported now.
func readLog(log *casefile.Log, blobs casefile.Blobs, keys Keys, f *why.Facts) error {
	r, err := casefile.ReadLog(log, blobs)
	f.Record = &r
	if err != nil || r.Outcome == nil {
		f.Proof = "how the case ended is not in the record"
		return err
	}
	file, _, err := casefile.Export(log, blobs, verify.Panels(nil), keys.node, r.Outcome.Value.At)
	if err != nil {
		return err
	}
	return readFile(file, f)
}

// readFile takes the record from a file, with what keeps it from being verified.
func readFile(file []byte, f *why.Facts) error {
	r, err := casefile.ReadFile(file)
	if err != nil {
		return err
	}
	f.Record, f.Proof = &r, proofOf(verify.File(file))
	return nil
}

// proofOf is the first check that failed; empty if all passed.
func proofOf(r verify.Report) string {
	for _, c := range r.Checks {
		if c.State != verify.Passed {
			return fmt.Sprintf("check %s: %s: %s", c.Name, c.Path, c.Detail)
		}
	}
	return ""
}

// recollect reads what a node wrote down of a case. A diary or watch that cannot be read counts as none: it says so itself.
func recollect(j *journal.Journal, task voting.Key) (own why.Own, err error) {
	raw, err := j.Diary(task)
	if err != nil {
		return own, err
	}
	if own.Diary, err = why.DecodeDiary(raw); err != nil {
		return own, err
	}
	if raw, err = j.Watch(); err != nil {
		return own, err
	}
	own.Watch, err = why.DecodeWatch(raw)
	return own, err
}

// WhyFile explains from a case file alone what became of a judge. The name of the file is for people.
func WhyFile(file []byte, name string, judge voting.Key) (why.Answer, error) {
	f := why.Facts{Judge: casefile.Address(judge), Source: name}
	if err := readFile(file, &f); err != nil {
		return why.Answer{}, err
	}
	f.Case = f.Record.Case
	return why.Explain(f), nil
}

// WhyStopped explains from the disk of a home on which no node runs. Zero: the home's judge. journal.ErrLocked: one does run.
func WhyStopped(home Home, cfg Config, task, judge voting.Key, log *slog.Logger) (a why.Answer, err error) {
	cfg = home.fill(cfg)
	own := &why.Own{}
	f := why.Facts{Case: casefile.Address(task), Judge: casefile.Address(judge), Source: "what is on the disk of " + home.Dir}
	if judge.IsZero() || judge == home.Keys.Judge() {
		f.Judge, f.Own = casefile.Address(home.Keys.Judge()), own
	}
	if _, err := os.Stat(cfg.Journal.Dir); errors.Is(err, fs.ErrNotExist) {
		return why.Explain(f), nil // no node ever ran here; asking must not make a journal
	}
	domain, err := home.Descriptor.Domain()
	if err != nil {
		return a, err
	}
	j, err := journal.Open(cfg.Journal, journal.Identity{Network: domain.Network, Program: domain.Program}, log, nil)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	blobs, err := blob.Open(cfg.Blobs, log, nil)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	if *own, err = recollect(j, task); err != nil {
		return a, err
	}
	archived, err := casefile.Archive(domain, task, j.Events(), blobs)
	if errors.Is(err, casefile.ErrNoCase) {
		return why.Explain(f), nil
	}
	if err == nil {
		err = readLog(archived, blobs, home.Keys, &f)
	}
	return why.Explain(f), err
}

// serveWhy is GET /v1/cases/{case}/why?judge=ADDRESS. It takes the key of the home: the judge's thoughts are in it, before it has voted too.
func (n *Node) serveWhy(w http.ResponseWriter, r *http.Request) {
	task, ok := n.caseOf(w, r)
	if !ok {
		return
	}
	var judge casefile.Address
	if text := r.URL.Query().Get("judge"); text != "" {
		var err error
		if judge, err = casefile.ParseAddress(text); err != nil {
			n.refuse(w, http.StatusBadRequest, "judge: "+err.Error())
			return
		}
	}
	answer, err := n.Why(task, voting.Key(judge))
	if err != nil {
		n.refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	n.reply(w, http.StatusOK, answer)
}
