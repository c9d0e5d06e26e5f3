package desk

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/client/cost"
	"ojud/voting"
)

// taskPage shows a task and what the party may do now.
type taskPage struct {
	taskRow
	Subject string
	Papers  []paper
	May     map[string]bool // names of deeds
	Kinds   []string        // of grounds
	Case    *client.CaseView
	Appeal  *client.AppealView // the party may appeal
	Costs   *cost.Steps        // of what the party may do
	Text    string             // of a result that was refused
	Fault   string             // why
}

// paper is a document of a task.
type paper struct {
	Name, Who string
	Hash      string
	Bytes     int
	Missing   bool // no node has sent it yet
	Cut       bool // not all of it is on the page
	Passages  []picture.Passage
}

func (d *Desk) task(v *visit) (string, any, error) { return d.taskOf(v, v.r.PathValue("task")) }

func (d *Desk) taskOf(v *visit, text string) (string, any, error) {
	party, err := d.who()
	if err != nil {
		return "", nil, err
	}
	task, err := taskNamed(text)
	if err != nil {
		return "", nil, err
	}
	ctx := v.r.Context()
	view, err := party.Task(ctx, task)
	if err != nil {
		return "", nil, err
	}
	p := taskPage{taskRow: d.rows(ctx, party, []client.TaskView{view})[0], Kinds: ground.Kinds()}
	if err := beside(ctx, party, &p.taskRow); err != nil {
		return "", nil, err
	}
	p.Subject = p.taskRow.Subject
	p.Papers = d.folder.papers(ctx, party, view)
	p.May = may(view, p.Role)
	if p.May["claim"] || p.May["object"] || p.May["counter"] {
		costs, err := client.ReviewCosts(ctx, party, task)
		if err != nil {
			return "", nil, err
		}
		p.Costs = &costs
	}
	if c, err := party.Case(ctx, task); err == nil { // most tasks have no case
		p.Case = &c
		if c.AppealBy > view.Now && p.Role != "" {
			if a, err := client.ReviewAppeal(ctx, party, task); err == nil { // only the loser may
				p.Appeal = &a
			}
		}
	}
	return "task", p, nil
}

func taskNamed(text string) (onchain.Address, error) {
	task, err := casefile.ParseAddress(text)
	if err != nil {
		return onchain.Address{}, fmt.Errorf("%w: a task is named by its base58 address", errNowhere)
	}
	return onchain.Address(task), nil
}

// may says what a role may do to a task now.
func may(v client.TaskView, role string) map[string]bool {
	late := v.Move.By != 0 && v.Now >= v.Move.By
	worker, creator := role == "worker" && !late, role == "creator" && !late
	return map[string]bool{
		"claim": v.Status == "created" && role != "creator" && !late, "cancel": v.Status == "created" && creator,
		"submit":  (v.Status == "claimed" || v.Status == "in progress") && worker,
		"release": (v.Status == "claimed" || v.Status == "in progress") && worker && v.Now < v.ReleaseBy,
		"accept":  v.Status == "verification" && creator, "object": v.Status == "verification" && creator,
		"rework": v.Status == "disputed" && worker, "counter": v.Status == "disputed" && worker,
		"expire": late && strings.HasPrefix(v.Move.What, "expire"), "settle": late && strings.HasPrefix(v.Move.What, "settle"),
	}
}

// paperTime bounds the wait for a document that is not here.
const paperTime = 2 * time.Second

// papers returns the documents of a task.
func (f *folder) papers(ctx context.Context, party *client.Client, v client.TaskView) (out []paper) {
	ctx, cancel := context.WithTimeout(ctx, paperTime)
	defer cancel()
	for _, p := range []struct{ name, who, hash string }{
		{"What is ordered", "creator", v.TaskHash}, {"Result", "worker", v.ResultHash}, {"Objection", "creator", v.ObjectionHash}, {"Answer", "worker", v.CounterHash},
	} {
		if p.hash == "" {
			continue
		}
		show := paper{Name: p.name, Who: p.who, Hash: p.hash}
		raw, err := f.document(ctx, party, p.hash)
		switch {
		case err != nil:
			show.Missing = true
		case p.hash == v.TaskHash:
			show.Passages = picture.Ordered(raw)
		default:
			show.Passages = picture.Passages(raw)
		}
		show.Bytes = len(raw)
		show.Cut = slices.ContainsFunc(show.Passages, func(one picture.Passage) bool { return one.Cut })
		out = append(out, show)
	}
	return out
}

// give serves a document of a task as it is. No browser shows it as a page.
func (d *Desk) give(v *visit) {
	party, err := d.who()
	var raw []byte
	var task onchain.Address
	if err == nil {
		task, err = taskNamed(v.r.PathValue("task"))
	}
	if err == nil {
		var view client.TaskView
		if view, err = party.Task(v.r.Context(), task); err == nil && !slices.Contains([]string{view.TaskHash, view.ResultHash, view.ObjectionHash, view.CounterHash}, v.r.PathValue("hash")) {
			err = errNowhere
		}
	}
	if err == nil {
		raw, err = d.folder.document(v.r.Context(), party, v.r.PathValue("hash"))
	}
	if err != nil {
		d.wrong(v, err)
		return
	}
	v.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	v.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="task-%.8s-%.8s.txt"`, task, v.r.PathValue("hash")))
	if _, err := v.w.Write(raw); err != nil {
		d.needs.Log.Debug("desk: document not written", "err", err)
	}
}

// Hidden reports whether a part of what the creator demands is not on the page.
func (p taskPage) Hidden() bool {
	return slices.ContainsFunc(p.Papers, func(one paper) bool { return one.Missing || one.Cut })
}

// document returns a document by its hash in hex.
func (f *folder) document(ctx context.Context, party *client.Client, text string) ([]byte, error) {
	hash, err := hex.DecodeString(text)
	if err != nil || len(hash) != len(voting.Hash{}) {
		return nil, errNowhere
	}
	return f.fetch(ctx, party, voting.Hash(hash))
}

// maxDocuments bounds the documents that are remembered; each has 256 KiB at most.
const maxDocuments = 128

// folder remembers the documents that the party looked at.
type folder struct {
	mu        sync.Mutex
	documents map[voting.Hash][]byte
}

// fetch returns content from nodes, and remembers it.
func (f *folder) fetch(ctx context.Context, party *client.Client, hash voting.Hash) ([]byte, error) {
	f.mu.Lock()
	raw, ok := f.documents[hash]
	f.mu.Unlock()
	if ok {
		return raw, nil
	}
	raw, err := party.Fetch(ctx, hash)
	if err != nil || len(raw) > casefile.MaxDocument {
		return raw, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.documents) >= maxDocuments {
		clear(f.documents)
	}
	f.documents[hash] = raw
	return raw, nil
}

// offerPage shows what a worker should know before it claims a task.
type offerPage struct {
	taskPage
	advice.Review
	Warned bool
}

func (d *Desk) offer(v *visit) (string, any, error) {
	_, data, err := d.task(v)
	if err != nil {
		return "", nil, err
	}
	p, ok := data.(taskPage)
	if !ok || !p.May["claim"] {
		return "", nil, errors.New("this task cannot be claimed now")
	}
	party, err := d.who()
	if err != nil {
		return "", nil, err
	}
	task, err := taskNamed(p.Task)
	if err != nil {
		return "", nil, err
	}
	review, err := party.ReviewTask(v.r.Context(), task)
	review.Warnings = here(review.Warnings)
	return "offer", offerPage{p, review, len(review.Warnings) > 0}, err
}

// undecidedWords say what each choice of a creator means if the judges cannot decide.
func undecidedWords(choice string) string {
	return map[string]string{
		"refund": "the creator gets the reward back and loses its bond", "pay": "the worker gets the reward and loses its bond",
		"split": "each gets half of the reward and loses half of its bond",
	}[choice]
}

// Shared says who got what of a task that the judges could not decide; empty: it is none.
func (p taskPage) Shared() string {
	if p.Status != "undecided" {
		return ""
	}
	return map[string]string{
		"refunded": "The creator got the reward back and lost its bond.", "paid": "The worker got the reward and lost its bond.",
		"split": "Creator and worker got half of the reward each, and each lost half of its bond.",
	}[p.Outcome]
}

// here returns warnings for somebody at a desk: it makes itself what their fixes name as commands.
func here(all []advice.Warning) []advice.Warning {
	all = slices.Clone(all)
	for i := range all {
		all[i].Fix, _, _ = strings.Cut(all[i].Fix, ": ojud ")
	}
	return all
}

// argument is the form of an objection or of its answer.
type argument struct {
	Form, Task, Deed, Undecided string
	Costs                       *cost.Steps
	Kinds                       []string
}

// Half says what happens to the bond of this side if the judges cannot decide.
func (a argument) Half() string {
	payer := map[string]string{"refund": "object", "pay": "counter"}[a.Undecided]
	switch {
	case payer == a.Deed:
		return "it is gone, too"
	case payer != "":
		return "it comes back"
	}
	return "half of it is gone"
}

// Argue returns the form of an objection or of its answer.
func (p taskPage) Argue(form, deed string) argument {
	return argument{form, p.Task, deed, p.OnUndecided, p.Costs, p.Kinds}
}

// quiet is a step that a party takes seldom.
type quiet struct{ Name, Label, Why string }

// Quiet returns the seldom steps that the party may take now.
func (p taskPage) Quiet() (out []quiet) {
	for _, q := range []quiet{
		{"release", "Give the task back", "Soon after the claim it costs nothing."},
		{"cancel", "Take it off the market", "The reward comes back into your vault."},
		{"expire", "Carry out the missed deadline", "Anyone may do this."},
		{"settle", "Settle it", "Its engine was silent. Anyone may do this."},
	} {
		if p.May[q.Name] {
			out = append(out, q)
		}
	}
	return out
}
