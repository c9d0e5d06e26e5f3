package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/library"
	"ojud/node/network"
	"ojud/voting"
)

// Review says what a worker should know about a task before it claims it.
type Review struct {
	Sources  []SourceHolders `json:"sources"`
	Warnings []Warning       `json:"warnings"`
}

// SourceHolders counts the judges that have a source which the task names.
type SourceHolders struct {
	Source string `json:"source"`
	// Staked is how many active judges of the Roster say that they have it, without the parties. It
	// is -1 if no node could be asked.
	Staked int `json:"staked"`
}

// Warning is a term of a task that can cost the worker its pay.
type Warning struct {
	Term string `json:"term"`
	Why  string `json:"why"` // it matters to the worker
	Fix  string `json:"fix"`
}

// reviewed is what the rules of a review look at.
type reviewed struct {
	doc         casefile.Task
	unreadable  error // the document cannot be had or read
	undecided   voting.OnUndecided
	engine      *EngineView // nil: the court
	refused     string      // why the worker's list does not allow the engine; empty: it does
	otherwise   string      // what to do about it
	workSeconds uint32
	sources     []SourceHolders
	judges      int // active ones on the Roster, without the parties
}

// fewJudges is the number of judges below which a worker is warned: whoever has a few of them
// decides.
const fewJudges = 4

// shortWork is the time for the work below which a worker is warned: a mistake cannot be corrected.
const shortWork = 10 * time.Minute

// warnings applies all rules. Each rule is one function in this list, so that a new term is a new
// line.
func (r reviewed) warnings() []Warning {
	out := []Warning{}
	for _, rule := range []func(reviewed) []Warning{
		reviewed.document, reviewed.judgesOfOthers, reviewed.unlisted, reviewed.refund, reviewed.holders, reviewed.dataChecks, reviewed.programs, reviewed.time, reviewed.court,
	} {
		out = append(out, rule(r)...)
	}
	return out
}

func (r reviewed) document() []Warning {
	switch {
	case errors.Is(r.unreadable, library.ErrNoContent):
		return []Warning{{"the task's document", "no node has it now, so that neither you nor the judges know what is demanded",
			"ask the creator to publish it: ojud task publish TASK FILE"}}
	case r.unreadable != nil:
		return []Warning{{"the task's document", fmt.Sprintf("judges cannot read it (%v), so that they cannot hold your result to it", r.unreadable),
			"ask the creator for a new task without this fault"}}
	}
	return nil
}

func (r reviewed) judgesOfOthers() []Warning {
	if r.engine == nil {
		return nil
	}
	fee := "it takes no fee"
	if r.engine.Fee > 0 {
		fee = fmt.Sprintf("its fee of %s comes out of the loser's bond, and the agent %s gets it", r.engine.Fee, r.engine.Agent)
	}
	silence := "the court decides"
	if r.engine.Silence == "term" {
		silence = map[voting.OnUndecided]string{
			voting.RefundCreator: "the creator gets the whole reward back, has your work and loses its bond", voting.PayWorker: "you are paid and lose your bond",
			voting.SplitEscrow: "you and the creator get half of the reward each, and lose half of your bonds",
		}[r.undecided]
	}
	return []Warning{{"engine", fmt.Sprintf("this court does not decide a dispute; the engine %s does; %s; it has %s from the counter-objection on, and if it says nothing in that time, %s",
		r.engine.Engine, fee, span(r.engine.Seconds), silence),
		"claim it only if you trust it: whoever controls it decides who is paid; see: ojud engine show"}}
}

func (r reviewed) unlisted() []Warning {
	if r.refused == "" {
		return nil
	}
	return []Warning{{"engine not allowed", r.refused, r.otherwise}}
}

func (r reviewed) refund() []Warning {
	if r.undecided != voting.RefundCreator {
		return nil
	}
	return []Warning{{"on_undecided: refund", "if the judges cannot decide, the creator gets the whole reward back and has your work",
		"prefer tasks with split or pay, and look whether the result can be checked"}}
}

func (r reviewed) holders() (out []Warning) {
	for _, s := range r.sources {
		why := ""
		switch s.Staked {
		case -1:
			why = "no node could be asked which judges have it"
		case 0:
			why = "no judge with a stake says that it has it, so that nobody proves what it says"
		case 1:
			why = "one judge alone says that it has it, and nobody can contradict that judge"
		default:
			continue
		}
		out = append(out, Warning{"data source " + s.Source, why, "ask the creator for a source that several judges have; see who has it: ojud source query " +
			s.Source + " --list"})
	}
	return out
}

func (r reviewed) dataChecks() []Warning {
	var places, sources []string
	for i, check := range r.doc.Expected {
		if check.Data == nil {
			continue
		}
		places = append(places, fmt.Sprintf("expected[%d].data", i))
		if !slices.Contains(sources, check.Data.Source) {
			sources = append(sources, check.Data.Source)
		}
	}
	if len(places) == 0 {
		return nil
	}
	return []Warning{{strings.Join(places, ", "), fmt.Sprintf("what %s says at the time of the dispute decides, not your result alone", strings.Join(sources, " and ")),
		"make sure that your work is seen there, and will still be seen then"}}
}

func (r reviewed) programs() (out []Warning) {
	for i, check := range r.doc.Expected {
		if check.Runs() {
			what := "tests of the creator decide whether your program is right"
			if check.Program != nil {
				what = fmt.Sprintf("a program of the creator decides whether your result is right: %.200q", check.Program.Text())
			}
			out = append(out, Warning{fmt.Sprintf("expected[%d]", i), what, "read it, and run it on your result: ojud check result; task submit does so, too"})
		}
	}
	return out
}

func (r reviewed) time() []Warning {
	if time.Duration(r.workSeconds)*time.Second >= shortWork {
		return nil
	}
	return []Warning{{"work time", fmt.Sprintf("you have %s from the claim to the result; if you miss that, the task is open again, and you may not "+
		"claim it", time.Duration(r.workSeconds)*time.Second), "claim it only if your result is ready, or ask for more time"}}
}

func (r reviewed) court() []Warning {
	if r.judges >= fewJudges {
		return nil
	}
	return []Warning{{"judges", fmt.Sprintf("only %d judges may sit in a dispute of this task; whoever has a third of them can take your pay", r.judges),
		"see who they are: ojud judge list; claim it only if you trust them"}}
}

// ReviewOffer reviews a task that is not posted yet. Its document was read by TaskFile.
func (c *Client) ReviewOffer(ctx context.Context, doc library.Document, terms Offer) (Review, error) {
	i, err := terms.instruction(doc.Hash, 0)
	if err != nil {
		return Review{}, err
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return Review{}, err
	}
	t := &program.Task{
		RewardMin: i.RewardMin, OnUndecided: i.OnUndecided, WorkSeconds: i.WorkSeconds,
		Engine: i.Engine, EngineGroup: i.EngineGroup, EngineAgent: i.EngineAgent, EngineFee: i.EngineFee, EngineSeconds: i.EngineSeconds, OnSilence: i.OnSilence,
	}
	r := reviewOf(t)
	r.refused, _ = refusal(t, rules.Now.Params, []Trust{{Decider: deciderOf(t)}})
	r.otherwise = "give it other terms, because the clients of workers refuse these by default"
	return c.review(ctx, doc.Content, r, c.self)
}

// reviewOf reads the terms of a task.
func reviewOf(t *program.Task) reviewed {
	return reviewed{undecided: t.OnUndecided, engine: viewEngine(t), workSeconds: t.WorkSeconds}
}

// ReviewTask reviews a task on the chain, for a worker that trusts some engines. Its document comes
// from nodes.
func (c *Client) ReviewTask(ctx context.Context, task onchain.Address, trusted ...Trust) (Review, error) {
	t, err := c.task(ctx, task)
	if err != nil {
		return Review{}, err
	}
	rules, err := law.Version(ctx, c.chain, t.Rules)
	if err != nil {
		return Review{}, err
	}
	r := reviewOf(t)
	r.refused, r.otherwise = refusal(t, rules.Params, trusted)
	raw, err := c.Fetch(ctx, t.TaskHash)
	if err != nil && ctx.Err() != nil {
		return Review{}, ctx.Err()
	}
	r.unreadable = err
	return c.review(ctx, raw, r, c.self, t.Creator, t.CreatorOperator)
}

// review completes a review by the document and the holders of its sources. The parties are no
// holders.
func (c *Client) review(ctx context.Context, raw []byte, r reviewed, parties ...onchain.Address) (Review, error) {
	var doc casefile.Doc[casefile.Task]
	if r.unreadable == nil {
		doc, r.unreadable = casefile.ParseTask(raw)
	}
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return Review{}, err
	}
	for i := range roster.Entries {
		if e := &roster.Entries[i]; e.State == program.EntryActive && !party(e, parties) {
			r.judges++
		}
	}
	r.doc, r.sources = doc.Value, []SourceHolders{}
	for _, name := range doc.Value.DataSources {
		n, err := c.stakedHolders(ctx, roster, name, parties)
		if err != nil {
			return Review{}, err
		}
		r.sources = append(r.sources, SourceHolders{name, n})
	}
	return Review{Sources: r.sources, Warnings: r.warnings()}, nil
}

// stakedHolders counts the active judges that announce a source, without some. It is -1 if no node
// could be asked.
func (c *Client) stakedHolders(ctx context.Context, roster *program.Roster, source string, without []onchain.Address) (int, error) {
	l, err := c.Library(ctx)
	if err != nil {
		return -1, ctx.Err() // the review says that no node could be asked
	}
	peers, known, err := l.Holders(ctx, source)
	if err != nil || !known {
		return -1, err
	}
	has := map[voting.Key]bool{}
	for _, p := range peers {
		if key, err := network.KeyOf(p); err == nil {
			has[key] = true
		}
	}
	count := 0
	for i := range roster.Entries {
		if e := &roster.Entries[i]; e.State == program.EntryActive && has[e.Peer] && !party(e, without) {
			count++
		}
	}
	return count, nil
}

// party reports whether a judge is one of some people, or is run by one.
func party(e *program.RosterEntry, people []onchain.Address) bool {
	for _, p := range people {
		if !p.IsZero() && (e.Authority == p || e.Operator == p) {
			return true
		}
	}
	return false
}
