package guide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ojud/agent/judge/check"
	"ojud/casefile/demand"
)

// image proposes that an image shows something, if the example has one there.
func (g *guide) image(p place) {
	d := demand.Demands{Media: &demand.Media{}}
	if p.kind != "string" || len(p.values) == 0 || slices.ContainsFunc(p.values, func(v any) bool { _, err := check.Make(d, v, g.papers); return err != nil }) {
		return
	}
	g.propose(p, demand.Demands{Media: &demand.Media{NotBlank: true}}, fmt.Sprintf("%q is an image; bound its size, and name images of the input in \"not_in\"", p.name))
}

// into is how instructions ask for a translation.
var into = regexp.MustCompile(`(?i)\btranslat[a-z]*\b.{0,200}?\b(?:into|to) (\p{L}+)`)

// translation looks for texts of the input in the place of the same name.
func (g *guide) translation(p place) {
	if p.kind != "string" || !p.list || p.by != "" {
		return
	}
	for _, text := range g.task.Instruction {
		m := into.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for _, l := range g.inputs() {
			if l.name != p.name || l.by != "" || l.kind != "string" {
				continue
			}
			g.propose(p, demand.Demands{Translation: &demand.Translation{Of: l.path, To: codes()[strings.ToLower(m[1])]}},
				fmt.Sprintf("the instruction says %q; add names that stay as they are in \"keep\"", m[0]))
			return
		}
	}
}

// codes are the codes of languages by their names in English.
func codes() map[string]string {
	return map[string]string{
		"arabic": "ar", "bulgarian": "bg", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr", "german": "de",
		"greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko", "norwegian": "nb",
		"persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro", "russian": "ru", "spanish": "es", "swedish": "sv", "thai": "th", "turkish": "tr", "ukrainian": "uk",
	}
}
