package datasource

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/config/bounds"
)

// Terms are the conditions of a source. They are on its card.
type Terms struct {
	// Price of one request in lamports; in JSON a decimal string.
	Price casefile.Amount `json:"price" fill:"optional"`
	// Rate bounds the requests of one asker.
	Rate Rate `json:"rate" fill:"optional"`
	// TotalRate bounds the requests of all askers together.
	TotalRate Rate `json:"total_rate" fill:"optional"`
	// Quota is how many requests one round of a case has in all.
	Quota int `json:"quota" fill:"optional"`
	// Who says which askers are allowed.
	Who Who `json:"who" fill:"optional"`
	// Promises are the holder's promises.
	Promises Promises `json:"promises" fill:"optional"`
	// Demands are the promises that an asker must make, in words such as "no data retention".
	Demands []string `json:"demands,omitempty"`
	// Access lists the fields of an answer that may be returned: top-level names, or JSON pointers
	// with * for any member or item. If it is empty, all fields may be.
	Access []string `json:"access,omitempty"`
}

// Rate is a number of requests in a number of seconds.
type Rate struct {
	Requests int `json:"requests"`
	Seconds  int `json:"seconds"`
}

// Promises are a holder's.
type Promises struct {
	// RetentionSeconds is how long requests are kept; 0: not at all; nil: no promise.
	RetentionSeconds *int64 `json:"retention_seconds,omitempty"`
	// FreshnessSeconds is the greatest age of an answer; 0: every answer is fetched anew.
	FreshnessSeconds int64 `json:"freshness_seconds" fill:"optional"`
	// Others are promises in words.
	Others []string `json:"others,omitempty"`
}

// Who says which askers are allowed: a class, or a list of authorities.
type Who struct {
	Class       Class
	Authorities []casefile.Address // if Class is Listed
}

// Class is a class of askers.
type Class string

// The classes of askers. The chain defines their members.
const (
	Seated Class = "seated" // judges seated in a live round of a case whose task names the source
	Judges Class = "judges" // judges seated in any live round
	Roster Class = "roster" // every judge on the roster
	// These allow the judges of Roster, those of a live round, and besides them:
	Agents  Class = "agents"  // every registered agent
	Parties Class = "parties" // the creator and the worker of a task that they name
	Anyone  Class = "anyone"  // every key

	Listed Class = "listed" // the authorities that the terms list; in JSON the list replaces the word
)

// Classes lists the classes that have a word of their own, from the smallest.
func Classes() []Class { return []Class{Seated, Judges, Roster, Agents, Parties, Anyone} }

// Words says who the askers of a class are; "": it is no class that has a word of its own.
func (c Class) Words() string {
	return map[Class]string{
		Seated: "judges seated in a live round of a case whose task names the source", Judges: "judges seated in any live round", Roster: "every judge on the roster",
		Agents: "every registered agent, and judges", Parties: "the creator and the worker of a task that they name, and judges seated in any live round", Anyone: "anyone",
	}[c]
}

// Open reports whether askers that are no judges are allowed.
func (w Who) Open() bool { return slices.Contains([]Class{Agents, Parties, Anyone}, w.Class) }

// whoHelp says what who may be.
const whoHelp = `is neither "seated", "judges", "roster", "agents", "parties" or "anyone" nor a list of 1 to 256 different authorities in base58`

// FillJSON implements strict.Filler.
func (w *Who) FillJSON(raw json.RawMessage) error {
	help := errors.New(whoHelp)
	if raw[0] != '[' {
		if err := json.Unmarshal(raw, &w.Class); err != nil || !slices.Contains(Classes(), w.Class) {
			return help
		}
		return nil
	}
	if err := json.Unmarshal(raw, &w.Authorities); err != nil {
		return help
	}
	w.Class = Listed
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *Who) UnmarshalJSON(raw []byte) error { return w.FillJSON(raw) }

// MarshalJSON writes what FillJSON reads.
func (w Who) MarshalJSON() ([]byte, error) {
	if w.Class == Listed {
		return json.Marshal(w.Authorities)
	}
	return json.Marshal(w.Class)
}

// DefaultTerms returns the terms of a source whose file sets none. It is free for the judges of a
// case that names it, and equal requests within a minute cause one call of the upstream.
func DefaultTerms() Terms {
	return Terms{Rate: Rate{30, 60}, TotalRate: Rate{600, 60}, Quota: 280, Who: Who{Class: Seated}, Promises: Promises{FreshnessSeconds: 60}}
}

const (
	maxPhrases = 16
	maxPhrase  = 128       // bytes, of a name in ANEX (protocol section 12)
	day        = 24 * 3600 // seconds
)

// validate names the wrong field.
func (t *Terms) validate() error {
	if err := inside("terms.",
		bounds.Of("rate.requests", t.Rate.Requests, 1, 1_000_000),
		bounds.Of("rate.seconds", t.Rate.Seconds, 1, day),
		bounds.Of("total_rate.requests", t.TotalRate.Requests, 1, 1_000_000),
		bounds.Of("total_rate.seconds", t.TotalRate.Seconds, 1, day),
		bounds.Of("quota", t.Quota, 1, 1_000_000),
		bounds.Of("promises.freshness_seconds", t.Promises.FreshnessSeconds, 0, 30*day),
	); err != nil {
		return err
	}
	if r := t.Promises.RetentionSeconds; r != nil && (*r < 0 || *r > 36500*day) {
		return wrong("terms.promises.retention_seconds", "is %d; set it to 0 (requests are not kept) to %d", *r, int64(36500*day))
	}
	if t.Price > 0 && t.Who.Open() {
		return wrong("terms.who", "is %q with a price, but only judges pay; set price to 0, or who to one of their classes", t.Who.Class)
	}
	_, err := selectors("terms.access", t.Access)
	return cmp.Or(phrases("terms.promises.others", t.Promises.Others), phrases("terms.demands", t.Demands), t.Who.validate(), err)
}

func (w *Who) validate() error {
	known := slices.Contains(Classes(), w.Class) && len(w.Authorities) == 0
	listed := w.Class == Listed && len(w.Authorities) > 0 && len(w.Authorities) <= 256
	for i, a := range w.Authorities {
		listed = listed && !slices.Contains(w.Authorities[:i], a)
	}
	if !known && !listed {
		return wrong("terms.who", whoHelp)
	}
	return nil
}

// phrases checks a list of promises or demands. People read them and programs compare them.
func phrases(field string, list []string) error {
	if len(list) > maxPhrases {
		return wrong(field, "has %d entries; at most %d", len(list), maxPhrases)
	}
	for i, text := range list {
		negotiable := strings.TrimSpace(text) == text && !strings.HasSuffix(text, "(m)")
		if !plain(text, 1, maxPhrase) || !negotiable || slices.Contains(list[:i], text) {
			return wrong(fmt.Sprintf("%s[%d]", field, i), "is no phrase: 1 to %d bytes without control characters, without space at its ends and (m) at its end, once", maxPhrase)
		}
	}
	return nil
}
