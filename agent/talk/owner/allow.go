package owner

import (
	"slices"
	"strings"
	"unicode"

	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// unasked is the first name of access for which the own call did not ask; empty: there is none.
// Access binds, and a name may be any text.
func (o *Owner) unasked(access []string) string {
	asked := []string(nil)
	if o.called != nil {
		asked = anex.Texts(o.called.Access)
	}
	for _, name := range access {
		if !slices.Contains(asked, name) {
			return name
		}
	}
	return ""
}

// listed reports whether the owner listed each name of access as it stands. A longer path below a
// name that is listed may be any text of a stranger, so a person decides about it.
func (o *Owner) listed(access []string) bool {
	return !slices.ContainsFunc(access, func(name string) bool { return !slices.Contains(o.Access, name) })
}

// known reports whether a call has nothing that a person has to read: a purpose and a relation that
// the owner listed, no deal, no vocabularies, and of the asker's own words only a name.
func (o *Owner) known(c *talk.CFP, asker string) bool {
	return c.Deal == nil && c.Ontologies == nil && c.Identity == asker && slices.Contains(o.For, c.RequestType) &&
		(c.Relation == "" || slices.Contains(o.Relation, c.Relation)) && isName(c.Owner)
}

// isName reports whether a text can be the name of a person or firm, or nothing.
func isName(text string) bool {
	return len(text) <= 64 && len(strings.Fields(text)) <= 5 && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" .,'&-", r)
	})
}

// allows reports whether the owner allows all of these terms without a person.
func (o *Owner) allows(a *talk.Agreement) bool {
	if a.Deal != nil || a.Ontologies != nil {
		return false
	}
	if a.Asker == o.Key.Principal().String() {
		if o.Terms == ByAgent && (!slices.Contains(o.For, a.RequestType) || a.Relation != "" && !slices.Contains(o.Relation, a.Relation)) {
			return false
		}
		return o.unasked(a.Access) == "" && !slices.ContainsFunc(a.Promise, func(p string) bool { return !slices.Contains(o.Promise, p) })
	}
	if !o.known(&talk.CFP{Identity: a.Identity, Owner: a.Owner, Relation: a.Relation, RequestType: a.RequestType}, a.Asker) {
		return false
	}
	c := anex.Call{Access: mandatory(a.Access), Promise: mandatory(a.Promise)}
	p, err := anex.Meet(c, anex.Offer{Access: o.Access, Demand: o.Promise})
	return err == nil && o.listed(a.Access) && anex.CheckProposal(c, p) == nil
}
