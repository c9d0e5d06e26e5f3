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

// Reasoning is how a judge with a model decides what code cannot.
type Reasoning struct {
	// Samples is how often each requirement is put to the model, 2 to 16 and even: half of them with the creator's side first, half with the
	// worker's.
	Samples int `koanf:"samples"`
	// Agreement is the share of the samples that has to say the same, 0.5 to 1; below it a requirement stays open.
	Agreement float64 `koanf:"min_agreement"`
	// Items bounds the requirements that the model is asked about, 1 to 64; those beyond stay open.
	Items int `koanf:"max_requirements"`
	// Batch is how many of them one call decides, 1 to 16. Small models decide one at a time better.
	Batch int `koanf:"batch_size"`
	// Text is how much of one paper or answer the model is shown, in bytes, 1024 to 262144: beginning and end if it is longer.
	Text int `koanf:"max_text_bytes"`
	// Tokens bounds one answer of the model, 64 to 8192.
	Tokens int `koanf:"max_answer_tokens"`
	// Temperature is that of all samples but the first of each order, which are taken at 0; 0 to 2.
	Temperature float64 `koanf:"temperature"`
	// Asks is how many questions to data sources the model may put besides those that the task's own checks put, 0 to 16.
	Asks int `koanf:"max_data_questions"`
	// Reserve is how long before its deadline a judge asks its model nothing more, 10ms to 5m, and never more than a quarter of the time it has.
	Reserve time.Duration `koanf:"stop_before_deadline"`
}

// DefaultReasoning takes two samples in each order, and wants three of four to agree.
func DefaultReasoning() Reasoning {
	return Reasoning{Samples: 4, Agreement: 0.75, Items: 24, Batch: 4, Text: 24 << 10, Tokens: 1500, Temperature: 0.7, Asks: 4, Reserve: 20 * time.Second}
}

// Validate names the field that is wrong, its limits, and what to do.
func (r Reasoning) Validate() error {
	if err := bounds.Check("judge: reasoning.",
		bounds.Of("samples", r.Samples, 2, 16),
		bounds.Of("min_agreement", r.Agreement, 0.5, 1),
		bounds.Of("max_requirements", r.Items, 1, 64),
		bounds.Of("batch_size", r.Batch, 1, 16),
		bounds.Of("max_text_bytes", r.Text, 1<<10, 256<<10),
		bounds.Of("max_answer_tokens", r.Tokens, 64, 8192),
		bounds.Of("temperature", r.Temperature, 0, 2),
		bounds.Of("max_data_questions", r.Asks, 0, 16),
		bounds.Of("stop_before_deadline", r.Reserve, 10*time.Millisecond, 5*time.Minute),
	); err != nil {
		return err
	}
	if r.Samples%2 != 0 {
		return fmt.Errorf("judge: reasoning.samples is %d; set it to an even number, because half are taken in each order of the sides", r.Samples)
	}
	return nil
}

// ReasonerDeps are what a Reasoner works with. Only Model has to be there.
type ReasonerDeps struct {
	// Model gives the model for one evaluation, with a budget of its own.
	Model func() agent.Model
	// Persona gives the way of looking at tasks of a class. nil: in no special way.
	Persona func(class.Class) Persona
	// Recaller finds what the judge learned from earlier cases. nil: nothing.
	Memory Recaller
	// Marks gives the marks of one evaluation. nil: RandomMarks.
	Marks func(Brief) Marks
}

// Persona is a way of looking at cases (a persona): trusted text of the node's owner, a part of the system prompt.
type Persona struct {
	Name, Text string
	Dimension  string // what it has an eye on; the opinion says it
}

// Recaller finds what a judge learned from its earlier cases (package memory). What it returns may quote strangers. It returns soon after ctx is done.
type Recaller interface {
	Recall(ctx context.Context, c memory.Search) ([]memory.Recollection, error)
}

var errNoModel = errors.New("judge: a judge that reasons needs a model")

// filled puts what nobody gave.
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

// defences are those against being talked over that can be taken away one by one, to see what each is for. Nothing but a test sets one:
// go test ./agent/judge -run Ablation -v prints what the attacks reach without it.
type defences struct {
	marks    bool // material stands behind signs, between marks drawn for each call
	quotes   bool // a yes or a no needs words that stand in the material
	swap     bool // both sides are shown first, in turn
	visible  bool // characters that are not seen are not shown
	requests bool // a question of the model carries only what its source may know
	memory   bool // what spoke to a reader is not recalled
}

// defended has all of them.
func defended() defences {
	return defences{marks: true, quotes: true, swap: true, visible: true, requests: true, memory: true}
}
