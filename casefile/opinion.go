package casefile

import (
	"fmt"

	"ojud/casefile/runs"
	"ojud/voting"
)

// Opinion is a judge's choice in a case, with its reasons (protocol section 2). The vote commits to
// its hash.
type Opinion struct {
	Case         Address   `json:"case"`
	Round        uint8     `json:"round"`
	Judge        Address   `json:"judge"` // authority
	Choice       Choice    `json:"choice"`
	Summary      string    `json:"summary"`
	Findings     []Finding `json:"findings"`
	Model        string    `json:"model"`
	DataAccessed []Access  `json:"data_accessed"`
	// Family is who made the models that were asked, joined by +; CodeFamily if none was. Dimension
	// is what the persona has an eye on. The node fills in both. Printable ASCII; empty: not said.
	Family    string `json:"family,omitempty"`
	Dimension string `json:"dimension,omitempty"`
	Checks    uint32 `json:"checks,omitempty"` // the version by which code made the checks (demand.Version)
}

// Finding is one thing that a judge looked at.
type Finding struct {
	Check    string       `json:"check"`
	Outcome  CheckOutcome `json:"outcome"`
	Detail   string       `json:"detail"`
	Evidence []string     `json:"evidence"`
	Run      *runs.Run    `json:"run,omitempty"` // of a check program
	// Proposal is the check program of the judge's model by which this was decided.
	Proposal *runs.Proposed `json:"proposal,omitempty"`
}

// CheckOutcome is a judge's finding in one check.
type CheckOutcome string

// The outcomes of a check.
const (
	Pass    CheckOutcome = "pass"
	Fail    CheckOutcome = "fail"
	Unknown CheckOutcome = "unknown" // this judge cannot decide it
)

// Access is data that a judge asked for, in the words of seed 000. The node fills it in from
// receipts.
type Access struct {
	AgentID   *DID     `json:"agent_id,omitempty"` // from whom; nil: the judge's own source
	Tool      string   `json:"tool"`
	Specifics []string `json:"specifics"`
}

// CodeChecks is the model of an opinion for which no model was asked.
const CodeChecks = "code-checks"

// The limits of an opinion.
const (
	MaxFindings  = 128
	MaxDetail    = 2000 // bytes, also of the summary
	MaxModel     = 128  // bytes
	maxFamily    = 64   // bytes
	maxDimension = 32   // bytes
	maxCheck     = 256  // bytes
	maxRefs      = 32   // evidence ids of one finding
	maxRef       = 256  // bytes
	maxAccesses  = 64
	maxSpecifics = 16
	MaxRound     = voting.MaxRound
)

// ParseOpinion reads an opinion.
func ParseOpinion(raw []byte) (Doc[Opinion], error) {
	return read[Opinion]("opinion", raw, MaxDocument)
}

// NewOpinion validates o and gives its canonical form.
func NewOpinion(o Opinion) (Doc[Opinion], error) { return write("opinion", o, MaxDocument) }

func (o Opinion) validate(document string) error {
	c := &checker{document: document}
	c.round("round", o.Round)
	c.choice("choice", o.Choice)
	c.text("summary", o.Summary, 1, MaxDetail)
	c.text("model", o.Model, 1, MaxModel)
	c.plain("family", o.Family, maxFamily)
	c.plain("dimension", o.Dimension, maxDimension)
	if o.Findings == nil {
		c.fail("findings", "missing; write [] if there are none")
	}
	c.count("findings", len(o.Findings), MaxFindings, "findings")
	proposals := 0
	for i, f := range o.Findings {
		f.validate(c, fmt.Sprintf("findings[%d]", i))
		if f.Proposal != nil {
			proposals++
		}
	}
	c.count("findings", proposals, runs.MaxProposals, "proposals")
	c.accesses("data_accessed", o.DataAccessed)
	return c.err
}

func (f Finding) validate(c *checker, path string) {
	c.text(path+".check", f.Check, 1, maxCheck)
	c.text(path+".detail", f.Detail, 0, MaxDetail)
	if f.Outcome != Pass && f.Outcome != Fail && f.Outcome != Unknown {
		c.fail(path+".outcome", "%.20q is none of pass, fail, unknown", string(f.Outcome))
	}
	if f.Run != nil {
		c.problem(path+".run", f.Run.Problem)
	}
	if f.Proposal != nil {
		c.problem(path+".proposal", f.Proposal.Problem)
	}
	if f.Evidence == nil {
		c.fail(path+".evidence", "missing; write [] if there is none")
	}
	c.count(path+".evidence", len(f.Evidence), maxRefs, "items")
	for i, e := range f.Evidence {
		c.text(fmt.Sprintf("%s.evidence[%d]", path, i), e, 1, maxRef)
	}
}

// accesses checks a list of data accessed.
func (c *checker) accesses(path string, list []Access) {
	if list == nil {
		c.fail(path, "missing; write [] if there is none")
	}
	c.count(path, len(list), maxAccesses, "items")
	for i, a := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		c.text(at+".tool", a.Tool, 1, 64)
		if a.Specifics == nil {
			c.fail(at+".specifics", "missing; write [] if there are none")
		}
		c.count(at+".specifics", len(a.Specifics), maxSpecifics, "strings")
		for k, s := range a.Specifics {
			c.text(fmt.Sprintf("%s.specifics[%d]", at, k), s, 0, maxRef)
		}
	}
}

// round checks the number of a round.
func (c *checker) round(path string, round uint8) {
	if round < 1 || round > MaxRound {
		c.fail(path, "is %d; rounds are 1 to %d", round, MaxRound)
	}
}

// choice checks that a choice can be cast.
func (c *checker) choice(path string, choice Choice) {
	if !voting.Choice(choice).Valid() {
		c.fail(path, "is not cast; accept, reject or abstain is needed")
	}
}
