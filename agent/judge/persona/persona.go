package persona

import (
	"fmt"
	"strings"

	"ojud/agent/judge/class"
)

// Dimension is the aspect that a persona looks at.
type Dimension string

// The dimensions of judgement.
const (
	specification Dimension = "specification" // does it satisfy the task
	facts         Dimension = "facts"         // is it true
	provenance    Dimension = "provenance"    // its origin, and who vouches for it
	calculation   Dimension = "calculation"   // are the numbers right
	execution     Dimension = "execution"     // does the code do it
	writing       Dimension = "writing"       // does the text serve its reader within its bounds
	injection     Dimension = "injection"     // does a text try to steer the judge
	fairness      Dimension = "fairness"      // was each side heard, and on the point
)

// Dimensions returns all dimensions in the order of the list above.
func Dimensions() []Dimension {
	return []Dimension{specification, facts, provenance, calculation, execution, writing, injection, fairness}
}

// Persona is a way of judging.
type Persona struct {
	Name      string                  `toml:"-" json:"name"` // of the file, without .toml: 1 to 40 of a-z 0-9 -
	Title     string                  `toml:"title" json:"title"`
	Dimension Dimension               `toml:"dimension" json:"dimension"`
	Look      string                  `toml:"look" json:"look"`
	Method    []string                `toml:"method" json:"method"`
	Doubt     string                  `toml:"doubt" json:"doubt"`
	Weights   map[class.Class]float64 `toml:"weights" json:"weights,omitempty"` // 0 to 4
}

// Weight is the persona's weight in tasks of a class. The default is 1.
func (p Persona) Weight(c class.Class) float64 {
	if w, ok := p.Weights[c]; ok {
		return w
	}
	return 1
}

// Text returns the persona as part of a system prompt. It is the same for every case.
func (p Persona) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Your way of judging is called %s (%s).\nLook first at: %s\nGo about it so:\n", p.Name, p.Dimension, oneLine(p.Look))
	for i, step := range p.Method {
		fmt.Fprintf(&b, "%d. %s\n", i+1, oneLine(step))
	}
	fmt.Fprintf(&b, "Undecided: %s\n", oneLine(p.Doubt))
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
