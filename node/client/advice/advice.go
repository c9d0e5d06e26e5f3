// Package advice says what the parties of a task should know before they agree to its terms: who
// has its data sources, who can judge it, and which terms cost a worker its pay or a creator its
// money. The caller reads the terms; the package only judges them.
package advice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/sealed"
	"ojud/casefile/settle"
	"ojud/node/client/owned"
	"ojud/node/library"
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

// Everybody reports whether each judge reads it from the chain, so that nobody announces it.
func (s SourceHolders) Everybody() bool { return s.Source == agentdata.Source }

// Warning is a term of a task that can cost the worker its pay.
type Warning struct {
	Term string `json:"term"`
	Why  string `json:"why"` // it matters to the worker
	Fix  string `json:"fix"`
}

// Deal is what a review looks at.
type Deal struct {
	Doc        casefile.Task
	Unreadable error // the document cannot be had or read
	Undecided  voting.OnUndecided
	Engine     *ForeignEngine // nil: the court
	Refused    string         // why the worker's list does not allow the engine; empty: it does
	Otherwise  string         // what to do about it
	Work       time.Duration
	Sources    []SourceHolders
	Judges     int  // active ones on the Roster, without the parties
	Final      bool // the rules of the court know no appeal
	// Readers counts those of them that say that they have a model; -1 if no node could be asked.
	Readers int
	// Creator posts the task, and Data is what the task names of agents.
	Creator casefile.Address
	Data    []owned.Data
}

// ForeignEngine is somebody who decides instead of the court.
type ForeignEngine struct {
	Name    string // PROGRAM or PROGRAM/GROUP
	Fee     string // from the loser's bond, in SOL; empty: none
	Agent   string // who gets it
	Time    time.Duration
	ByTerms bool // if it is silent, the term on_undecided decides, and not the court
}

// fewJudges is the number of judges below which a worker is warned: whoever has a few of them
// decides.
const fewJudges = 4

// appealable is the number of judges below which no appeal can be seated: seven judges decide at
// least, and seven others hear the appeal.
const appealable = 14

// shortWork is the time for the work below which a worker is warned: a mistake cannot be corrected.
const shortWork = 10 * time.Minute

// ForWorker returns what a worker should know before it claims a task. Each rule is one function in
// this list, so that a new term is a new line.
func (r Deal) ForWorker() Review {
	out := Review{Sources: r.Sources, Warnings: []Warning{}}
	for _, rule := range []func(Deal) []Warning{
		Deal.document, Deal.judgesOfOthers, Deal.unlisted, Deal.refund, Deal.holders, Deal.dataChecks, Deal.unpinned, Deal.programs, Deal.time, Deal.court,
	} {
		out.Warnings = append(out.Warnings, rule(r)...)
	}
	return out
}

// ForCreator returns what a creator should know before it posts a task: what its workers will be
// told, and what no judge may be able to decide.
func (r Deal) ForCreator() Review {
	out := r.ForWorker()
	out.Warnings = slices.Concat(out.Warnings, r.words(), r.table(), r.python(), r.final())
	return out
}

// python warns that only judges with CPython make a check.
func (r Deal) python() []Warning {
	var places []string
	for i, k := range r.Doc.Expected {
		if k.Python() {
			places = append(places, fmt.Sprintf("expected[%d]", i))
		}
	}
	if len(places) == 0 || r.Engine != nil {
		return nil
	}
	return []Warning{{strings.Join(places, ", "), "only judges that have CPython make this check, and nobody can see which do; the others leave it open",
		"ask judges of this court whether they have it (ojud check python), or give tests in JavaScript"}}
}

// table warns that open tests settle instructions alone: a worker can hand in a table of their
// answers, which code pays for, whatever the creator shows.
func (r Deal) table() []Warning {
	var places []string
	for i, k := range r.Doc.Expected {
		alone := func(instruction int) bool {
			return !slices.ContainsFunc(r.Doc.Expected, func(other casefile.Check) bool {
				return other.Sealed != nil && slices.Contains(other.Settles, instruction)
			})
		}
		if k.Tests != nil && slices.ContainsFunc(k.Settles, alone) {
			places = append(places, fmt.Sprintf("expected[%d]", i))
		}
	}
	if len(places) == 0 || r.Engine != nil {
		return nil
	}
	return []Warning{{strings.Join(places, ", "), "these tests settle instructions, and the worker sees them: a table of their answers passes, and is paid",
		"seal further calls that settle the same instructions (ojud task create --seal CHECK.json); then both must pass"}}
}

// ForClaimant returns what a claimant should know before it pays for a dispute by these terms.
func (r Deal) ForClaimant() (w Warning, ok bool) {
	text, term := r.unread()
	return Warning{term, text + "; if they cannot decide, neither side wins, and the fee is gone",
		"look who can read with ojud court show, or bring it by terms with a check, such as a program"}, text != ""
}

// unread names the instructions that only readers can decide, in a court that has too few of them.
func (r Deal) unread() (why, terms string) {
	var open []string
	for i := range r.Doc.Instruction {
		if len(settle.By(r.Doc, i)) == 0 {
			open = append(open, fmt.Sprintf("instruction[%d]", i))
		}
	}
	if r.Engine != nil || len(open) == 0 || r.Readers < 0 || 2*r.Readers >= r.Judges {
		return "", ""
	}
	return fmt.Sprintf("only judges that read can decide it, because no check of the task settles it, and %d of %d judges say that they have a model",
		r.Readers, r.Judges), strings.Join(open, ", ")
}

// words warns a creator of these instructions: an undecided dispute costs it most of the reward.
func (r Deal) words() []Warning {
	text, term := r.unread()
	if text == "" {
		return nil
	}
	fix := "add a check that settles it, such as a program or tests (ojud task create --guide proposes some)"
	if r.Undecided != voting.RefundCreator {
		fix += ", or post it with --on-undecided refund"
	}
	return []Warning{{term, text + "; if they cannot decide, " + undecided[r.Undecided], fix}}
}

// undecided says what an undecided dispute means for a creator.
var undecided = map[voting.OnUndecided]string{
	voting.RefundCreator: "you get the reward back and lose your bond", voting.PayWorker: "the worker gets the whole reward, whatever it handed in",
	voting.SplitEscrow: "the worker gets half of the reward, whatever it handed in",
}

func (r Deal) document() []Warning {
	switch {
	case errors.Is(r.Unreadable, library.ErrNoContent):
		return []Warning{{"the task's document", "no node has it now, so that neither you nor the judges know what is demanded",
			"ask the creator to publish it: ojud task publish TASK FILE"}}
	case r.Unreadable != nil:
		return []Warning{{"the task's document", fmt.Sprintf("judges cannot read it (%v), so that they cannot hold your result to it", r.Unreadable),
			"ask the creator for a new task without this fault"}}
	}
	return nil
}

func (r Deal) judgesOfOthers() []Warning {
	if r.Engine == nil {
		return nil
	}
	fee := "it takes no fee"
	if r.Engine.Fee != "" {
		fee = fmt.Sprintf("its fee of %s comes out of the loser's bond, and the agent %s gets it", r.Engine.Fee, r.Engine.Agent)
	}
	silence := "the court decides"
	if r.Engine.ByTerms {
		silence = map[voting.OnUndecided]string{
			voting.RefundCreator: "the creator gets the whole reward back, has your work and loses its bond", voting.PayWorker: "you are paid and lose your bond",
			voting.SplitEscrow: "you and the creator get half of the reward each, and lose half of your bonds",
		}[r.Undecided]
	}
	return []Warning{{"engine", fmt.Sprintf("this court does not decide a dispute; the engine %s does; %s; it has %s from the counter-objection on, and if it says nothing in that time, %s",
		r.Engine.Name, fee, r.Engine.Time, silence),
		"claim it only if you trust it: whoever controls it decides who is paid; see: ojud engine show"}}
}

func (r Deal) unlisted() []Warning {
	if r.Refused == "" {
		return nil
	}
	return []Warning{{"engine not allowed", r.Refused, r.Otherwise}}
}

func (r Deal) refund() []Warning {
	if r.Undecided != voting.RefundCreator {
		return nil
	}
	return []Warning{{"on_undecided: refund", "if the judges cannot decide, the creator gets the whole reward back and has your work",
		"prefer tasks with split or pay, and look whether the result can be checked"}}
}

func (r Deal) holders() (out []Warning) {
	for _, s := range r.Sources {
		why := ""
		if s.Everybody() {
			continue
		}
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

func (r Deal) dataChecks() []Warning {
	var places, sources []string
	for i, check := range r.Doc.Expected {
		if check.Data == nil || check.Data.Source == agentdata.Source && len(check.Data.FromResult) == 0 {
			continue // unpinned says what there is to say
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

// unpinned warns of data of agents that its owner can change while the work is done, or after it.
func (r Deal) unpinned() (out []Warning) {
	for _, d := range r.Data {
		what := "judges and you read it"
		if d.Asked {
			what = "a check reads it"
		}
		gone := ""
		if d.Pinned {
			gone = ", so that whoever kept the bytes that the task pins can hold your result to what you cannot see"
		}
		switch owner := d.Owner == r.Creator; {
		case d.Owner == (casefile.Address{}):
			out = append(out, Warning{d.Place, what + ", and there is no such data on the chain" + gone, "ask the creator for a task without this fault"})
		case d.Pinned && !d.Kept:
			out = append(out, Warning{d.Place, what + ", and it is not what the task says: its owner has changed it, and whoever kept the old bytes can still hold your result to them",
				"claim it only if you have the bytes with the hash that the task says"})
		case !d.Pinned && owner:
			out = append(out, Warning{d.Place, what + ", and the creator owns it and can change it after you have delivered; what it says then decides nothing",
				"ask for a task that pins it by its sha256, as ojud task create does"})
		case !d.Pinned:
			out = append(out, Warning{d.Place, fmt.Sprintf("%s, and its owner, %s, can change it until you hand in your result; what it says then decides nothing", what, d.Owner),
				"ask for a task that pins it by its sha256, as ojud task create does"})
		}
	}
	return out
}

func (r Deal) programs() (out []Warning) {
	for i, check := range r.Doc.Expected {
		if check.Sealed != nil {
			out = append(out, Warning{fmt.Sprintf("expected[%d]", i), fmt.Sprintf("a sealed check for %s: the creator shows what it demands only in its objection, so that you cannot try it on your result; ", sealed.For(check)) +
				"if it says false, that alone rejects nothing, but judges with a model see it", "claim it if the instructions say all that you need; " +
				"if the creator objects and does not open it, it counts for nothing"})
		}
		if check.Runs() {
			what := "tests of the creator decide whether your program is right"
			switch {
			case check.InEngine():
				what = fmt.Sprintf("your text has to parse as %s", *check.Parses)
			case check.Program != nil:
				what = fmt.Sprintf("a program of the creator decides whether your result is right: %.200q", check.Program.Text())
			}
			out = append(out, Warning{fmt.Sprintf("expected[%d]", i), what, "read it, and run it on your result: ojud check result; task submit does so, too"})
		}
	}
	return out
}

func (r Deal) time() []Warning {
	if r.Work >= shortWork {
		return nil
	}
	return []Warning{{"work time", fmt.Sprintf("you have %s from the claim to the result; if you miss that, the task is open again, and you may not "+
		"claim it", r.Work), "claim it only if your result is ready, or ask for more time"}}
}

func (r Deal) court() []Warning {
	if r.Judges >= fewJudges {
		return nil
	}
	return []Warning{{"judges", fmt.Sprintf("only %d judges may sit in a dispute of this task; whoever has a third of them can take your pay", r.Judges),
		"see who they are: ojud judge list; claim it only if you trust them"}}
}

// final warns of a court whose first panel has the last word. It is no reason for a worker to look
// at each task twice, because all tasks of the court are so.
func (r Deal) final() []Warning {
	why := fmt.Sprintf("only %d judges may sit in a dispute of this task, so that no others are left for an appeal", r.Judges)
	switch {
	case r.Engine != nil, r.Judges < fewJudges, !r.Final && r.Judges >= appealable: // court says the second
		return nil
	case r.Final:
		why = "no verdict of this court can be appealed"
	}
	return []Warning{{"no appeal", why + "; if the first panel errs or is bribed, its verdict stands",
		"keep the reward below what you can afford to lose, or choose a court that hears appeals; see: ojud court show"}}
}
