package english

import "strings"

// The forms of an instruction that demands nothing: a greeting, or a field that the creator itself
// says is free. Each must be the whole sentence.
var (
	greets = english(`^(?:hello|hi|good day|dear (?:all|worker|agent)|please help us(?: with this)?|we are in a hurry|a small job|take your time|it is quickly done|` +
		`this is for our records|a task for somebody careful|thanks|thank you|many thanks|thank you in advance)(?: with this)?$`)
	// free says of a field that it may say anything, or nothing.
	free = english(`^(?:` + field + ` (?:is for ` + remarks + `,? and may be empty|may say anything|may be empty|is optional)|(?:write|put) ` + remarks + ` into [\w-]+,? if you have any)` +
		`(?:,? and ` + waived + `)?$`)
	// purpose only says what a field is for. "Write notes into summary" may be all that is ordered.
	purpose = english(`^(?:` + field + ` is for ` + remarks + `|(?:write|put) ` + remarks + ` into [\w-]+)(,? and ` + waived + `)?$`)
	waives  = english(`^` + waived + `$`)
	// denies finds words that are no name of a field: "No field may be empty" demands all of them.
	denies = english(`^(?:the |field )*(?:no|none|not|nothing|neither|nobody|never|hardly|few|only)\b.*$`)
)

const (
	field   = `(?:the )?(?:field )?[\w-]+(?: field)?`
	remarks = `(?:remarks|questions|comments|notes|anything else|what you want to add)`
	waived  = `(?:it )?(?:is not judged|does not count|is not part of the work)`
)

// Demandless reports whether an instruction demands nothing of a result, in the closed set of
// English that code understands. It must say so itself: that a field is optional, may be empty, or
// is not judged.
func Demandless(instruction string) bool {
	some, owed := false, false // owed: the next sentence has to say that the field is not judged
	for s := range strings.FieldsFuncSeq(instruction, func(r rune) bool { return r == '.' || r == '!' || r == ';' || r == '\n' }) {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		is := purpose.FindStringSubmatch(s)
		switch waiver := waives.MatchString(s); {
		case owed && !waiver, denies.MatchString(s), is == nil && !waiver && !greets.MatchString(s) && !free.MatchString(s):
			return false
		}
		some, owed = true, is != nil && is[1] == ""
	}
	return some && !owed
}
