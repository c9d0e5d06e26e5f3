package brainapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/brainview"
	"ojud/node/megabrain"
)

// scored is what an evaluator says of a worker.
type scored struct {
	TaskID   string `path:"taskId" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits"`
	WorkerID string `path:"workerId" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits" doc:"key of the worker"`
	Key      string `header:"Idempotency-Key" maxLength:"128"`
	Body     struct {
		Score       int               `json:"score" minimum:"0" maximum:"100"`
		Confidence  int               `json:"confidence" minimum:"0" maximum:"100"`
		Rationale   string            `json:"rationale" maxLength:"10000"`
		Corrections []json.RawMessage `json:"corrections,omitempty" maxItems:"100" doc:"specific issues, each any JSON"`
		SameAs      []string          `json:"sameAs,omitempty" maxItems:"7" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits" doc:"workers whose results mean what this one means, named once for each pair"`
		Vector      []int16           `json:"vector,omitempty" maxItems:"3072" doc:"of the embedding that the class names, for the prose of this result"`
	}
}

// scoredAnswer is the answer.
type scoredAnswer struct {
	Body struct {
		EvaluationID string `json:"evaluationId" doc:"SHA-256 over task, evaluator and worker"`
		TxHash       string `json:"txHash" doc:"signature of the transaction that commits to all scores, in base58; empty until the last result has a score, or the time is nearly over"`
		Committed    bool   `json:"committed"`
		Left         int    `json:"left" doc:"results without a score of this evaluator"`
	}
}

// When the server commits to a part of the scores. An evaluator's time is what was left when its
// first score came in.
const (
	lastCall  = 10 * time.Minute // before the end, at most
	shareLeft = 10               // a tenth of the evaluator's time, if that is less
	leastCall = time.Minute      // but so long before the end
	quiet     = time.Minute      // after a score the server waits for the next one for so long,
	urgent    = 30 * time.Second // but not in the last seconds, or in the last half of its time
)

// due reports whether the server commits to a part of the scores at a time of the chain.
func (it draft) due(now, until int64) bool {
	whole, left := time.Duration(until-it.Since)*time.Second, time.Duration(until-now)*time.Second
	if left > min(lastCall, max(whole/shareLeft, leastCall)) {
		return false
	}
	return left <= min(urgent, whole/2) || time.Duration(now-it.Last)*time.Second >= quiet
}

func (s *AgentAPI) scoring() {
	o := op(http.MethodPost, "/tasks/{taskId}/evaluate/{workerId}", "evaluate", "Score the result of a worker; all scores are committed together", "evaluator")
	o.MaxBodyBytes, o.Errors = 256<<10, append(o.Errors, http.StatusForbidden, http.StatusNotFound)
	huma.Register(s.api, o, func(ctx context.Context, in *scored) (*scoredAnswer, error) {
		p, err := s.acts(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		worker, err := address(in.WorkerID)
		if err != nil {
			return nil, huma.Error422UnprocessableEntity("workerId: " + err.Error())
		}
		said, err := json.Marshal(in.Body)
		if err != nil {
			return nil, err
		}
		request := bytes.Join([][]byte{[]byte("evaluate"), p.task[:], worker[:], said}, []byte{0})
		return once(s, p.agent, in.Key, request, func() (*scoredAnswer, error) {
			one := evaluation{worker.String(), in.Body.Score, in.Body.Confidence, in.Body.Rationale, in.Body.Corrections, nil, in.Body.Vector}
			for _, id := range in.Body.SameAs {
				other, err := address(id)
				if err != nil {
					return nil, huma.Error422UnprocessableEntity("sameAs: " + err.Error())
				}
				one.SameAs = append(one.SameAs, other.String())
			}
			return s.evaluate(ctx, p, worker, one)
		})
	})
}

// evaluate keeps a score, and commits to all when none is missing.
func (s *AgentAPI) evaluate(ctx context.Context, p acting, worker onchain.Address, one evaluation) (*scoredAnswer, error) {
	d, err := s.n.View.Task(ctx, p.task)
	if err != nil {
		return nil, refused(err)
	}
	why := closed(d, p.key.String(), worker.String())
	if why != "" { // it may have been drawn since
		if d, err = s.n.View.Anew(ctx, p.task); err != nil {
			return nil, refused(err)
		}
		why = closed(d, p.key.String(), worker.String())
	}
	if why != "" {
		return nil, huma.Error409Conflict(why)
	}
	for i, other := range one.SameAs {
		handed := slices.ContainsFunc(d.Seats, func(w brainview.WorkPlace) bool { return w.Worker == other && w.State == "revealed" })
		if !handed || other == one.Worker || slices.Contains(one.SameAs[:i], other) {
			return nil, huma.Error422UnprocessableEntity("sameAs names " + other + ", which is this worker, one that handed in nothing, or there twice")
		}
	}
	if err := d.Embedding.Check(one.Vector); err != nil {
		return nil, huma.Error422UnprocessableEntity("vector: " + err.Error())
	}
	it, err := s.drafts.change(p.task, p.key, func(it *draft) error {
		if it.Last = d.Now; it.Since == 0 {
			it.Since = d.Now
		}
		it.Evaluations = append(slices.DeleteFunc(it.Evaluations, func(e evaluation) bool { return e.Worker == one.Worker }), one)
		it.Asked = slices.DeleteFunc(it.Asked, func(worker string) bool { return worker == one.Worker })
		return nil
	})
	if err != nil {
		return nil, huma.Error422UnprocessableEntity(err.Error())
	}
	it = counting(d, p.key.String(), it)
	out := &scoredAnswer{}
	out.Body.EvaluationID = hexed(sha256.Sum256(slices.Concat([]byte("evaluation"), p.task[:], p.key[:], worker[:])))
	if out.Body.Left = left(d, p.key.String(), it); out.Body.Left > 0 {
		return out, nil
	}
	sent, err := commitScores(ctx, p.hand, p.task, s.vectors(ctx, d, p.task, p.key, it))
	if err != nil {
		return nil, refused(err)
	}
	out.Body.TxHash, out.Body.Committed = sent.Signature, true
	return out, nil
}

// closed says why an evaluator cannot score a worker now; empty: it can.
func closed(d brainview.Detail, key, worker string) string {
	seat := slices.IndexFunc(d.Jury, func(e brainview.ScoreSeat) bool { return e.Evaluator == key })
	work := slices.IndexFunc(d.Seats, func(w brainview.WorkPlace) bool { return w.Worker == worker })
	switch {
	case worker == key:
		return "an evaluator does not evaluate its own work"
	case work < 0:
		return worker + " is no worker of this task"
	case seat < 0:
		return key + " was not drawn as an evaluator of this task"
	case d.Stage() != brain.Evaluating || d.Now >= d.Until:
		return "the task is at \"" + d.Status + "\"; one evaluates while it is at \"" + brain.Evaluating.String() + "\""
	case d.Jury[seat].State != "drawn":
		return key + " committed to its scores, and a commitment stays"
	case d.Seats[work].State != "revealed":
		return worker + " handed in nothing"
	case slices.Contains(d.Jury[seat].Final, work+1):
		return worker + " was scored before further workers were called; score those"
	}
	return ""
}

// counting is a draft without scores that the chain does not take now. Those of a first round are
// there in the second if the server did not run meanwhile.
func counting(d brainview.Detail, key string, it draft) draft {
	it.Evaluations = slices.DeleteFunc(slices.Clone(it.Evaluations), func(e evaluation) bool { return closed(d, key, e.Worker) != "" })
	return it
}

// left counts the results without a score of an evaluator of which it can say something.
func left(d brainview.Detail, key string, it draft) (n int) {
	for i, w := range d.Seats {
		if w.State == "revealed" && !final(d, key, i+1) && !slices.ContainsFunc(it.Evaluations, func(e evaluation) bool { return e.Worker == w.Worker }) {
			n++
		}
	}
	return n
}

// final reports whether a result, by the number of its worker, takes no more scores of an
// evaluator. For an agent without a seat: whether it takes no more of anybody.
func final(d brainview.Detail, key string, worker int) bool {
	if i := slices.IndexFunc(d.Jury, func(e brainview.ScoreSeat) bool { return e.Evaluator == key }); i >= 0 {
		return slices.Contains(d.Jury[i].Final, worker)
	}
	open := slices.ContainsFunc(d.Jury, func(e brainview.ScoreSeat) bool { return !slices.Contains(e.Final, worker) })
	return len(d.Jury) > 0 && !open
}

// maxMetadata bounds what the chain's transaction says of the rationales.
const maxMetadata = 400

// commitScores commits to the scores of a draft. The document with rationales and corrections is
// what the chain has the hash of.
func commitScores(ctx context.Context, h Hand, at onchain.Address, it draft) (megabrain.Spoken, error) {
	document, err := committable(it.Evaluations)
	if err != nil {
		return megabrain.Spoken{}, err
	}
	var said []string
	for _, e := range it.Evaluations {
		if e.Rationale != "" {
			said = append(said, e.Rationale)
		}
	}
	text := strings.Join(said, " | ")
	return h.Evaluate(ctx, at, scoresOf(it), document, strings.ToValidUTF8(text[:min(len(text), maxMetadata)], ""))
}

// Tend commits to scores whose time is nearly over, and gives attachments to the memory nodes when
// their result is revealed. It is called again and again.
func (s *AgentAPI) Tend(ctx context.Context) (err error) {
	asking, stop := context.WithTimeout(ctx, maxEmbed) // for all: none waits for the models of the others
	defer stop()
	for key, h := range s.n.Hands {
		all, bad := s.drafts.all(key)
		err = errors.Join(err, bad)
		for _, at := range all {
			if one := s.tend(ctx, asking, h, at, key); one != nil {
				err = errors.Join(err, fmt.Errorf("brainapi: task %s: %w", at, one))
			}
		}
	}
	return err
}

func (s *AgentAPI) tend(ctx, asking context.Context, h Hand, at, key onchain.Address) error {
	d, err := s.n.View.Task(ctx, at)
	if errors.Is(err, brainview.ErrNone) {
		first, over := s.drafts.gone(at, key, s.n.Now())
		if first || over {
			s.n.Log.Warn("brain api: the chain does not have the task of kept scores or attachments", "task", at, "agent", key, "deleted", over)
		}
		if over {
			return s.drafts.drop(at, key)
		}
		return nil
	}
	if err != nil {
		return err
	}
	s.drafts.found(at, key)
	it, err := s.drafts.read(at, key)
	if err != nil {
		return err
	}
	self := key.String()
	if len(it.Evaluations) > 0 && d.Stage() == brain.Evaluating && it.due(d.Now, d.Until) {
		if open := counting(d, self, it); len(open.Evaluations) > 0 {
			_, err := commitScores(ctx, h, at, s.vectors(asking, d, at, key, open))
			return err
		}
	}
	if it.Attachments != "" {
		i := slices.IndexFunc(d.Seats, func(w brainview.WorkPlace) bool { return w.Worker == self })
		if i < 0 || d.Seats[i].State != "revealed" {
			if d.Over {
				return s.drafts.drop(at, key)
			}
			return nil
		}
		nodes, err := s.give(ctx, h, at, it.Attachments)
		if err != nil {
			return err
		}
		if nodes == 0 && !d.Over {
			return nil // they are given if the server is started again with a memory node
		}
		return s.drafts.drop(at, key)
	}
	if d.Over || d.Stage() > brain.RevealScores {
		return s.drafts.drop(at, key)
	}
	return nil
}

// give gives attachments and their list to the memory nodes, and says how many there are.
func (s *AgentAPI) give(ctx context.Context, h Hand, at onchain.Address, list string) (nodes int, err error) {
	raw, err := s.kept(ctx, list)
	if err != nil {
		return 0, err
	}
	var named struct {
		Attachments []finding.Attachment `json:"attachments"`
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return 0, err
	}
	for _, one := range named.Attachments {
		content, err := s.kept(ctx, one.SHA256)
		if err == nil {
			_, err = h.Give(ctx, at, content)
		}
		if err != nil {
			return 0, err
		}
	}
	return h.Give(ctx, at, raw)
}

// kept gets content by its hash in hexadecimal digits.
func (s *AgentAPI) kept(ctx context.Context, text string) ([]byte, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 32 {
		return nil, fmt.Errorf("%.80q is no SHA-256", text)
	}
	return s.n.Folder.Get(ctx, [32]byte(raw))
}
