package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/judge/account"
	"ojud/agent/judge/class"
	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/agent/judge/tools"
	"ojud/casefile"
	"ojud/voting"
)

// Reasoner is a judge with a model. Code decides first. The model answers only the open
// requirements, each several times and with the sides in both orders. Decide makes the verdict from
// the checklist. If the model fails, or its answers cannot be used, requirements stay open; then
// the opinion is that of the code checks and says why.
type Reasoner struct {
	code *Code
	cfg  Reasoning
	with ReasonerDeps
	on   defences
}

var _ Judge = (*Reasoner)(nil)

// NewReasoner returns a judge that decides the points that code leaves open.
func NewReasoner(code *Code, cfg Reasoning, m ReasonerDeps) (*Reasoner, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m, err := m.filled()
	if err != nil {
		return nil, err
	}
	return &Reasoner{code: code, cfg: cfg, with: m, on: defended()}, nil
}

type investigation struct {
	*Reasoner
	model    agent.Model
	class    class.Class
	persona  Persona
	mark     string // between which the material stands
	material *material
	items    []item
	poll     poll
	gave     map[string][]string // the families that gave the samples of a batch, by its first item
	settled  []settled           // the result of each item, after all samples
	usage    agent.Usage
	names    []string           // the models whose answers count
	faults   []string           // why samples or data are missing
	down     string             // why no model could be asked last time
	flags    []casefile.Finding // about the words of sources
	notes    []casefile.Finding // further findings
	sources  []agent.Repr       // of the task, as their holders describe them
	refused  int                // questions that were not asked
	until    time.Time
	box      *tools.Box // what the model may run; nil: nothing
}

// Evaluate implements Judge.
func (r *Reasoner) Evaluate(ctx context.Context, b Brief) (casefile.Opinion, error) {
	o, _, err := r.Account(ctx, b)
	return o, err
}

// Account is Evaluate, and also returns how the judge came to its opinion.
func (r *Reasoner) Account(ctx context.Context, b Brief) (casefile.Opinion, account.Account, error) {
	record := &recorder{Evidence: b.Evidence}
	if record.Evidence == nil {
		record.Evidence = NoSources{}
	}
	b.Evidence = record
	findings, err := r.code.findings(ctx, b)
	if err != nil {
		return casefile.Opinion{}, account.Account{}, err
	}
	b, _ = opened(b)
	const _ = uint(3 - voting.Choices) // if code does not abstain, it has decided
	choice, byDefault := decide(findings)
	if choice != voting.Abstain && !byDefault || undecided(findings) || !b.Result.Readable() {
		return opine(choice, findings, casefile.CodeChecks), account.Account{}, nil
	}
	items := r.checklist(findings, b)
	if len(items) == 0 {
		return opine(choice, findings, casefile.CodeChecks), account.Account{}, nil
	}
	q := r.open(b, findings, items, record.all())
	before := len(record.all())
	q.gather(ctx, b, record)
	proved := q.prove(ctx, b, findings)
	q.remember(ctx, b)
	q.ask(ctx)
	for _, it := range items {
		q.settled = append(q.settled, q.poll.settle(it.id, r.cfg.Agreement, q.least()))
	}
	findings = append(q.conclude(findings), q.asked(before, record)...)
	q.byProposals(findings, proved)
	q.beside(findings)
	o := opine(Decide(findings), findings, q.models())
	o.Dimension = q.persona.Dimension
	return o, q.told(), nil
}

// open begins an evaluation of the open requirements.
func (r *Reasoner) open(b Brief, findings []casefile.Finding, items []item, heard []query) *investigation {
	left := time.Until(b.Deadline)
	kind := class.Of(b.Task.Value)
	q := &investigation{Reasoner: r, model: r.with.Model(), class: kind, persona: r.with.Persona(kind), mark: r.with.Marks(b)(), items: items, poll: poll{}, gave: map[string][]string{},
		until: b.Deadline.Add(-min(r.cfg.Reserve, left/4)), material: newMaterial(b, findings, heard, r.cfg.Text, r.on)}
	if q.persona.Name != "" {
		q.notes = append(q.notes, finding(note+"persona", casefile.Pass, fmt.Sprintf("%s, for a task of the class %s", q.persona.Name, kind)))
	}
	return q
}

func opine(choice voting.Choice, findings []casefile.Finding, model string) casefile.Opinion {
	return casefile.Opinion{Choice: casefile.Choice(choice), Summary: summary(choice, findings, model), Findings: fit(findings), Model: model}
}

// ask takes samples, in alternating order of the sides, until there are enough or time is over.
func (q *investigation) ask(ctx context.Context) {
	ctx, cancel := context.WithDeadline(ctx, q.until)
	defer cancel()
	for sample := range q.cfg.Samples {
		for batch := range slices.Chunk(q.items, q.cfg.Batch) {
			if err := q.sample(ctx, batch, sample); err != nil {
				q.faults = append(q.faults, fault(ctx, err))
				if errors.Is(err, agent.ErrDown) || errors.Is(err, agent.ErrRefused) {
					q.down = clean(err.Error())
				}
				if ctx.Err() != nil || errors.Is(err, agent.ErrSpent) || errors.Is(err, agent.ErrRefused) {
					return
				}
			}
		}
	}
}

// fault says in fixed words why a model gave no answer. Words of servers stay out of opinions.
func fault(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "the time was up"
	}
	for _, known := range []error{agent.ErrSpent, agent.ErrRefused, agent.ErrBusy, agent.ErrDown, agent.ErrGarbled, agent.ErrTooLarge, agent.ErrTools} {
		if errors.Is(err, known) {
			return strings.TrimPrefix(known.Error(), "agent: ")
		}
	}
	return "the model failed"
}

// besides returns the families that gave half of the samples of some items, which is all that one
// family gives if others are to give samples, too. A sample that cannot be used counts.
func (q *investigation) besides(items []item) (out []string) {
	count := map[string]int{}
	for _, family := range q.gave[items[0].id] {
		if count[family]++; q.cfg.Families && 2*count[family] == q.cfg.Samples {
			out = append(out, family)
		}
	}
	return out
}

// least is the number of samples that an item has at least. If two families are to give them, one
// that is missing counts as unclear: otherwise one family alone could decide.
func (q *investigation) least() int {
	if q.cfg.Families {
		return q.cfg.Samples
	}
	return 0
}

// sample asks the model once about some items.
func (q *investigation) sample(ctx context.Context, items []item, n int) error {
	swapped, p := n%2 == 1, agent.Prompt{System: q.system(), Schema: form(items), MaxTokens: q.cfg.Tokens, Seed: int64(n + 1), Besides: q.besides(items)}
	if n > 1 {
		p.Temperature = q.cfg.Temperature
	}
	p.Messages = []agent.Message{{Role: agent.User, Text: q.material.question(q.mark, items, swapped && q.on.swap)}}
	reply, err := q.model.Generate(ctx, p)
	q.usage.Add(reply.Usage)
	if err != nil {
		return err
	}
	q.gave[items[0].id] = append(q.gave[items[0].id], reply.Family)
	a, err := decodeAnswer(reply.Text, items)
	if err != nil {
		return err
	}
	if name := clean(reply.Model); name != "" && !slices.Contains(q.names, name) {
		q.names = append(q.names, name)
	}
	q.poll.take(a, q.material, items, swapped)
	return nil
}

func (q *investigation) system() string {
	if q.persona.Text == "" {
		return rules
	}
	return rules + "\n\nHow you look at cases\n" + q.persona.Text
}

// checklist reads the result again, because a finding does not hold its elements.
func (r *Reasoner) checklist(findings []casefile.Finding, b Brief) []item {
	doc, err := decode(b.Result.Raw, casefile.MaxDocument)
	if err != nil {
		return nil // code decided
	}
	return checklist(findings, b.Task.Value, english.Read(doc), r.cfg.Items)
}

// conclude replaces the open findings by the results of the samples, and adds their cost.
func (q *investigation) conclude(findings []casefile.Finding) []casefile.Finding {
	out := slices.Clone(findings)
	flips := 0
	for i := 0; i < len(q.items); {
		it, end := q.items[i], i+1
		for end < len(q.items) && q.items[end].at == it.at {
			end++
		}
		for _, s := range q.settled[i:end] {
			if s.flip {
				flips++
			}
		}
		out[it.at] = find(out[it.at].Check, q.items[i:end], q.settled[i:end])
		i = end
	}
	return append(append(out, q.spent(flips)...), q.notes...)
}

// beside opens requirements that the objection does not name. A no does not reject, because nobody
// says so but the model; but then the requirement is open, and nobody is paid for it: an objection
// may be about it in other words. So is one that was not asked about in full. Anything else decides
// nothing.
func (q *investigation) beside(findings []casefile.Finding) {
	for at, f := range findings {
		name, is := strings.CutPrefix(f.Check, undisputed)
		if why := q.doubts(at, f.Outcome); is && why != "" {
			findings[at].Check, findings[at].Outcome, findings[at].Detail = instruction+name, casefile.Unknown, clean(why+f.Detail)
		}
	}
}

// doubts says why a requirement that the objection does not name is open, or nothing. Of several
// items one suffices, if most of the samples that are clear say no.
func (q *investigation) doubts(at int, outcome casefile.CheckOutcome) string {
	asked, refused := false, outcome == casefile.Fail
	for i, it := range q.items {
		if s := q.settled[i]; it.at == at {
			if s.of == 0 {
				return "the objection does not name it, and it was not asked about in full, so that it is open: "
			}
			asked, refused = true, refused || s.missed() > s.met
		}
	}
	switch {
	case refused:
		return "the objection does not name it, so this does not reject: "
	case !asked && outcome == casefile.Unknown:
		return "the objection does not name it, and there was no room to ask about it, so that it is open: "
	}
	return ""
}

// find makes the finding of a requirement from its items and their results.
func find(check string, items []item, all []settled) casefile.Finding {
	s, which := fold(all, items)
	it := items[which]
	of := ""
	switch {
	case len(all) == 1:
	case s.outcome == casefile.Pass && it.of+1 == len(all):
		of = fmt.Sprintf("the whole and each of %d elements; the last: ", it.of)
	case s.outcome == casefile.Pass:
		of = fmt.Sprintf("each of %d demands; the last: ", len(all))
	case it.of > 0:
		of = fmt.Sprintf("element %d of %d: ", it.number, it.of)
	}
	refs := s.said.refs[:min(len(s.said.refs), maxCitations)]
	return finding(check, s.outcome, it.say(s, of), append([]string{it.pointer}, refs...)...)
}

// maxSaid bounds the text of a requirement in a finding, in bytes.
const maxSaid = 200

func (it item) say(s settled, of string) string {
	what := prose.OneLine(cmp.Or(it.part, it.text), maxSaid)
	if s.of == 0 {
		return fmt.Sprintf("not decided: %q: the model gave no answer that can be used", what)
	}
	verdict := map[casefile.CheckOutcome]string{casefile.Pass: "met", casefile.Fail: "not met", casefile.Unknown: "open, " + s.why}[s.outcome]
	return fmt.Sprintf("%s (%d of %d samples): %q: %s%s", verdict, s.agree, s.of, what, of, s.said.reason)
}

// told returns the account of the evaluation. The worker is paid if every requirement is met, so
// the confidence is that of the least certain requirement.
func (q *investigation) told() account.Account {
	a := account.Account{Usage: q.usage}
	sure, said := 1.0, false
	for i, s := range q.settled {
		if s.of == 0 || q.items[i].unnamed {
			continue
		}
		if s.both {
			a.Swapped++
		}
		if s.flip {
			a.Flipped++
		}
		sure, said = min(sure, s.sure()), true
	}
	if said {
		a.Accept = &sure
	} else {
		a.Down = q.down
	}
	return a
}

func (q *investigation) spent(flips int) []casefile.Finding {
	took := fmt.Sprintf("%d requirements, %d calls, %d and %d tokens, %d.%06d USD, %s; %d depend on the order of the sides", len(q.items), q.usage.Calls, q.usage.Prompt, q.usage.Completion,
		q.usage.Cost/1e6, q.usage.Cost%1e6, q.usage.Time.Round(time.Millisecond), flips)
	if q.material.removed > 0 {
		took += fmt.Sprintf("; %d hidden characters were not shown to it", q.material.removed)
	}
	if q.material.cut > 0 {
		took += fmt.Sprintf("; %d bytes were too many to show", q.material.cut)
	}
	out := []casefile.Finding{finding(note+"model", casefile.Pass, took)}
	if len(q.faults) > 0 {
		out = append(out, finding(note+"model", casefile.Unknown, fmt.Sprintf("%d times it gave nothing: %s", len(q.faults), strings.Join(slices.Compact(q.faults), "; "))))
	}
	return out
}

func (q *investigation) models() string {
	if len(q.names) == 0 {
		return casefile.CodeChecks
	}
	name := strings.Join(q.names, "+")
	return strings.ToValidUTF8(name[:min(len(name), casefile.MaxModel)], "")
}
