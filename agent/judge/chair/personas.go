package chair

import (
	"fmt"
	"path/filepath"
	"strings"

	"ojud/agent/judge"
	"ojud/agent/judge/class"
	"ojud/agent/judge/persona"
)

// personas returns the personas that the settings name, judge.persona first.
func personas(c judge.Config, dir string) (out []persona.Persona, err error) {
	refs := c.Personas
	if c.Persona != "" {
		refs = append([]string{c.Persona}, refs...)
	}
	for i, ref := range refs {
		if strings.HasSuffix(ref, ".toml") && !filepath.IsAbs(ref) {
			ref = filepath.Join(dir, ref)
		}
		p, err := persona.Find(ref)
		if err != nil {
			field := "judge.personas"
			if c.Persona != "" && i == 0 {
				field = "judge.persona"
			}
			return nil, fmt.Errorf("chair: %s: %w", field, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// weighed returns a function that picks the first persona with the largest weight for a class.
func weighed(all []persona.Persona) func(class.Class) judge.Persona {
	return func(c class.Class) judge.Persona {
		if len(all) == 0 {
			return judge.Persona{}
		}
		best := all[0]
		for _, p := range all[1:] {
			if p.Weight(c) > best.Weight(c) {
				best = p
			}
		}
		return judge.Persona{Name: fmt.Sprintf("%s (%s)", best.Name, best.Dimension), Text: best.Text(), Dimension: string(best.Dimension)}
	}
}

func texts(all []persona.Persona) string {
	var out []string
	for _, p := range all {
		out = append(out, p.Text())
	}
	return strings.Join(out, "\n")
}

// dimension returns the dimension of the first persona, or nothing without one.
func dimension(all []persona.Persona) string {
	if len(all) == 0 {
		return ""
	}
	return string(all[0].Dimension)
}
