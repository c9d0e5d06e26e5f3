package shelf

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible writes what a stranger said so that a terminal shows it and obeys nothing of it: control and formatting characters as \uXXXX.
func Visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// words divides a command line as a shell does: by blanks, except within '…' and "…" and behind a backslash. Nothing is expanded.
func words(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	begun, escaped, quote := false, false, rune(0)
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, wrong("mcp", "has a quote or backslash that does not end; close it")
	}
	if begun {
		out = append(out, word.String())
	}
	if len(out) == 0 || out[0] == "" {
		return nil, wrong("mcp", "names no program; write a command, such as 'npx -y @modelcontextprotocol/server-memory@2026.8.31'")
	}
	return out, nil
}
