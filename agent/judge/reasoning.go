package judge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/agent"
	"ojud/agent/judge/class"
	"ojud/agent/judge/memory"
	"ojud/config/bounds"
)

// Reasoning has the settings of a judge with a model.
type Reasoning struct {
	// Samples is the number of samples of each requirement, even, 2 to 16. Half of them show the
	// creator's side first, half the worker's.
	Samples int `koanf:"samples"`
	// Agreement is the share of samples that must agree, 0.5 to 1. Below it, a requirement stays
	// open.
	Agreement float64 `koanf:"min_agreement"`
	// Items bounds the requirements that the model is asked about, with the demands of each, and
	// apart from these the elements of the result that they are about, 1 to 64. The others stay
	// open.
	Items int `koanf:"max_requirements"`
	// Batch is the number of requirements in one call, 1 to 16. Small models do better with one at
	// a time.
	Batch int `koanf:"batch_size"`
	// Text bounds the part of a document or answer that the model sees, in bytes, 1024 to 262144.
	// If a text is longer, the model sees its beginning and its end.
	Text int `koanf:"max_text_bytes"`
	// Tokens bounds one answer of the model, 64 to 8192.
	Tokens int `koanf:"max_answer_tokens"`
	// Temperature is that of all samples except the first of each order, which have 0. It is 0 to
	// 2.
	Temperature float64 `koanf:"temperature"`
	// Asks is the number of questions to data sources that the model may ask, besides those of the
	// task's own checks, 0 to 16.
	Asks int `koanf:"max_data_questions"`
	// Proofs is the number of check programs that the model may write for open requirements, 0 to
	// 8; 0: none. A program decides only if it holds on two controls. For models that write code
	// well.
	Proofs int `koanf:"max_proofs"`
	// Runs is the number of calculations, calls of the program in the result, and tries of the
	// task's checks that the model may make before it decides, 0 to 16; 0: none. It can cite them
	// beside words of the result. For models that use tools well.
	Runs int `koanf:"max_runs"`
	// Families makes a model of another family give the second half of the samples, if there is
	// one. Models of one family err together. A sample that is missing or cannot be used counts as
	// unclear then. It costs what that model costs.
	Families bool `koanf:"second_family"`
	// Reserve is the time before its deadline when a judge stops asking its model, 10ms to 5m, but
	// at most a quarter of its time.
	Reserve time.Duration `koanf:"stop_before_deadline"`
}

// DefaultReasoning returns settings with two samples in each order. Three of the four must agree.
func DefaultReasoning() Reasoning {
	return Reasoning{Samples: 4, Agreement: 0.75, Items: 24, Batch: 12, Text: 24 << 10, Tokens: 1500, Temperature: 0.7, Asks: 4, Reserve: 20 * time.Second}
}

// Validate returns an error that names the wrong field, its limits and the fix.
func (r Reasoning) Validate() error {
	if err := bounds.Check("judge: reasoning.",
		bounds.Of("samples", r.Samples, 2, 16), bounds.Of("max_requirements", r.Items, 1, 64), bounds.Of("batch_size", r.Batch, 1, 16),
		bounds.Of("max_text_bytes", r.Text, 1<<10, 256<<10), bounds.Of("max_answer_tokens", r.Tokens, 64, 8192), bounds.Of("max_data_questions", r.Asks, 0, 16), bounds.Of("max_proofs", r.Proofs, 0, 8),
		bounds.Of("max_runs", r.Runs, 0, 16),
		bounds.Of("min_agreement", r.Agreement, 0.5, 1), bounds.Of("temperature", r.Temperature, 0, 2),
		bounds.Of("stop_before_deadline", r.Reserve, 10*time.Millisecond, 5*time.Minute),
	); err != nil {
		return err
	}
	if r.Samples%2 != 0 {
		return fmt.Errorf("judge: reasoning.samples is %d; set it to an even number, because half are taken in each order of the sides", r.Samples)
	}
	return nil
}

// These are used to guess what an opinion costs.
const (
	bytesOfToken   = 4
	tokensOfAnswer = 120  // about one requirement
	tokensOfRules  = 1000 // beside the documents in each call
)

// Expect guesses how many tokens the model reads and writes for an opinion: every requirement of
// the task is asked about, in each sample.
func (r Reasoning) Expect(b Brief) (prompt, completion int) {
	items := min(len(b.Task.Value.Instruction), r.Items)
	calls := r.Samples * ((items + r.Batch - 1) / r.Batch)
	text := 0
	for _, raw := range [][]byte{b.Task.Raw, b.Result.Raw, b.Objection.Raw, b.Counter.Raw} {
		text += min(len(raw), r.Text)
	}
	return calls * (text/bytesOfToken + tokensOfRules), r.Samples * items * tokensOfAnswer
}

// ReasonerDeps are a Reasoner's dependencies. Only Model is required.
type ReasonerDeps struct {
	// Model returns the model for one evaluation, with a budget of its own.
	Model func() agent.Model
	// Persona returns the persona for tasks of a class. If nil, there is none.
	Persona func(class.Class) Persona
	// Memory finds lessons from earlier cases. If nil, there are none.
	Memory Recaller
	// Marks returns the marks of one evaluation. If nil, they are RandomMarks.
	Marks func(Brief) Marks
}

// Persona is a way to look at cases. The owner wrote its text, so the system prompt has it.
type Persona struct {
	Name, Text string
	Dimension  string // the aspect that it looks at; the opinion names it
}

// Recaller finds lessons. Recall returns soon after ctx ends.
type Recaller interface {
	Recall(ctx context.Context, c memory.Search) ([]memory.Recollection, error)
}

var errNoModel = errors.New("judge: a judge that reasons needs a model")

func (m ReasonerDeps) filled() (ReasonerDeps, error) {
	if m.Model == nil {
		return m, errNoModel
	}
	if m.Persona == nil {
		m.Persona = func(class.Class) Persona { return Persona{} }
	}
	if m.Marks == nil {
		m.Marks = RandomMarks
	}
	return m, nil
}

// defences protect a judge with a model from being persuaded. Tests disable one at a time to see
// its effect: go test ./agent/judge -run Ablation -v.
type defences struct {
	marks    bool // material stands behind signs, between marks drawn for each case
	quotes   bool // a yes or a no needs words from the material
	swap     bool // the sides take turns to be shown first
	visible  bool // hidden characters are not shown
	requests bool // a question carries only facts that its source may know
}

func defended() defences {
	return defences{marks: true, quotes: true, swap: true, visible: true, requests: true}
}
