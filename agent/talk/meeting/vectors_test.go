package meeting

import (
	"encoding/json"
	"os"
	"testing"

	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// TestVectors plays the meetings of clients/vectors.json, as Python and JavaScript do: each
// remark and each entry byte for byte, and what a convener that lies would send.
func TestVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Meetings []struct {
			At    int64
			Seeds []int
			Steps []struct {
				By                         int
				Performative               anex.Performative
				Protocol                   anex.Protocol
				Content                    json.RawMessage
				To                         string `json:"in-reply-to"`
				Said, Entry, Heard, Agreed string
			}
			Liars []struct {
				What, Entry string
				After       int
			}
		}
	}
	raw, err := os.ReadFile("../../../clients/vectors.json")
	if err == nil {
		err = json.Unmarshal(raw, &file)
	}
	if err != nil || len(file.Meetings) == 0 {
		t.Fatal(err)
	}
	for _, scene := range file.Meetings {
		m := &meet{t: t}
		for _, seed := range scene.Seeds {
			m.keys = append(m.keys, newKey(byte(seed)))
			m.all = append(m.all, newMinutes(m.keys[0].did()))
		}
		var entries [][]byte
		for n, s := range scene.Steps {
			said := m.said(s.By, anex.Message{Performative: s.Performative, Protocol: s.Protocol, Content: s.Content, InReplyTo: s.To})
			raw, h, err := m.all[0].Order(m.keys[0], m.keys[s.By].did(), said, scene.At+int64(n)*1000)
			if err != nil || string(said) != s.Said || string(raw) != s.Entry || string(h.What) != s.Heard || (h.Agreed != nil) != (s.Agreed != "") {
				t.Fatalf("step %d: %s\n%s\n%+v, %v", n, said, raw, h, err)
			}
			if h.Agreed != nil {
				if a, err := h.Agreed.Canonical(); err != nil || string(a) != s.Agreed {
					t.Errorf("step %d: %s, %v", n, a, err)
				}
				if a, err := talk.ParseAgreement([]byte(s.Agreed)); err != nil || a.Verify() != nil {
					t.Errorf("step %d: %v", n, err)
				}
			}
			for i := 1; i < len(m.all); i++ {
				if _, err := m.all[i].Add(raw, scene.At+int64(n)*1000, m.keys[i].did()); err != nil {
					t.Fatal(n, i, err)
				}
			}
			entries = append(entries, raw)
		}
		for _, l := range scene.Liars {
			at, _, err := Verify(entries[:l.After], scene.At+60_000)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := at.Add([]byte(l.Entry), scene.At+24*3600_000, ""); err == nil {
				t.Errorf("%s, and it is taken", l.What)
			}
		}
	}
}
