package english

import "strings"

// The forms of an instruction that demands nothing: a greeting, or a field that the creator itself
// says is free. Each must be the whole sentence.
var (
	greets = english(`^(?:hello|hi|good day|dear (?:all|worker|agent)|please help us(?: with this)?|we are in a hurry|a small job|take your time|it is quickly done|` +
		`this is for our records|a task for somebody careful|thanks|thank you|many thanks|thank you in advance)(?: with this)?$`)
	free = english(`^(?:(?:the )?(?:field )?[\w-]+(?: field)? (?:is for (?:remarks|questions|comments|notes|anything else|what you want to add)(?:, and may be empty)?|may say anything|may be empty|is optional)` +
		`|(?:write|put) (?:remarks|questions|comments|notes|anything else|what you want to add) into [\w-]+(?:,? if you have any)?)` +
		`(?:(?:,? and|;) (?:it )?(?:is not judged|does not count|is not part of the work))?$`)
	waives = english(`^it (?:is not judged|does not count|is not part of the work)$`)
)

// Demandless reports whether an instruction demands nothing of a result, in the closed set of
// English that code understands.
func Demandless(instruction string) bool {
	all := strings.FieldsFunc(instruction, func(r rune) bool { return r == '.' || r == '!' || r == ';' || r == '\n' })
	some := false
	for _, s := range all {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if !greets.MatchString(s) && !free.MatchString(s) && !waives.MatchString(s) {
			return false
		}
		some = true
	}
	return some
}
