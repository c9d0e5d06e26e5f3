package agentcard

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of the parts of a card.
const (
	maxName   = 128  // characters of a name, version, tag or mode
	maxText   = 2048 // characters of a description, example or URL
	maxSkills = 64
	maxList   = 32 // entries of any other list
)

var skillID = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

func wrong(field, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrForm, field, fmt.Sprintf(format, args...))
}

// checker keeps the first fault that it finds.
type checker struct{ err error }

func (k *checker) fail(field, format string, args ...any) {
	if k.err == nil {
		k.err = wrong(field, format, args...)
	}
}

// text refuses a text that is too long, or empty if it must not be.
func (k *checker) text(field, text string, most int, needed bool) {
	if n := utf8.RuneCountInString(text); n > most {
		k.fail(field, "has %d characters; at most %d", n, most)
	}
	if needed && text == "" {
		k.fail(field, "is empty; say it")
	}
}

func (k *checker) list(field string, n, most int) {
	if n > most {
		k.fail(field, "has %d entries; at most %d", n, most)
	}
}

func (k *checker) texts(field string, all []string, most int) {
	k.list(field, len(all), maxList)
	for i, text := range all {
		k.text(fmt.Sprintf("%s[%d]", field, i), text, most, true)
	}
}

func (k *checker) address(field, text string, schemes ...string) {
	k.text(field, text, maxText, true)
	u, err := url.Parse(text)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Host == "" || u.User != nil {
		k.fail(field, "needs a URL with a host and without a password that begins with one of %q", schemes)
	}
}

// Hosted is the binding of an interface at an agent host: agent://[KEY@]HOST:PORT/ID.
const Hosted = "OJUD-AGENT"

// hostedForm is an address of an agent of an agent host, without a capability. KEY is the key of
// its operator, or its peer with its relay.
var hostedForm = regexp.MustCompile(`^agent://((z6Mk[1-9A-HJ-NP-Za-km-z]{40,48}|12D3KooW[1-9A-HJ-NP-Za-km-z]{44}(\+12D3KooW[1-9A-HJ-NP-Za-km-z]{44})?)@)?` +
	`(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?):[1-9][0-9]{0,4}/[a-z0-9][a-z0-9-]{0,63}$`)

// reached checks where an agent can be reached.
func (k *checker) reached(at string, e Interface) {
	if !strings.HasPrefix(e.URL, "agent:") && e.Binding != Hosted {
		k.address(at+".url", e.URL, "https", "wss", "http", "ws")
		return
	}
	k.text(at+".url", e.URL, maxText, true)
	if !hostedForm.MatchString(e.URL) {
		k.fail(at+".url", "is no address of an agent of an agent host; write agent://KEY@HOST:PORT/ID, or print a card with: ojud agents card")
	}
	if e.Binding != Hosted {
		k.fail(at+".protocolBinding", "is %q; agents of an agent host are reached by %s", e.Binding, Hosted)
	}
}

// starts refuses JSON of another kind. The text is canonical.
func (k *checker) starts(field string, raw json.RawMessage, with byte, kind string) {
	if len(raw) > 0 && raw[0] != with {
		k.fail(field, "%s is needed", kind)
	}
}

// check holds a card against the bounds. Terms may be nil.
func (c Card) check(terms *CourtTerms) error {
	k := &checker{}
	k.text("name", c.Name, maxName, true)
	k.text("description", c.Description, maxText, true)
	k.text("version", c.Version, maxName, true)
	k.list("signatures", len(c.Signatures), 1)
	k.list("supportedInterfaces", len(c.Interfaces), maxList)
	for i, e := range c.Interfaces {
		at := fmt.Sprintf("supportedInterfaces[%d]", i)
		k.reached(at, e)
		k.text(at+".protocolBinding", e.Binding, maxName, true)
		k.text(at+".tenant", e.Tenant, maxName, false)
		k.text(at+".protocolVersion", e.Protocol, maxName, true)
	}
	if p := c.Provider; p != nil {
		k.text("provider.organization", p.Organization, maxName, true)
		k.address("provider.url", p.URL, "https", "http")
	}
	for field, at := range map[string]string{"documentationUrl": c.DocumentationURL, "iconUrl": c.IconURL} {
		if at != "" {
			k.address(field, at, "https", "http")
		}
	}
	k.starts("securitySchemes", c.Schemes, '{', "an object")
	k.starts("securityRequirements", c.Requirements, '[', "an array")
	k.texts("defaultInputModes", c.InputModes, maxName)
	k.texts("defaultOutputModes", c.OutputModes, maxName)
	k.list("capabilities.extensions", len(c.Capabilities.Extensions), maxList)
	for i, e := range c.Capabilities.Extensions {
		at := fmt.Sprintf("capabilities.extensions[%d]", i)
		k.text(at+".uri", e.URI, maxText, true)
		k.text(at+".description", e.Description, maxText, false)
		k.starts(at+".params", e.Params, '{', "an object")
	}
	known := k.skills(c.Skills)
	if terms != nil {
		k.terms(*terms, known)
	}
	return k.err
}

// skills returns the ids of the skills.
func (k *checker) skills(all []Skill) map[string]bool {
	k.list("skills", len(all), maxSkills)
	known := map[string]bool{}
	for i, s := range all {
		at := fmt.Sprintf("skills[%d]", i)
		if !skillID.MatchString(s.ID) {
			k.fail(at+".id", "needs 1 to 64 of a to z, 0 to 9, dot, dash and underscore, and begins with a letter or digit")
		}
		if known[s.ID] {
			k.fail(at+".id", "another skill has this id; give each its own")
		}
		known[s.ID] = true
		k.text(at+".name", s.Name, maxName, true)
		k.text(at+".description", s.Description, maxText, true)
		k.texts(at+".tags", s.Tags, maxName)
		k.texts(at+".examples", s.Examples, maxText)
		k.texts(at+".inputModes", s.InputModes, maxName)
		k.texts(at+".outputModes", s.OutputModes, maxName)
		k.starts(at+".securityRequirements", s.Requirements, '[', "an array")
	}
	return known
}

func (k *checker) terms(t CourtTerms, known map[string]bool) {
	k.list("prices", len(t.Prices), maxSkills)
	priced := map[string]bool{}
	for i, p := range t.Prices {
		at := fmt.Sprintf("prices[%d].skill", i)
		if !known[p.Skill] {
			k.fail(at, "the card has no skill with this id; add the skill, or take the price away")
		}
		if priced[p.Skill] {
			k.fail(at, "the skill has a price already; leave one")
		}
		priced[p.Skill] = true
	}
	k.texts("sources", t.Sources, maxName)
}
