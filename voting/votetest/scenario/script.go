// Package scenario drives one machine on the stage of package votetest, text in and text out, for
// the scenarios under voting/testdata.
package scenario

import (
	"bufio"
	"fmt"
	"strings"
)

// Block is a command of a scenario with what it printed:
//
//	# what happens here
//	command argument key=value
//	----
//	output, up to an empty line
type Block struct {
	Comment []string // lines before the command, as they are
	Command string
	Output  string // lines, each with its newline
}

// ParseScript splits a scenario into its blocks.
func ParseScript(text string) ([]Block, error) {
	var blocks []Block
	var b Block
	state := 0 // 0: before the command, 1: after it, 2: in the output
	scan := bufio.NewScanner(strings.NewReader(text))
	for n := 1; scan.Scan(); n++ {
		line := scan.Text()
		switch {
		case state == 2 && line == "":
			blocks, b, state = append(blocks, b), Block{}, 0
		case state == 2:
			b.Output += line + "\n"
		case state == 1 && line == "----":
			state = 2
		case state == 1:
			return nil, fmt.Errorf("scenario: line %d: %q instead of ----", n, line)
		case line == "" || strings.HasPrefix(line, "#"):
			b.Comment = append(b.Comment, line)
		default:
			b.Command, state = line, 1
		}
	}
	if state == 2 {
		blocks = append(blocks, b)
	}
	return blocks, scan.Err()
}

// RunScript runs a scenario and returns it with the outputs that it really has.
func RunScript(text string) (string, error) {
	blocks, err := ParseScript(text)
	if err != nil {
		return "", err
	}
	w := &world{}
	var out strings.Builder
	for _, b := range blocks {
		for _, c := range b.Comment {
			out.WriteString(c + "\n")
		}
		out.WriteString(b.Command + "\n----\n")
		result, err := w.run(b.Command)
		if err != nil {
			result += "error: " + err.Error() + "\n"
		}
		if result == "" {
			result = "ok\n"
		}
		out.WriteString(w.rename(result) + "\n")
	}
	return out.String(), nil
}

// args are the words after a command: plain ones in order, key=value ones by key.
type args struct {
	words []string
	pairs map[string]string
}

func parseArgs(line string) (command string, a args) {
	fields := strings.Fields(line)
	a.pairs = make(map[string]string)
	for _, f := range fields[1:] {
		if key, value, ok := strings.Cut(f, "="); ok {
			a.pairs[key] = value
		} else {
			a.words = append(a.words, f)
		}
	}
	return fields[0], a
}

// word is the i-th plain word, or "".
func (a args) word(i int) string {
	if i >= 0 && i < len(a.words) {
		return a.words[i]
	}
	return ""
}

// number is the i-th plain word as a number, or fallback.
func (a args) number(i, fallback int) int { return toInt(a.word(i), fallback) }

// pair is the value of a key as a number, or fallback.
func (a args) pair(key string, fallback int) int { return toInt(a.pairs[key], fallback) }

func toInt(s string, fallback int) int {
	n := fallback
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil {
		return fallback
	}
	return n
}
