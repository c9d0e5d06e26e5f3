package cluster

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
)

// Voice is a judge's statement with its vote, in StoryJudges.
type Voice struct {
	Judge     string `json:"judge"`
	Persona   string `json:"persona,omitempty"`   // empty if the judge used code alone
	Dimension string `json:"dimension,omitempty"` // the persona's dimension of judgement
	Model     string `json:"model"`               // model that answered, as the opinion names it
	Choice    string `json:"choice"`
	Reason    string `json:"reason"` // from the opinion, one line
}

// voice finds the opinion of a reveal. Each judge's own node has its own opinion.
func (c *Cluster) voice(e *program.Revealed) (Voice, bool) {
	for _, m := range c.members {
		if m.node == nil || m.Authority() != e.Judge {
			continue
		}
		o, err := m.node.Opinion(e.OpinionHash)
		if err != nil {
			c.log.Warn("an opinion cannot be read", "node", m.Number, "err", err)
			return Voice{}, false
		}
		return Voice{Judge: m.Name(), Persona: m.Persona.Name, Dimension: string(m.Persona.Dimension), Model: o.Model, Choice: e.Choice.String(), Reason: reasonOf(o)}, true
	}
	return Voice{}, false
}

// manner describes the judge's way to look at cases, for people.
func (v Voice) manner() string {
	if v.Persona == "" {
		return "code alone"
	}
	return fmt.Sprintf("%s (%s)", v.Persona, v.Dimension)
}

// requirement matches the requirement that a finding repeats. Every opinion has it.
var requirement = regexp.MustCompile(`: "(?:[^"\\]|\\.)*": `)

// reasonOf returns the finding that made the choice: one about the task's instructions, if there is
// one, or else the summary.
func reasonOf(o casefile.Opinion) string {
	wanted := map[voting.Choice]casefile.CheckOutcome{voting.Accept: casefile.Pass, voting.Reject: casefile.Fail, voting.Abstain: casefile.Unknown}[voting.Choice(o.Choice)]
	for _, class := range []string{"instruction/", "specification/"} {
		for _, f := range o.Findings {
			if strings.HasPrefix(f.Check, class) && f.Outcome == wanted && (class == "instruction/" || wanted == casefile.Fail) {
				return oneLine(requirement.ReplaceAllString(f.Detail, ": "))
			}
		}
	}
	return oneLine(o.Summary)
}

// oneLine returns a text without line ends, at most 200 bytes.
func oneLine(text string) string {
	const most = 200
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// voices returns the voices of the last round, by choice, then by the judge's number.
func (p *play) voices() (out []Voice) {
	if p.cfg.Story != StoryJudges {
		return nil
	}
	for _, e := range p.record.Reveals() {
		if v, ok := p.voice(e); ok {
			out = append(out, v)
		}
	}
	order := []string{voting.Accept.String(), voting.Reject.String(), voting.Abstain.String()}
	slices.SortFunc(out, func(a, b Voice) int {
		return cmp.Or(slices.Index(order, a.Choice)-slices.Index(order, b.Choice), strings.Compare(a.Judge, b.Judge))
	})
	return out
}

// voiceRows returns the judges' words for a table, with an empty row after them.
func voiceRows(all []Voice) (rows [][]string) {
	for _, v := range all {
		rows = append(rows, []string{v.Judge, cmp.Or(v.Persona, "code alone"), cmp.Or(v.Dimension, "-"), v.Choice, v.Reason})
	}
	if len(rows) == 0 {
		return nil
	}
	return append(append([][]string{{"judge", "persona", "dimension", "choice", "reason"}}, rows...), []string{""})
}
