package pay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"

	"ojud/megabrain/meaning"
	"ojud/schema"
)

// The bounds of a task.
const (
	MaxBytes      = 8 << 20
	maxWorkers    = 1000
	maxEvaluators = 20
	maxID         = 64      // bytes
	maxBudget     = 1 << 53 // lamports; all stakes of a task together fit in 64 bits
	maxTime       = 1 << 40 // Unix seconds
	maxReputation = whole
)

// What happens to the lamports of the budget that nobody earned.
const (
	toRequester = "return"
	toTreasury  = "treasury"
	toNobody    = "burn"
)

// Assignment is a task with the results of its workers and what evaluators say about them.
type Assignment struct {
	Budget        uint64     `json:"budget,string"`
	Deadline      int64      `json:"deadline"` // of results, Unix seconds, before an extension
	Extension     *Extension `json:"extension,omitempty"`
	Difficulty    int        `json:"difficulty"`    // 50 (easy) to 200 (hard)
	Undistributed string     `json:"undistributed"` // return, treasury or burn
	Parameters    Parameters `json:"parameters"`
	// Class says which fields of the results carry their meaning. Without one, the workers name
	// their clusters.
	Class       *meaning.Fields `json:"class,omitempty"`
	Workers     []Submission    `json:"workers"`
	Evaluators  []Evaluator     `json:"evaluators"`
	Evaluations []Evaluation    `json:"evaluations"`
	// Poster is the evaluator that posted the outcome. It may be left out where nobody has to.
	Poster string `json:"poster,omitempty"`
	// Unposted says that some evaluator had to post an outcome, and none did.
	Unposted bool `json:"unposted,omitempty"`
}

// Extension is more time for the workers, for more budget.
type Extension struct {
	Seconds int64  `json:"seconds"`
	Budget  uint64 `json:"budget,string"` // added to that of the task
}

// Submission is a worker with its result.
type Submission struct {
	ID        string          `json:"id"`
	Stake     uint64          `json:"stake,string"`
	Submitted *int64          `json:"submitted"`          // Unix seconds; nil if it never was
	Called    int64           `json:"called,omitempty"`   // Unix seconds, if it was called later than the others
	Result    json.RawMessage `json:"result,omitempty"`   // if the task has a class
	Cluster   string          `json:"cluster"`            // results that mean the same; empty: alone
	Complete  *int            `json:"complete,omitempty"` // basis points of the structure that is there
	LowEffort bool            `json:"low_effort"`         // detected
	CopyOf    string          `json:"copy_of"`            // the worker that it copied, detected
}

// Evaluator is one with a stake on its judgement.
type Evaluator struct {
	ID          string `json:"id"`
	Stake       uint64 `json:"stake,string"`
	Reputation  int    `json:"reputation"`       // 1 to 10,000
	Called      int64  `json:"called,omitempty"` // Unix seconds, if it was called later than the others
	RubberStamp bool   `json:"rubber_stamp"`     // detected
}

// Evaluation is what one evaluator says about the result of one worker.
type Evaluation struct {
	Evaluator  string `json:"evaluator"`
	Worker     string `json:"worker"`
	Score      int    `json:"score"`      // 0 to 100
	Confidence int    `json:"confidence"` // 0 to 100
	At         int64  `json:"at"`         // Unix seconds
}

// budget is that of the task with its extension.
func (a *Assignment) budget() uint64 {
	if a.Extension == nil {
		return a.Budget
	}
	return a.Budget + a.Extension.Budget
}

// due is when results had to be there.
func (a *Assignment) due() int64 {
	if a.Extension == nil {
		return a.Deadline
	}
	return a.Deadline + a.Extension.Seconds
}

// dueFrom is when the result of one worker had to be there. One that was called later has a whole
// window.
func (a *Assignment) dueFrom(w Submission) int64 {
	if w.Called == 0 {
		return a.due()
	}
	return max(a.due(), w.Called+int64(a.Parameters.Submission))
}

// counts says whether the result of a worker takes part.
func (a *Assignment) counts(w Submission) bool {
	return w.Submitted != nil && *w.Submitted <= a.dueFrom(w) && w.CopyOf == "" && !w.LowEffort
}

// Parse reads a task from JSON that a stranger may have written. Parameters that it does not name
// have their defaults.
func Parse(raw []byte) (Assignment, error) {
	limits := schema.DefaultLimits()
	limits.ValueBytes, limits.Values, limits.Depth = MaxBytes, 400_000, 40
	v, err := limits.Decode(raw)
	if err == nil {
		err = exact(v, reflect.TypeFor[Assignment]())
	}
	if err != nil {
		return Assignment{}, err
	}
	a := Assignment{Difficulty: 100, Undistributed: toRequester, Parameters: Defaults()}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return Assignment{}, fmt.Errorf("the task is not in its form: %w", err)
	}
	if err := a.validate(); err != nil {
		return Assignment{}, err
	}
	return a, a.cluster(limits)
}

// cluster finds the clusters of results that count, by the class of the task. A cluster has the
// name of its first worker.
func (a *Assignment) cluster(limits schema.Limits) error {
	var results []any
	var who []int
	for i, w := range a.Workers {
		switch {
		case a.Class == nil && w.Result != nil:
			return fmt.Errorf("workers[%d] has a result, and the task no class that says what it means", i)
		case a.Class == nil:
			continue
		case w.Cluster != "":
			return fmt.Errorf("workers[%d] names a cluster, and the class of the task finds it", i)
		case (w.Submitted == nil) != (w.Result == nil):
			return fmt.Errorf("workers[%d] has a result without a time, or a time without a result", i)
		}
		if !a.counts(w) {
			continue
		}
		v, err := limits.Decode(w.Result)
		if err != nil {
			return fmt.Errorf("workers[%d].result: %w", i, err)
		}
		results, who = append(results, v), append(who, i)
	}
	if a.Class == nil {
		return nil
	}
	if err := a.Class.Validate(); err != nil {
		return err
	}
	labels, err := a.Class.Clusters(results)
	if err != nil {
		return err
	}
	for i, first := range labels {
		if first >= 0 {
			a.Workers[who[i]].Cluster = a.Workers[who[first]].ID
		}
	}
	return nil
}

// validate says what is wrong with a task, with the field and its limit.
func (a *Assignment) validate() error {
	if err := a.Parameters.validate(); err != nil {
		return err
	}
	switch {
	case a.Budget == 0 || a.Budget > maxBudget:
		return fmt.Errorf("budget is %d lamports; it is 1 to %d", a.Budget, uint64(maxBudget))
	case a.Deadline < 1 || a.Deadline > maxTime:
		return fmt.Errorf("deadline is %d; it is Unix seconds, 1 to %d", a.Deadline, int64(maxTime))
	case a.Difficulty < 50 || a.Difficulty > 200:
		return fmt.Errorf("difficulty is %d; it is 50 (easy) to 200 (hard)", a.Difficulty)
	case a.Undistributed != toRequester && a.Undistributed != toTreasury && a.Undistributed != toNobody:
		return fmt.Errorf("undistributed is %.20q; it is return, treasury or burn", a.Undistributed)
	case len(a.Workers) < 1 || len(a.Workers) > maxWorkers:
		return fmt.Errorf("there are %d workers; a task has 1 to %d", len(a.Workers), maxWorkers)
	case len(a.Evaluators) < 2 || len(a.Evaluators) > maxEvaluators:
		return fmt.Errorf("there are %d evaluators; a task has 2 to %d", len(a.Evaluators), maxEvaluators)
	}
	if err := a.validateExtension(); err != nil {
		return err
	}
	if err := a.validatePeople(); err != nil {
		return err
	}
	return a.validateEvaluations()
}

func (a *Assignment) validateExtension() error {
	e := a.Extension
	if e == nil {
		return nil
	}
	if window := int64(a.Parameters.Submission); e.Seconds < 1 || e.Seconds > 3*window {
		return fmt.Errorf("extension.seconds is %d; it is 1 to %d, three submission windows", e.Seconds, 3*window)
	}
	if e.Budget > maxBudget-a.Budget {
		return fmt.Errorf("extension.budget is %d lamports, too many", e.Budget)
	}
	if price := a.extensionPrice(e.Seconds); e.Budget < price {
		return fmt.Errorf("extension.budget is %d lamports; %d more seconds cost at least %d", e.Budget, e.Seconds, price)
	}
	return nil
}

// extensionPrice is what so many more seconds add to the budget at least.
func (a *Assignment) extensionPrice(seconds int64) uint64 {
	return mulDivUp(a.Budget, uint64(seconds)*uint64(a.Parameters.Extension), uint64(a.Parameters.Submission)*whole)
}

func (a *Assignment) validatePeople() error {
	seen := map[string]bool{}
	person := func(what string, i int, id string, stake, least uint64) error {
		switch {
		case id == "" || len(id) > maxID || !utf8.ValidString(id):
			return fmt.Errorf("%s[%d].id has %d bytes; it has 1 to %d", what, i, len(id), maxID)
		case seen[id]:
			return fmt.Errorf("%s[%d].id is %q again; nobody has two parts in a task", what, i, id)
		case stake < least || stake > maxBudget:
			return fmt.Errorf("%s[%d].stake is %d lamports; it is %d to %d", what, i, stake, least, uint64(maxBudget))
		}
		seen[id] = true
		return nil
	}
	workerStake, evaluatorStake := a.stakes()
	for i, w := range a.Workers {
		if err := person("workers", i, w.ID, w.Stake, workerStake); err != nil {
			return err
		}
		if len(w.Cluster) > maxID {
			return fmt.Errorf("workers[%d].cluster has %d bytes; it has at most %d", i, len(w.Cluster), maxID)
		}
		if w.Complete != nil && (*w.Complete < 0 || *w.Complete > whole) {
			return fmt.Errorf("workers[%d].complete is %d; it is 0 to %d", i, *w.Complete, whole)
		}
		if w.Called < 0 || w.Called > maxTime {
			return fmt.Errorf("workers[%d].called is %d; it is Unix seconds, 0 to %d", i, w.Called, int64(maxTime))
		}
		if w.Submitted != nil && (*w.Submitted < 0 || *w.Submitted > maxTime) {
			return fmt.Errorf("workers[%d].submitted is %d; it is Unix seconds, 0 to %d", i, *w.Submitted, int64(maxTime))
		}
	}
	for i, e := range a.Evaluators {
		if err := person("evaluators", i, e.ID, e.Stake, evaluatorStake); err != nil {
			return err
		}
		if e.Reputation < 1 || e.Reputation > maxReputation {
			return fmt.Errorf("evaluators[%d].reputation is %d; it is 1 to %d", i, e.Reputation, maxReputation)
		}
		if e.Called < 0 || e.Called > maxTime {
			return fmt.Errorf("evaluators[%d].called is %d; it is Unix seconds, 0 to %d", i, e.Called, int64(maxTime))
		}
	}
	return a.validateCopies()
}

// stakes are the least of a worker and of an evaluator. An extension does not raise them, because
// they are locked before it.
func (a *Assignment) stakes() (worker, evaluator uint64) {
	return mulDivUp(a.Budget, uint64(a.Parameters.WorkerStake), whole), mulDivUp(a.Budget, uint64(a.Parameters.EvaluatorStake), whole)
}

// validateCopies checks that what was copied was there before the copy.
func (a *Assignment) validateCopies() error {
	submitted := map[string]*int64{}
	for _, w := range a.Workers {
		submitted[w.ID] = w.Submitted
	}
	for i, w := range a.Workers {
		if w.CopyOf == "" {
			continue
		}
		if first := submitted[w.CopyOf]; first == nil || w.Submitted == nil || *first >= *w.Submitted {
			return fmt.Errorf("workers[%d].copy_of is %.64q, whose result was not submitted before this one", i, w.CopyOf)
		}
	}
	return nil
}

func (a *Assignment) validateEvaluations() error {
	workers, evaluators := map[string]bool{}, map[string]bool{}
	for _, w := range a.Workers {
		workers[w.ID] = w.Submitted != nil
	}
	for _, e := range a.Evaluators {
		evaluators[e.ID] = true
	}
	switch {
	case a.Poster != "" && !evaluators[a.Poster]:
		return fmt.Errorf("poster is %.64q, no evaluator of this task", a.Poster)
	case a.Poster != "" && a.Unposted:
		return fmt.Errorf("poster is %.64q, and unposted says that nobody posted", a.Poster)
	}
	seen := map[[2]string]bool{}
	for i, e := range a.Evaluations {
		key := [2]string{e.Evaluator, e.Worker}
		switch {
		case !evaluators[e.Evaluator]:
			return fmt.Errorf("evaluations[%d].evaluator is %.64q, no evaluator of this task", i, e.Evaluator)
		case !workers[e.Worker]:
			return fmt.Errorf("evaluations[%d].worker is %.64q, who submitted nothing in this task", i, e.Worker)
		case seen[key]:
			return fmt.Errorf("evaluations[%d] is the second of %.64q about %.64q", i, e.Evaluator, e.Worker)
		case e.Score < 0 || e.Score > 100:
			return fmt.Errorf("evaluations[%d].score is %d; it is 0 to 100", i, e.Score)
		case e.Confidence < 0 || e.Confidence > 100:
			return fmt.Errorf("evaluations[%d].confidence is %d; it is 0 to 100", i, e.Confidence)
		case e.At < 0 || e.At > maxTime:
			return fmt.Errorf("evaluations[%d].at is %d; it is Unix seconds, 0 to %d", i, e.At, int64(maxTime))
		}
		seen[key] = true
	}
	return nil
}
