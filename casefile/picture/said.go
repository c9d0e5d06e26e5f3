package picture

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// Said is Line for what judges say of a case. Their programs quote values as JSON inside of quotes,
// so that nothing can be mistaken; for people the value stands there without its escapes, between
// marks that it cannot have itself. The signed words are in the case file.
func Said(text string) string { return Line(unquoted(text)) }

// saidLong is Said for a text of several lines.
func saidLong(text string) string { return plain(unquoted(text), maxLong) }

var (
	// quotedValue finds a quotation.
	quotedValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	// oneOf finds a count of one with a plural behind it.
	oneOf = regexp.MustCompile(`\b1 (text|list|item|line|word|byte|step|answer|number|letter)s\b`)
	// nowhere is the pointer to a whole document.
	nowhere = regexp.MustCompile(`\bat "": `)
)

// unquoted writes quotations with escapes, and a few phrases of judges' programs, for people.
func unquoted(text string) string {
	if strings.Contains(text, `\`) {
		text = quotedValue.ReplaceAllStringFunc(text, func(whole string) string {
			inner, err := strconv.Unquote(whole)
			if err != nil || !strings.Contains(whole, `\`) {
				return whole
			}
			var value string
			if json.Unmarshal([]byte(inner), &value) == nil {
				inner = value
			}
			return "“" + strings.NewReplacer("“", `"`, "”", `"`).Replace(inner) + "”"
		})
	}
	return nowhere.ReplaceAllString(oneOf.ReplaceAllString(text, "1 $1"), "")
}
