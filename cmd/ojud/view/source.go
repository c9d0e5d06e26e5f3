package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ojud/node/client"
	"ojud/node/sources"
)

// Short returns the first 60 characters of a text.
func Short(text string) string {
	const most = 60
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most]) + "…"
}

// AskedFor returns the case or task of a request, or "-" if the asker named none.
func AskedFor(e sources.Entry) string {
	if named := e.Case.String(); strings.Trim(named, "1") != "" { // the zero address is all 1
		return named
	}
	return "-"
}

// Source shows a source of this home: its card, which peers see, and its settings, which they
// cannot see.
func Source(v sources.Sheet) Sheet {
	s := Sheet{{"source", v.Name}, {"file", v.File}}
	s.Add("title", v.Card.Title)
	s = append(s, Card(v.Card, v.Hash.String())...)
	s.Add("upstream", string(v.Upstream))
	if r := v.Limits.MaxRate; r.Requests > 0 {
		s.Add("max rate", fmt.Sprintf("it is called at most %d times in %d s, half of these outside of cases", r.Requests, r.Seconds))
	}
	s.Add("removes", strings.Join(v.Redact.Remove, ", "))
	s.Add("masks", strings.Join(append(v.Redact.Mask, v.Redact.Patterns...), ", "))
	s.Add("secrets", Secrets(v.Secrets))
	return s
}

// Card shows the fields that peers see of a source.
func Card(c sources.Card, hash string) Sheet {
	var s Sheet
	s.Add("peers see", c.Description)
	s.Add("request", schemaText(c.InputSchema, "any JSON object"))
	s.Add("answer", schemaText(c.OutputSchema, "any JSON value"))
	s.Add("terms", fmt.Sprintf("%s an answer; %d requests in %d s of one asker, %d in %d s of all, %d of a round of a case", Price(uint64(c.Terms.Price)),
		c.Terms.Rate.Requests, c.Terms.Rate.Seconds, c.Terms.TotalRate.Requests, c.Terms.TotalRate.Seconds, c.Terms.Quota))
	s.Add("who", who(c))
	s.Add("promises", strings.Join(promises(c), "; "))
	s.Add("demands", strings.Join(c.Terms.Demands, "; "))
	s.Add("fields", strings.Join(c.Terms.Access, ", "))
	if c.Redacts {
		s.Add("redacts", "peers know that something is taken out of answers, not what")
	}
	s.Add("card", hash)
	return s
}

// Price returns a price in SOL, or "free".
func Price(lamports uint64) string {
	if lamports == 0 {
		return "free"
	}
	return client.Lamports(lamports).String()
}

// who says who may ask.
func who(c sources.Card) string {
	if words := c.Terms.Who.Class.Words(); words != "" {
		return words
	}
	var list []string
	for _, a := range c.Terms.Who.Authorities {
		list = append(list, a.String())
	}
	return "the keys " + strings.Join(list, ", ")
}

func promises(c sources.Card) (out []string) {
	p := c.Terms.Promises
	if r := p.RetentionSeconds; r != nil && *r == 0 {
		out = append(out, "requests are not kept")
	} else if r != nil {
		out = append(out, fmt.Sprintf("requests are kept for %d s", *r))
	}
	if p.FreshnessSeconds > 0 {
		out = append(out, fmt.Sprintf("answers are at most %d s old", p.FreshnessSeconds))
	}
	return append(out, p.Others...)
}

// Secrets lists the secrets that a source refers to, and says whether they are set.
func Secrets(list []sources.Secret) string {
	var out []string
	for _, s := range list {
		state := "set here; the node needs it in its own environment"
		if strings.HasPrefix(s.Reference, "${file:") {
			state = "is there"
		}
		if !s.Set {
			state = "NOT SET here"
		}
		out = append(out, s.Reference+" ("+state+")")
	}
	return strings.Join(out, ", ")
}

// schemaText returns a schema on one line. It returns open for a schema that accepts everything.
func schemaText(raw json.RawMessage, open string) string {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil || line.String() == "{}" {
		return open
	}
	return line.String()
}

// WriteTrial writes how a source answered a trial request.
func WriteTrial(w io.Writer, t sources.Trial) error {
	s := Sheet{{"source", t.Source}}
	s.Add("request", string(t.Request))
	s.Add("result", Trial(t))
	s.Add("held back", strings.Join(t.Withheld, ", "))
	if t.Told != "" {
		s.Add("peers hear", t.Told)
	}
	if t.Hash != nil {
		s.Add("hash", t.Hash.String())
	}
	s.Add("answer", string(t.Answer))
	return s.Write(w)
}

// Trial says in a line how a trial ended.
func Trial(t sources.Trial) string {
	switch {
	case t.Problem != "" && t.OK:
		return fmt.Sprintf("it is there, and says of the made-up request %s: %s", t.Request, t.Problem)
	case t.Problem != "":
		return "no answer: " + t.Problem
	case t.Asked == sources.AskedServer:
		return "the server is there and has the tool; the tool was not called, for it might do something"
	case t.Asked == sources.AskedNothing:
		return "not asked: no request could be made up"
	}
	madeUp := ""
	if t.MadeUp {
		madeUp = " to the made-up request " + string(t.Request)
	}
	return fmt.Sprintf("answered%s in %d ms: %d bytes fetched, %d given, schema: %s", madeUp, t.Millis, t.Fetched, t.Given, t.Schema)
}
