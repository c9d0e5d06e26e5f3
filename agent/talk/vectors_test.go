package talk_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// vectors are conversations that the three languages play, byte for byte.
type vectors struct {
	At      time.Time `json:"at"`
	Parties [2]string `json:"parties"`
	Scenes  []scene   `json:"scenes"`
}

type scene struct {
	Name         string `json:"name"`
	Conversation string `json:"conversation"`
	End          string `json:"end"`
	Steps        []step `json:"steps"`
}

type step struct {
	By        int    `json:"by"`
	Frame     string `json:"frame"`
	Heard     string `json:"heard"`
	Breaks    bool   `json:"breaks"`    // it ends the conversation, and its sender's machine refuses to send it
	Unclear   bool   `json:"unclear"`   // it is not understood
	Respelled bool   `json:"respelled"` // it is taken, and sent in another spelling
}

func mustLoad(t testing.TB, v *vectors) []scene {
	t.Helper()
	raw, err := os.ReadFile("../../clients/vectors.json")
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil || len(v.Scenes) < 20 {
		t.Fatalf("%d scenes, %v", len(v.Scenes), err)
	}
	return v.Scenes
}

// own makes the move by which an owner sends a frame.
func own(t *testing.T, at int64, frame string) talk.Move {
	t.Helper()
	if frame[0] != '{' {
		return talk.Move{At: at, Kind: talk.Write, Raw: []byte(frame)}
	}
	m, err := anex.Parse([]byte(frame))
	if err != nil {
		t.Fatal(err)
	}
	return talk.Move{At: at, Kind: talk.Say, Message: m}
}

// TestVectors plays each scene between two machines: the sender's sends exactly these bytes, and
// the other one hears what the scene says.
func TestVectors(t *testing.T) {
	t.Parallel()
	var v vectors
	for _, scene := range mustLoad(t, &v) {
		at := v.At.UnixMilli()
		caps := talk.DefaultCaps()
		var both [2]*talk.Session
		for i := range both {
			id := scene.Conversation
			if i == 1 {
				id = ""
			}
			both[i] = talk.New(caps, v.Parties[i], v.Parties[1-i], id, i == 0, at)
		}
		end := ""
		for n, s := range scene.Steps {
			sender, other := both[s.By], both[1-s.By]
			if m, err := anex.Parse([]byte(s.Frame)); s.Frame[0] != '{' || err == nil && m.Sender == v.Parties[s.By] {
				done, err := sender.Step(own(t, at, s.Frame))
				sent := err == nil && len(done.Send) == 1 && (s.Respelled || string(done.Send[0]) == s.Frame)
				if sent == (s.Breaks || s.Unclear) {
					t.Errorf("%s, step %d: %s\nis sent as %s, %v", scene.Name, n, s.Frame, done.Send, err)
				}
			}
			done, err := other.Step(talk.Move{At: at, Kind: talk.Frame, Raw: []byte(s.Frame)})
			if err != nil {
				t.Fatal(err)
			}
			heard := ""
			if len(done.Heard) == 1 {
				heard = string(done.Heard[0].What)
			}
			broke := done.Ended != nil && done.Ended.Theirs
			if heard != s.Heard || broke != s.Breaks || s.Unclear != (len(done.Send) == 1 && !broke) {
				t.Errorf("%s, step %d: %s\nheard %q, ended %+v, sent %s", scene.Name, n, s.Frame, heard, done.Ended, done.Send)
			}
			if done.Ended != nil {
				end = done.Ended.How
			}
		}
		if end != scene.End {
			t.Errorf("%s ends as %q, not %q", scene.Name, end, scene.End)
		}
	}
}
