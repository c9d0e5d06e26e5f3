package owner_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/datasource/anex"
)

// painting is a vocabulary with the words of a trade.
const painting = `{"title":"Painting","$defs":{
	"size":{"type":"integer","minimum":1},
	"deal":{"type":"object","required":["motif"],"properties":{"motif":{"type":"string"},"width_cm":{"$ref":"#/$defs/size"}},"additionalProperties":false},
	"data":{"type":"object","properties":{"schedule":{"type":"array"}}}}}`

func vocabulary(t *testing.T, url, text string) owner.Vocabulary {
	t.Helper()
	v, err := owner.ReadVocabulary(url, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVocabulary: a deal and data that do not fit the vocabularies that their terms name are
// neither said nor accepted. One that the owner does not have is named, and decides nothing.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	v := vocabulary(t, "https://example.org/painting.json", painting)
	names := json.RawMessage(fmt.Sprintf(`[{"url":"https://example.org/elsewhere.json","sha256":"%s"},{"url":"https://example.org/other.json","sha256":"%064d"}]`, v.Hash, 1))
	all := owner.Vocabularies{v}
	for deal, want := range map[string]string{
		`{"motif":"an owl","width_cm":30}`: "", `{"motif":"an owl","width_cm":0}`: "width_cm", `{"width_cm":30}`: "motif", `{"motif":"an owl","foo":"bar"}`: "foo",
	} {
		unknown, err := all.Unknown(names), all.Deal(names, json.RawMessage(deal))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || len(unknown) != 1 || !strings.Contains(unknown[0], "other.json") {
			t.Errorf("%s: %q, %v; want %q", deal, unknown, err, want)
		}
	}
	joe := newOwner(true)
	joe.Words = all
	bad, good := json.RawMessage(`{"foo":"bar"}`), json.RawMessage(`{"motif":"an owl"}`)
	call := called(talk.CFP{Access: anex.Names("name"), Promise: promised, Ontologies: names, Deal: bad})
	if moves, ask := joe.Reply(call); ask || len(moves) != 1 || moves[0].Message.Performative != anex.ActRefuse || !strings.Contains(string(moves[0].Message.Content), "foo") {
		t.Errorf("a call with words of no vocabulary: %+v, %t", moves, ask)
	}
	call.CFP.Deal = good
	if _, ask := joe.Reply(call); !ask {
		t.Error("a person is not asked about a deal that fits")
	}
	if _, err := joe.ReadLine(`offer access=name deal={"foo":"bar"}`); err == nil || !strings.Contains(err.Error(), "foo") {
		t.Errorf("a deal that does not fit is offered: %v", err)
	}
	if _, err := joe.ReadLine(`offer access=name deal={"motif":"a cat"}`); err != nil {
		t.Error(err)
	}
	if moves, ask := joe.Reply(talk.Heard{What: talk.Proposal, Terms: &talk.Agreement{Ontologies: names, Deal: bad}}); ask || len(moves) != 1 || moves[0].Message.Performative != anex.ActRejectProposal {
		t.Errorf("a proposal with words of no vocabulary: %+v, %t", moves, ask)
	}
	joe.Data = json.RawMessage(`{"name":"Joe","schedule":"at ten"}`)
	joe.Agreed(&talk.Agreement{Asker: stranger.Principal().String(), Access: []string{"schedule"}, Ontologies: names})
	if moves, ask := joe.Reply(talk.Heard{What: talk.Request}); !ask {
		t.Errorf("data that do not fit are told: %+v", moves)
	}
	if _, err := joe.ReadLine(`tell {"schedule":"at ten"}`); err == nil || joe.Fits(json.RawMessage(`{"schedule":"at ten"}`)) == nil {
		t.Error("data that do not fit are told")
	}
	if _, err := joe.ReadLine(`publish {"schedule":"at ten"}`); err == nil {
		t.Error("data that do not fit are published")
	}
	for _, word := range []string{"tell", "publish"} {
		if _, err := joe.ReadLine(word + ` {"schedule":["at ten"]}`); err != nil {
			t.Error(err)
		}
	}
	for line, want := range map[string]string{
		`call request_type=painting ontologies=loaded deal={"foo":"bar"}`:      "foo",
		`call request_type=painting ontologies=loaded deal={"motif":"an owl"}`: "",
	} {
		s, err := joe.ReadLine(line)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || err == nil && !strings.Contains(string(s.Move.Message.Content), v.Hash) {
			t.Errorf("%s: %s, %v", line, s.Move.Message.Content, err)
		}
	}
	joe.Words = owner.Vocabularies{vocabulary(t, "", `{"type":"object"}`)}
	if _, err := joe.ReadLine(`call request_type=painting ontologies=loaded`); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Error(err)
	}
	for _, text := range []string{``, `[]`, `{"type":"strin"}`, `{"$defs":{"deal":{"$ref":"https://example.org/x"}}}`, `{"$defs":{"data":7}}`, strings.Repeat(" ", owner.MaxVocabulary) + `{}`} {
		if v, err := owner.ReadVocabulary("", []byte(text)); err == nil {
			t.Errorf("%.50q is a vocabulary: %+v", text, v)
		}
	}
}

// FuzzVocabulary: any file is a vocabulary or an error, and a check ends.
func FuzzVocabulary(f *testing.F) {
	f.Add([]byte(painting), []byte(`{"motif":"an owl"}`))
	f.Add([]byte(`{"type":"object"}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, text, value []byte) {
		v, err := owner.ReadVocabulary("https://example.org/", text)
		if err != nil {
			return
		}
		names := fmt.Sprintf(`[{"url":"https://example.org/","sha256":%q}]`, v.Hash)
		known := owner.Vocabularies{v}
		if unknown, err := known.Unknown(json.RawMessage(names)), known.Deal(json.RawMessage(names), value); len(unknown) > 0 {
			t.Errorf("%q, %v", unknown, err)
		}
		if unknown := (owner.Vocabularies{}).Unknown(value); unknown != nil && !json.Valid(value) {
			t.Errorf("%q", unknown)
		}
	})
}
