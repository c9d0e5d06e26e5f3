package judge

import (
	"fmt"
	"regexp"
	"strings"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/casefile"
)

// asciiDrawing matches the demand of seed 000: "make a ASCII drawing of …".
var asciiDrawing = regexp.MustCompile(`(?i)\bASCII[ -]*(?:art|drawing|painting|picture|image)\b`)

// drawing checks two things: that a drawing is ASCII, and that it has the shape of a drawing.
// Whether it looks like its subject stays open, because code cannot judge a likeness.
func drawing(task casefile.Task, r english.Reading) []casefile.Finding {
	i := 0
	for ; i < len(task.Instruction) && !asciiDrawing.MatchString(task.Instruction[i]); i++ {
	}
	if i == len(task.Instruction) {
		return nil
	}
	at := fmt.Sprintf("task:/instruction/%d", i)
	if len(r.Texts) != 1 {
		return []casefile.Finding{finding(instruction+"drawing", casefile.Unknown, "it is not clear which part of the result is the drawing", at)}
	}
	text := r.Texts[0]
	if place, found := prose.NotASCII(text); found {
		return []casefile.Finding{finding(specification+"drawing", casefile.Fail, place, at, "result:")}
	}
	out := []casefile.Finding{finding(specification+"drawing", casefile.Pass, "the drawing is printable ASCII", at, "result:")}
	if problem := shape(text); problem != "" {
		out = append(out, finding(instruction+"drawing", casefile.Unknown, problem, "result:"))
	}
	return out
}

// shape says why a text may not be a drawing. It fails no result: letters can be a drawing, too.
func shape(text string) string {
	strokes := strings.IndexFunc(text, func(r rune) bool {
		return r > ' ' && !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?'\"", r)
	})
	n := prose.Count(prose.UnitLines, text)[1]
	switch {
	case n < 2:
		return "a drawing of a single line: code cannot tell whether it is one"
	case strokes < 0:
		return "it has letters and punctuation only: code cannot tell whether it is a drawing"
	}
	return ""
}
