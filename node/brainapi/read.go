package brainapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"ojud/megabrain/finding"
	"ojud/node/brainview"
	"ojud/node/megabrain"
)

// named is a request about a task.
type named struct {
	TaskID string `path:"taskId" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits"`
}

// taskState is C.5 getTaskState and getTaskParticipants.
type taskState struct {
	Body struct {
		TaskID             string   `json:"taskId"`
		Description        string   `json:"description"`
		TaskClass          string   `json:"taskClass"`
		Requester          string   `json:"requester"`
		Status             string   `json:"status" doc:"in words"`
		Phase              string   `json:"phase" enum:"Created,Open,Evaluating,Settled,Disputed" doc:"TaskStatus of section C.5"`
		SubmissionDeadline int64    `json:"submissionDeadline"`
		PhaseDeadline      int64    `json:"phaseDeadline" doc:"end of the present phase; 0: it has none"`
		Budget             uint64   `json:"budget"`
		RemainingBudget    uint64   `json:"remainingBudget" doc:"0 after the settlement"`
		Paid               uint64   `json:"paid"`
		Slashed            uint64   `json:"slashed"`
		Workers            []string `json:"workers"`
		Evaluators         []string `json:"evaluators"`
		Now                int64    `json:"now" doc:"the chain's time"`
	}
}

// resultOf is C.5 getResult.
type resultOf struct {
	Worker      string          `json:"worker"`
	State       string          `json:"state"`
	ResultHash  string          `json:"resultHash,omitempty"`
	Result      json.RawMessage `json:"result,omitempty" doc:"missing: this server does not have it"`
	Summary     string          `json:"summary,omitempty"`
	FinalScore  int             `json:"finalScore" doc:"hundredths of a point"`
	InConsensus bool            `json:"inConsensus"`
	Payment     uint64          `json:"payment"`
	Slashed     uint64          `json:"slashed"`
	Cluster     int             `json:"cluster" doc:"number of the first worker whose result means the same; 0: none"`
	CopyOf      int             `json:"copyOf,omitempty"`
	LowEffort   bool            `json:"lowEffort,omitempty"`
	Scored      bool            `json:"scored,omitempty" doc:"it takes no more scores of the agent that asks"`
	Why         string          `json:"why,omitempty" doc:"why the worker got that; missing before the settlement"`

	Proof       string               `json:"proof,omitempty" doc:"what the worker says shows its result"`
	Attachments []finding.Attachment `json:"attachments,omitempty" doc:"files beside the result; GET /tasks/{taskId}/attachments/{sha256} gives each"`
	Evaluations []evaluationOf       `json:"evaluations" doc:"what evaluators said of the result, after the reveal"`
}

// evaluationOf is what an evaluator said of a result.
type evaluationOf struct {
	Evaluator  string `json:"evaluator"`
	Score      int    `json:"score"`
	Confidence int    `json:"confidence"`
	finding.Remark
}

// fileAsked names an attachment.
type fileAsked struct {
	TaskID string `path:"taskId" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits"`
	SHA256 string `path:"sha256" pattern:"^[0-9a-f]{64}$" patternDescription:"64 hexadecimal digits"`
}

// fileGiven is an attachment. A browser neither shows nor runs it.
type fileGiven struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	NoSniff     string `header:"X-Content-Type-Options"`
	Body        []byte
}

type resultList struct {
	Body struct {
		TaskID  string     `json:"taskId"`
		Status  string     `json:"status"`
		Results []resultOf `json:"results"`
	}
}

// reputationOf is C.5 getReputation, in a class.
type reputationOf struct {
	TaskClass      string `json:"taskClass"`
	ClassName      string `json:"className,omitempty"`
	WorkerScore    int    `json:"workerScore" doc:"of 10,000; 0: it is no worker of the class"`
	EvaluatorScore int    `json:"evaluatorScore"`
	LastActive     int64  `json:"lastActive"`
	FrozenUntil    int64  `json:"frozenUntil,omitempty"`
	Sponsor        string `json:"sponsor,omitempty" doc:"who vouches for it, in one of its roles"`
}

type reputation struct {
	Body struct {
		PublicKey string         `json:"publicKey"`
		Classes   []reputationOf `json:"classes"`
	}
}

// disputeOf is the dispute of a task.
type disputeOf struct {
	Body struct {
		TaskID    string `json:"taskId"`
		Disputed  bool   `json:"disputed"`
		Case      string `json:"case,omitempty" doc:"address in the court, in base58"`
		Disputant string `json:"disputant,omitempty"`
		Verdict   string `json:"verdict,omitempty" doc:"open, upheld, refused or undecided; missing: there was none, or it was about an earlier outcome"`
		Found     *bool  `json:"foundHere,omitempty" doc:"whether this server finds the posted outcome; missing: it does not have all results"`
	}
}

func (s *AgentAPI) reading() {
	read := func(path, id, summary string) huma.Operation {
		o := op(http.MethodGet, path, id, summary, "tasks")
		o.Errors = append(o.Errors, http.StatusNotFound)
		return o
	}
	huma.Register(s.api, read("/tasks/{taskId}", "task", "Say where a task stands, and who takes part"), func(ctx context.Context, in *named) (*taskState, error) {
		d, err := s.detail(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		out := &taskState{}
		b := &out.Body
		b.TaskID, b.Description, b.TaskClass, b.Requester, b.Status = hexOf(d.Task), d.Question, hexOf(d.Class), hexOf(d.Requester), d.Status
		b.SubmissionDeadline, b.PhaseDeadline, b.Budget, b.Paid, b.Slashed, b.Now = d.Submission, d.Until, uint64(d.Budget), uint64(d.Paid), uint64(d.Slashed), d.Now
		if b.Phase = d.Stage().Phase(); !d.Over {
			b.RemainingBudget = b.Budget
		}
		b.Workers, b.Evaluators = []string{}, []string{}
		for _, w := range d.Seats {
			b.Workers = append(b.Workers, hexOf(w.Worker))
		}
		for _, e := range d.Jury {
			b.Evaluators = append(b.Evaluators, hexOf(e.Evaluator))
		}
		return out, nil
	})
	huma.Register(s.api, read("/tasks/{taskId}/results", "results", "Show the revealed results with scores and payments"), func(ctx context.Context, in *named) (*resultList, error) {
		d, err := s.detail(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		out := &resultList{}
		out.Body.TaskID, out.Body.Status, out.Body.Results = hexOf(d.Task), d.Status, []resultOf{}
		asks, err := s.who(ctx)
		if err != nil {
			return nil, err
		}
		for i, w := range d.Seats {
			one := resultOf{
				Worker: hexOf(w.Worker), State: w.State, Result: w.Result, Summary: w.Summary, FinalScore: w.Score, InConsensus: w.Inside,
				Payment: uint64(w.Paid), Slashed: uint64(w.Slashed), Cluster: w.Cluster, CopyOf: w.CopyOf, LowEffort: w.LowEffort, Scored: final(d, asks.key.String(), i+1), Why: w.Why,
			}
			if w.Hash != "" {
				one.ResultHash = "0x" + w.Hash
			}
			one.Proof, one.Attachments, one.Evaluations = w.Proof, w.Files, said(d, i+1)
			out.Body.Results = append(out.Body.Results, one)
		}
		return out, nil
	})
	huma.Register(s.api, read("/tasks/{taskId}/attachments/{sha256}", "attachment", "Get a file that a worker handed in beside its result"), func(ctx context.Context, in *fileAsked) (*fileGiven, error) {
		_, at, err := s.about(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		raw, f, err := s.n.View.File(ctx, at, finding.Attachment{SHA256: in.SHA256}.Hash())
		if errors.Is(err, brainview.ErrNoFile) {
			return nil, huma.Error404NotFound(err.Error())
		}
		if err != nil {
			return nil, refused(err)
		}
		name := mime.FormatMediaType("attachment", map[string]string{"filename": f.Name})
		return &fileGiven{"application/octet-stream", name, "nosniff", raw}, nil
	})
	type who struct {
		AgentID string `path:"agentId" maxLength:"66" doc:"UUID of an agent that registered here, or 0x and 64 hexadecimal digits"`
	}
	huma.Register(s.api, read("/agents/{agentId}/reputation", "reputation", "Say what reputation an agent has, by class"), func(ctx context.Context, in *who) (*reputation, error) {
		if _, err := s.who(ctx); err != nil {
			return nil, err
		}
		key, ok := s.names.find(in.AgentID)
		if !ok {
			return nil, huma.Error404NotFound("no agent registered here as " + in.AgentID)
		}
		all, err := s.n.View.Members(ctx)
		if err != nil {
			return nil, refused(err)
		}
		out := &reputation{}
		out.Body.PublicKey, out.Body.Classes = hexed(key), reputations(all, key.String())
		return out, nil
	})
	s.disputing(read)
	s.appealing()
}

// said is what evaluators said of the result of a worker, by its number.
func said(d brainview.Detail, worker int) []evaluationOf {
	out := []evaluationOf{}
	for _, e := range d.Jury {
		for _, r := range e.Says {
			if r.Worker == worker {
				one := evaluationOf{hexOf(e.Evaluator), r.Score, r.Confidence, r.Remark}
				one.SameAs = nil
				for _, other := range r.SameAs {
					one.SameAs = append(one.SameAs, hexOf(other))
				}
				out = append(out, one)
			}
		}
	}
	return out
}

// reputations are those of an agent, by class.
func reputations(all []brainview.Membership, key string) []reputationOf {
	out, at := []reputationOf{}, map[string]int{}
	for _, m := range all {
		if m.Agent != key {
			continue
		}
		i, known := at[m.Class]
		if !known {
			i, at[m.Class] = len(out), len(out)
			out = append(out, reputationOf{TaskClass: hexOf(m.Class), ClassName: m.ClassName})
		}
		if one := &out[i]; m.Role == "worker" {
			one.WorkerScore = m.Reputation
		} else {
			one.EvaluatorScore = m.Reputation
		}
		if m.Sponsor != "" {
			out[i].Sponsor = hexOf(m.Sponsor)
		}
		out[i].LastActive, out[i].FrozenUntil = max(out[i].LastActive, m.LastActive), max(out[i].FrozenUntil, m.Frozen)
	}
	return out
}

// disputeAsked brings another outcome to the court.
type disputeAsked struct {
	TaskID string `path:"taskId" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits"`
	Key    string `header:"Idempotency-Key" maxLength:"128"`
	Body   struct {
		Rationale string `json:"rationale" minLength:"1" maxLength:"200"`
	}
}

type disputeOpened struct {
	Body struct {
		Case   string `json:"case" doc:"address in the court, in base58"`
		Stake  uint64 `json:"stake"`
		TxHash string `json:"txHash,omitempty"`
	}
}

func (s *AgentAPI) disputing(read func(path, id, summary string) huma.Operation) {
	huma.Register(s.api, read("/tasks/{taskId}/dispute", "getDispute", "Say how the dispute of a task stands"), func(ctx context.Context, in *named) (*disputeOf, error) {
		d, err := s.detail(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		out := &disputeOf{}
		out.Body.TaskID, out.Body.Disputed, out.Body.Case, out.Body.Verdict, out.Body.Found = hexOf(d.Task), d.Dispute != "", d.Dispute, d.Verdict, d.Agrees
		if d.Opponent != "" {
			out.Body.Disputant = hexOf(d.Opponent)
		}
		return out, nil
	})
	o := op(http.MethodPost, "/tasks/{taskId}/dispute", "dispute", "Bring the outcome that this server finds to the court", "evaluator")
	o.DefaultStatus, o.Errors = http.StatusCreated, append(o.Errors, http.StatusForbidden)
	huma.Register(s.api, o, func(ctx context.Context, in *disputeAsked) (*disputeOpened, error) {
		p, err := s.acts(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		return once(s, p.agent, in.Key, []byte("dispute"+in.TaskID+in.Body.Rationale), func() (*disputeOpened, error) {
			found, err := p.hand.Find(ctx, p.task, megabrain.Gaps(false))
			if err != nil {
				return nil, refused(err)
			}
			sent, err := p.hand.Dispute(ctx, found, in.Body.Rationale)
			if err != nil {
				return nil, refused(err)
			}
			out := &disputeOpened{}
			out.Body.Case, out.Body.Stake, out.Body.TxHash = sent.Dispute, uint64(sent.Stake), sent.Signature
			return out, nil
		})
	})
}

// appealAsked brings a golden task that the agent failed to the court.
type appealAsked struct {
	TaskID string `path:"taskId" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits"`
	Key    string `header:"Idempotency-Key" maxLength:"128"`
	Body   struct {
		Result int    `json:"result" minimum:"1" maximum:"8" doc:"the worker whose result was opened wrongly, counted from 1"`
		Reason string `json:"reason" minLength:"1" maxLength:"4000" doc:"why; the judges see it"`
	}
}

type appealOpened struct {
	Body struct {
		Case     string `json:"case" doc:"address in the court, in base58"`
		OpenedAs string `json:"openedAs" enum:"right,wrong"`
		Stake    uint64 `json:"stake"`
		Fee      uint64 `json:"fee" doc:"of the judges; the appellant pays it whatever they say"`
		TxHash   string `json:"txHash,omitempty"`
	}
}

func (s *AgentAPI) appealing() {
	o := op(http.MethodPost, "/tasks/{taskId}/appeal", "appeal", "Bring an opened golden task that the agent failed to the court", "evaluator")
	o.DefaultStatus, o.Errors = http.StatusCreated, append(o.Errors, http.StatusForbidden)
	huma.Register(s.api, o, func(ctx context.Context, in *appealAsked) (*appealOpened, error) {
		p, err := s.acts(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		return once(s, p.agent, in.Key, fmt.Appendf(nil, "appeal%s %d %s", in.TaskID, in.Body.Result, in.Body.Reason), func() (*appealOpened, error) {
			sent, err := s.n.Appeal(ctx, p.agent.key, megabrain.Grievance{Task: p.task, Worker: in.Body.Result, Reason: in.Body.Reason})
			if err != nil {
				return nil, refused(err)
			}
			out := &appealOpened{}
			out.Body.Case, out.Body.OpenedAs, out.Body.Stake, out.Body.Fee, out.Body.TxHash = sent.Dispute, sent.Opened, uint64(sent.Stake), uint64(sent.Fee), sent.Signature
			return out, nil
		})
	})
}

// detail reads a task for an agent that has a token.
func (s *AgentAPI) detail(ctx context.Context, id string) (brainview.Detail, error) {
	_, at, err := s.about(ctx, id)
	if err != nil {
		return brainview.Detail{}, err
	}
	d, err := s.n.View.Task(ctx, at)
	if err != nil {
		return d, refused(err)
	}
	return d, nil
}
