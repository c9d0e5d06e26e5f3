package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ojud/agent/host"
)

// Less is what somebody wants a copy of an agent to be less in. What is missing stays as it is.
type Less struct {
	Limits       *Bounds  `json:"limits,omitempty"`
	Autonomy     *int     `json:"autonomy,omitempty"`
	Capabilities []string `json:"capabilities,omitempty"` // those that the copy has
}

// Any reports whether something is wanted.
func (l Less) Any() bool { return l.Limits != nil || l.Autonomy != nil || len(l.Capabilities) > 0 }

// Copy returns the text of the file of a copy that is less in something, and in nothing more. With
// limits, it spawns no agents.
func (m Manifest) Copy(l Less) (text string, err error) {
	text = m.Text
	if l.Limits != nil {
		if text, err = m.Narrow(*l.Limits); err != nil {
			return "", err
		}
	}
	want, err := Parse([]byte(text), m.ID, m.ID)
	if err != nil {
		return "", wrong("limits", "of agent %s cannot be changed in its file", m.ID)
	}
	if l.Autonomy != nil {
		if *l.Autonomy < 0 || *l.Autonomy > m.Autonomy {
			return "", wrong("autonomy", "is %d, and agent %s has %d; a copy has at most as much", *l.Autonomy, m.ID, m.Autonomy)
		}
		want.Autonomy = *l.Autonomy
		text = withAutonomy(text, want.Autonomy)
	}
	for _, name := range l.Capabilities {
		if !slices.ContainsFunc(m.Capabilities, func(c host.Capability) bool { return c.Name == name }) {
			return "", wrong("capabilities", "has %.80q, which agent %s does not have", name, m.ID)
		}
	}
	if len(l.Capabilities) > 0 {
		gone := func(c host.Capability) bool { return !slices.Contains(l.Capabilities, c.Name) }
		for i, c := range slices.Backward(want.Capabilities) {
			if gone(c) {
				text = withoutCapability(text, i)
				delete(want.Thinks.Servers, c.Name)
			}
		}
		want.Capabilities = slices.DeleteFunc(slices.Clone(want.Capabilities), gone)
	}
	copied, err := Parse([]byte(text), m.ID, m.ID)
	if err != nil {
		return "", wrong("copy", "of agent %s cannot be: its file needs more autonomy, or the capabilities that were left out", m.ID)
	}
	if want.Text = text; !reflect.DeepEqual(copied, want) {
		return "", wrong("copy", "of agent %s cannot be made of its file; write autonomy on a line of its own above all tables, and each capability below a line [[capabilities]]", m.ID)
	}
	return text, nil
}

// withAutonomy writes the autonomy above all tables, in place of the one that is there.
func withAutonomy(text string, level int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "autonomy = %d\n", level)
	top := true
	for line := range strings.Lines(text) {
		word := strings.TrimSpace(line)
		top = top && !strings.HasPrefix(word, "[")
		if name, _, found := strings.Cut(word, "="); top && found && strings.TrimSpace(name) == "autonomy" {
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// withoutCapability leaves out a table [[capabilities]].
func withoutCapability(text string, n int) string {
	var out strings.Builder
	at, inside := -1, false
	for line := range strings.Lines(text) {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "[") {
			inside = false
			if strings.HasPrefix(head, "[[capabilities]]") {
				at++
				inside = at == n
			}
		}
		if !inside {
			out.WriteString(line)
		}
	}
	return out.String()
}
