// Package owner speaks for the owner of an agent in conversations: it reads what a person types,
// and answers by itself where the owner said how.
package owner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// Commands explains what a person may type.
const Commands = `  text TEXT               plain text, for a recipient that does not speak ANEX
  greet                   introduce yourself
  request TEXT            ask whether the other agent talks to you
  agree [TEXT]            agree to talk, or to a request or a subscription
  refuse [TEXT]           refuse what was asked
  modify TEXT             agree only if something changes
  call KEY=VALUE...       ask for terms: request_type= access= promise= relation= deal={...}
                          ontologies=[{"url":"https://...","sha256":"..."}], or ontologies=loaded for
                          those of --ontology
  offer KEY=VALUE...      propose terms, or others than those proposed: access= promise= deal={...};
                          deal=same takes over the deal of the call
  show                    show more of terms that are too long for the screen
  accept [HASH]           accept the terms that were proposed, and sign; their hash is needed if they
                          have a deal or a promise that you did not name
  reject [TEXT]           reject them
  tell {...}              tell data
  ask {...}               ask for data
  query TEXT              ask a question of yes or no
  yes, no, unknown        answer one
  subscribe TOPIC [N]     ask for updates, at most N before you give more credit (8)
  credit N                take N more updates
  publish {...}           send an update to subscribers
  stop                    end a subscription
  fail TEXT               say that you cannot do what was asked
  cancel [TEXT]           break off
  end                     end, or confirm the end
  await WHAT              wait until you hear that, such as: await proposal`

// Said is what a person typed.
type Said struct {
	Move  talk.Move
	Await talk.What // wait for that before the next line
	Show  bool      // show more of the terms
	Binds bool      // it makes or accepts terms
	Signs *talk.Agreement
}

// content makes the content of a message.
func content(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

func say(act anex.Performative, protocol anex.Protocol, v any) talk.Move {
	return talk.Move{Kind: talk.Say, Message: anex.Message{Performative: act, Protocol: protocol, Content: content(v)}}
}

// one is a content with one member.
func one(field, text string) map[string]string { return map[string]string{field: text} }

// ReadLine reads what a person typed. last is what was heard last, to which agree, refuse and fail
// answer.
func (o *Owner) ReadLine(line string) (s Said, err error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	need := func() {
		if rest == "" && err == nil {
			err = fmt.Errorf("%s needs more words", word)
		}
	}
	or := func(text string) string {
		if rest == "" {
			return text
		}
		return rest
	}
	switch word {
	case "text":
		need()
		s.Move = talk.Move{Kind: talk.Write, Raw: []byte(rest)}
	case "greet":
		s.Move = say(anex.ActRequest, anex.Handshaking, one("message", o.Greeting()))
	case "request":
		need()
		s.Move = say(anex.ActRequest, anex.Handshaking, one("request", rest))
	case "agree":
		s.Move = say(anex.ActAgree, o.asked(), one("response", or("Agreed.")))
	case "refuse":
		s.Move = say(anex.ActRefuse, o.asked(), one("response", or("No, thank you.")))
	case "modify":
		need()
		s.Move = say(anex.ActPropose, anex.Handshaking, one("modification", rest))
	case "call":
		s.Move, err = o.call(rest)
	case "offer":
		var terms map[string]any
		if terms, err = Keys(rest, "access", "promise", "deal"); err == nil {
			err = o.dealt(terms)
		}
		if deal, own := terms["deal"].(json.RawMessage); err == nil && own && o.heard != nil && o.heard.CFP != nil {
			err = o.Words.Deal(o.heard.CFP.Ontologies, deal)
		}
		if err == nil {
			o.did.typed, s.Binds, s.Move = true, true, o.propose(terms)
		}
	case "show":
		s.Show = true
	case "accept":
		s.Binds = true
		s.Move, err = o.acceptTyped(rest)
		s.Signs = o.offer
	case "reject":
		s.Move = say(anex.ActRejectProposal, anex.ContractNet, one("response", or("Rejected.")))
	case "tell":
		if s.Move, err = object(anex.ActInform, anex.DataExchange, rest, schedule); err == nil {
			err = o.Words.Data(o.did.agreed, json.RawMessage(rest))
		}
	case "ask":
		s.Move, err = object(anex.ActRequest, anex.DataExchange, cmp.Or(rest, "{}"), `{"what":"schedule"}`)
	case "query":
		need()
		s.Move = say(anex.ActQueryIf, talk.FIPAQuery, one("query", rest))
	case "yes", "no":
		s.Move = say(anex.ActInform, talk.FIPAQuery, one("answer", word))
	case "unknown":
		s.Move = say(anex.ActNotUnderstood, talk.FIPAQuery, one("error", "I cannot answer that."))
	case "subscribe":
		topic, credit, _ := strings.Cut(rest, " ")
		n := 8
		if credit != "" {
			n, err = strconv.Atoi(strings.TrimSpace(credit))
		}
		need()
		s.Move = say(talk.ActSubscribe, talk.FIPASubscribe, map[string]any{"topic": topic, "credit": n})
	case "credit":
		var n int
		n, err = strconv.Atoi(rest)
		s.Move = say(anex.ActRequest, talk.FIPASubscribe, map[string]any{"credit": n})
	case "publish":
		if s.Move, err = object(anex.ActInform, talk.FIPASubscribe, rest, schedule); err == nil {
			err = o.Words.Data(o.did.agreed, json.RawMessage(rest))
		}
		s.Move.Kind = talk.Publish
	case "stop":
		s.Move = say(anex.ActCancel, talk.FIPASubscribe, one("message", "No more updates."))
	case "fail":
		s.Move = say(anex.ActFailure, o.asked(), one("error", or("It failed.")))
	case "cancel":
		s.Move = say(anex.ActCancel, anex.Handshaking, one("message", or("Cancelled.")))
	case "end":
		s.Move = say(anex.ActInform, anex.Termination, one("message", "Session terminated."))
	case "await":
		need()
		s.Await = talk.What(rest)
	default:
		err = fmt.Errorf("%.20q is no command; type help", word)
	}
	return s, err
}

// schedule is an example of data.
const schedule = `{"schedule":["2026-12-01T10:00:00Z"]}`

// object makes a message of a JSON object; such is an example.
func object(act anex.Performative, protocol anex.Protocol, text, such string) (talk.Move, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &all); err != nil || all == nil {
		return talk.Move{}, fmt.Errorf("a JSON object is needed, such as %s", such)
	}
	return talk.Move{Kind: talk.Say, Message: anex.Message{Performative: act, Protocol: protocol, Content: json.RawMessage(text)}}, nil
}

// dealt decides about the deal of a proposal. That of the call is part of it unless there is
// another one, so the person has to say so.
func (o *Owner) dealt(terms map[string]any) error {
	there := o.heard != nil && o.heard.CFP != nil && o.heard.CFP.Deal != nil
	switch deal, given := terms["deal"]; {
	case !given && there:
		return errors.New("the call has a deal; write deal=same to sign it, or another one, such as deal={}")
	case given && deal == same && !there:
		return errors.New("the call has no deal; write deal={...}")
	case given && deal == same:
		delete(terms, "deal")
	}
	return nil
}

// same is the deal of the call, and loaded the vocabularies that the owner has.
const (
	same   = "same"
	loaded = "loaded"
)

func (o *Owner) call(rest string) (talk.Move, error) {
	terms, err := Keys(rest, "identity", "owner", "relation", "request_type", "access", "promise", "deal", "ontologies")
	if err != nil {
		return talk.Move{}, err
	}
	request := map[string]any{"identity": o.Key.Principal().String(), "owner": o.Name, "relation": "", "access": []string{}, "promise": []string{}}
	for k, v := range terms {
		request[k] = v
	}
	if request["deal"] == same {
		return talk.Move{}, errors.New("deal= needs a JSON object")
	}
	if request["request_type"] == nil {
		return talk.Move{}, errors.New("the call needs request_type=, its purpose")
	}
	if request["ontologies"] == loaded {
		if request["ontologies"], err = o.Words.list(); err != nil {
			return talk.Move{}, err
		}
	}
	names, _ := request["ontologies"].(json.RawMessage)
	deal, _ := request["deal"].(json.RawMessage)
	if err := o.Words.Deal(names, deal); err != nil {
		return talk.Move{}, err
	}
	o.called = &talk.CFP{}
	if deal, ok := request["deal"].(json.RawMessage); ok {
		o.called.Deal = deal
	}
	if access, ok := request["access"].([]string); ok {
		o.called.Access = anex.Names(access...)
	}
	if promise, ok := request["promise"].([]string); ok {
		o.called.Promise = anex.Names(promise...)
	}
	return say(anex.ActCFP, anex.ContractNet, map[string]any{"request": request}), nil
}

// Keys reads KEY=VALUE words. Lists have commas between them; a value with spaces is in quotes; a
// deal is JSON.
func Keys(text string, allowed ...string) (map[string]any, error) {
	out := map[string]any{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		key, rest, found := strings.Cut(text, "=")
		if !found || !slices.Contains(allowed, key) {
			return nil, fmt.Errorf("%.30q: write KEY=VALUE with %s", text, strings.Join(allowed, ", "))
		}
		var value string
		switch {
		case key == "deal" && (rest == same || strings.HasPrefix(rest, same+" ")):
			out[key], text = same, strings.TrimPrefix(rest, same)
			continue
		case key == "deal":
			d := json.NewDecoder(strings.NewReader(rest))
			var deal map[string]json.RawMessage
			if err := d.Decode(&deal); err != nil || deal == nil {
				return nil, errors.New("deal= needs a JSON object")
			}
			out[key], text = json.RawMessage(rest[:d.InputOffset()]), rest[d.InputOffset():]
			continue
		case key == "ontologies" && (rest == loaded || strings.HasPrefix(rest, loaded+" ")):
			out[key], text = loaded, strings.TrimPrefix(rest, loaded)
			continue
		case key == "ontologies":
			d := json.NewDecoder(strings.NewReader(rest))
			var list []map[string]string
			if err := d.Decode(&list); err != nil || list == nil {
				return nil, errors.New(`ontologies= needs a JSON array, such as [{"url":"https://example.org/o.json","sha256":"..."}]`)
			}
			out[key], text = json.RawMessage(rest[:d.InputOffset()]), rest[d.InputOffset():]
			continue
		case strings.HasPrefix(rest, `"`):
			value, text, found = strings.Cut(rest[1:], `"`)
			if !found {
				return nil, fmt.Errorf("%s= has no closing quote", key)
			}
		default:
			at := strings.IndexFunc(rest, unicode.IsSpace)
			if at < 0 {
				at = len(rest)
			}
			value, text = rest[:at], rest[at:]
		}
		if out[key] = value; key == "access" || key == "promise" || key == "parties" {
			list := []string{}
			for item := range strings.SplitSeq(value, ",") {
				if item = strings.TrimSpace(item); item != "" {
					list = append(list, item)
				}
			}
			out[key] = list
		}
	}
	return out, nil
}
