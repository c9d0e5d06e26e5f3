// Package trial examines the judge of a home before it risks stake: the exam, the attacks, and its
// possible personas. It needs no node, network or chain, and writes nothing but what Options.Keep
// asks for.
//
// What a caller must do: New with the section "judge" of the settings. A judge with a model asks
// its endpoints at the owner's cost: an exam has 40 disputes or more, the attacks about 100.
package trial

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/judge/exam"
	"ojud/agent/judge/persona"
	"ojud/agent/judge/redteam"
	"ojud/golden/generator"
	"ojud/node/trial/keep"
	"ojud/voting"
)

// Options set how a judge is examined.
type Options struct {
	Parallel int           // disputes at once, 1 to 32
	Limit    time.Duration // for one dispute, 1s to 1h
	Progress func(Step)    // called by one goroutine at a time; may be nil
	// Keep names a folder where each heard dispute of an exam is kept at once, so that the next run
	// goes on there; empty: none. Most bounds the disputes that one run hears then; 0: all.
	Keep string
	Most int
}

// Step is the progress.
type Step struct {
	Done, All int
	ID        string // of the dispute that was heard last
	Outcome   string // right, wrong, abstained, or no opinion
}

// Deps are the dependencies of a Trial besides settings.
type Deps struct {
	Log     *slog.Logger
	Judge   judge.Judge // nil: as configured
	Secrets []string    // no question to a data source may carry these: the persona, the system prompt
}

// Trial examines one judge.
type Trial struct {
	judge  judge.Judge
	chair  *chair.Chair // nil: the caller brought the judge
	config Config
	deps   Deps
}

// ErrUnknown means that there is no such attack.
var ErrUnknown = errors.New("trial: there is no such attack")

// New makes the configured judge. Paths in the settings begin at dir, the home. The caller must
// close the Trial.
func New(c Config, dir string, d Deps) (*Trial, error) {
	if d.Judge != nil {
		return &Trial{judge: d.Judge, config: c, deps: d}, nil
	}
	seat, err := chair.Fill(c, chair.Deps{Dir: dir, Log: d.Log})
	if err != nil {
		return nil, fmt.Errorf("trial: %w", err)
	}
	if seat.PersonaText != "" {
		d.Secrets = append(d.Secrets, seat.PersonaText)
	}
	return &Trial{judge: seat.Judge, chair: seat, config: c, deps: d}, nil
}

// Config are the settings of a judge.
type Config = chair.Config

// Close closes the connections to models.
func (t *Trial) Close() error { return t.chair.Close() }

// Exam hears the disputes and grades the judge. With Options.Keep it hears those that are not kept
// yet and grades all that were heard, so there may be fewer grades than disputes.
func (t *Trial) Exam(ctx context.Context, disputes []Dispute, o Options) (exam.Grades, error) {
	if o.Keep == "" && o.Most != 0 {
		return exam.Grades{}, errors.New("trial: most is for an exam that is kept; name a folder")
	}
	var folder *keep.Folder
	config := o.config()
	if o.Keep != "" {
		var err error
		if folder, err = t.folder(disputes, o); err != nil {
			return exam.Grades{}, err
		}
		config.Keep = folder.Put
	}
	e, err := exam.New(t.judge, config, t.deps.Log)
	if err != nil {
		return exam.Grades{}, err
	}
	heard, todo := divided(folder, disputes, o.Most)
	if len(todo) > 0 {
		if err := t.chair.Ready(ctx); err != nil {
			return exam.Grades{}, err
		}
	}
	done := len(heard)
	now, err := e.Hear(ctx, todo, func(h exam.Attempt) {
		done++
		o.tell(done, len(disputes), h)
	})
	if err != nil && folder != nil {
		return exam.Grades{}, fmt.Errorf("%w (%d of %d disputes are kept; the same command goes on there)", err, folder.Len(), len(disputes))
	}
	if err != nil {
		return exam.Grades{}, err
	}
	if folder != nil { // what is not kept is heard again
		now = slices.DeleteFunc(now, func(h exam.Attempt) bool { return h.Account.Down != "" })
	}
	return exam.Grade(inOrder(disputes, append(heard, now...))), nil
}

// divided returns the attempts that a folder has, and the disputes that are to be heard now.
func divided(folder *keep.Folder, disputes []Dispute, most int) (heard []exam.Attempt, todo []Dispute) {
	if folder == nil {
		return nil, disputes
	}
	for _, d := range disputes {
		if h, ok := folder.Known(d.ID); ok {
			heard = append(heard, h)
		} else if most == 0 || len(todo) < most {
			todo = append(todo, d)
		}
	}
	return heard, todo
}

// inOrder puts attempts into the order of their disputes.
func inOrder(disputes []Dispute, heard []exam.Attempt) []exam.Attempt {
	place := map[string]int{}
	for i, d := range disputes {
		place[d.ID] = i
	}
	slices.SortFunc(heard, func(a, b exam.Attempt) int { return place[a.Item.ID] - place[b.Item.ID] })
	return heard
}

// persona is the text of the judge's personas.
func (t *Trial) persona() string {
	if t.chair == nil {
		return ""
	}
	return t.chair.PersonaText
}

// folder opens the folder of an exam. Where the servers of the models are, and their keys and
// prices, do not count: a server may have another address each time.
func (t *Trial) folder(disputes []Dispute, o Options) (*keep.Folder, error) {
	about := struct {
		Config
		Persona string
		Limit   time.Duration
	}{t.config, t.persona(), o.Limit}
	about.Config.Models.Models = slices.Clone(about.Config.Models.Models)
	for i := range about.Config.Models.Models {
		m := &about.Config.Models.Models[i]
		m.URL, m.Key, m.PromptPrice, m.CompletionPrice = "", "", 0, 0
	}
	var n keep.Name
	var err error
	if n.Disputes, err = keep.Of(disputes); err != nil {
		return nil, err
	}
	if n.Judge, err = keep.Of(about); err != nil {
		return nil, err
	}
	if n.Program, err = keep.Program(); err != nil {
		return nil, err
	}
	return keep.Open(o.Keep, n, disputes)
}

// RedTeam makes the attacks that only names, by number or name, or all if it is empty. The error
// wraps ErrUnknown if there is no such attack. It fails at once if no model of the judge answers.
func (t *Trial) RedTeam(ctx context.Context, only []string, o Options) (redteam.Summary, error) {
	attacks, disputes, err := redteam.List()
	if err != nil {
		return redteam.Summary{}, err
	}
	if attacks, err = chosen(attacks, only); err != nil {
		return redteam.Summary{}, err
	}
	e, err := t.examiner(o)
	if err != nil {
		return redteam.Summary{}, err
	}
	if err := t.chair.Ready(ctx); err != nil {
		return redteam.Summary{}, err
	}
	return redteam.Run(ctx, e, attacks, disputes, redteam.Options{Secrets: t.deps.Secrets, Each: o.tell})
}

func chosen(all []redteam.Attack, only []string) (out []redteam.Attack, err error) {
	if len(only) == 0 {
		return all, nil
	}
	for _, name := range only {
		i := slices.IndexFunc(all, func(a redteam.Attack) bool { return a.Name == name || strconv.Itoa(a.Number) == name })
		if i < 0 {
			return nil, fmt.Errorf("%w: %.60q", ErrUnknown, name)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// DefaultOptions returns those of package exam.
func DefaultOptions() Options {
	c := exam.DefaultConfig()
	return Options{Parallel: c.Parallel, Limit: c.Limit}
}

// Validate names the wrong field and its limits.
func (o Options) Validate() error { return o.config().Validate() }

func (o Options) config() exam.Config {
	c := exam.DefaultConfig()
	c.Parallel, c.Limit = o.Parallel, o.Limit
	return c
}

func (t *Trial) examiner(o Options) (*exam.Examiner, error) {
	return exam.New(t.judge, o.config(), t.deps.Log)
}

func (o Options) tell(done, all int, h exam.Attempt) {
	if o.Progress == nil {
		return
	}
	const _ = uint(3 - voting.Choices) // a choice is an abstention, right or wrong
	outcome := "wrong"
	switch {
	case h.Err != nil:
		outcome = "no opinion"
	case h.Choice() == voting.Abstain:
		outcome = "abstained"
	case h.Opinion.Choice == h.Item.Label:
		outcome = "right"
	}
	o.Progress(Step{Done: done, All: all, ID: h.Item.ID, Outcome: outcome})
}

// Dispute is a labelled dispute.
type Dispute = exam.Item

// Disputes reads an exam: the shipped one if r is nil, else one in the format of package exam, or,
// if set is not empty, a public set to convert. skipped counts the disputes that could not be
// converted.
func Disputes(r io.Reader, set string) (disputes []Dispute, skipped int, err error) {
	switch {
	case r == nil:
		disputes, err = exam.Own()
	case set == "":
		disputes, err = exam.Read(r)
	default:
		return exam.Convert(r, exam.Set(set))
	}
	return disputes, 0, err
}

// Syllabus says which exam of generated disputes is made.
type Syllabus struct {
	Seed    string   // empty: a new one
	Size    int      // disputes
	Kinds   []string // of work; empty: all
	Typed   bool     // the objections have typed grounds
	Support string   // what the tasks carry for code: words, core or whole; empty: a third of each
}

func (p Syllabus) exam() exam.Syllabus {
	out := exam.Syllabus{Seed: p.Seed, Items: p.Size, Kinds: generator.ExamKinds(), Typed: p.Typed, Support: generator.Support(p.Support)}
	if len(p.Kinds) > 0 {
		out.Kinds = nil
		for _, k := range p.Kinds {
			out.Kinds = append(out.Kinds, generator.Kind(k))
		}
	}
	return out
}

// Fresh makes an exam of generated disputes. It returns the plan with its seed.
func Fresh(p Syllabus) ([]Dispute, Syllabus, error) {
	if p.Seed == "" {
		p.Seed = rand.Text()[:16]
	}
	if len(p.Seed) > maxSeed {
		return nil, p, fmt.Errorf("trial: the seed has %d bytes; write at most %d", len(p.Seed), maxSeed)
	}
	disputes, err := exam.Fresh(p.exam())
	return disputes, p, err
}

// maxSeed bounds a seed, in bytes.
const maxSeed = 64

// Kinds returns the kinds of work of generated disputes.
func Kinds() (names []string) {
	for _, k := range generator.ExamKinds() {
		names = append(names, string(k))
	}
	return names
}

// Save writes an exam in the format of package exam.
func Save(w io.Writer, disputes []Dispute) error { return exam.Write(w, disputes) }

// Sets returns the names of the public sets that Disputes converts.
func Sets() (names []string) {
	for _, s := range exam.Sets() {
		names = append(names, string(s))
	}
	return names
}

// Way is a way of judging.
type Way = persona.Persona

// Personas returns the shipped ways of judging.
func Personas() ([]Way, error) { return persona.List() }

// Persona finds a shipped persona by its name, or reads an owner's file that ends in .toml.
func Persona(ref string) (Way, error) { return persona.Find(ref) }
