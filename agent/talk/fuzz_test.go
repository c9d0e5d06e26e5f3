package talk_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"ojud/agent/talk"
	"ojud/casefile/canon"
)

// FuzzFrame gives frames of a stranger to both parties at each point of a conversation that ends in
// an agreement with a subscription. A conversation stays within its bounds, ends at most once, and
// blames the peer for nothing that it would have sent itself.
func FuzzFrame(f *testing.F) {
	var v vectors
	for _, scene := range mustLoad(f, &v) {
		for n, s := range scene.Steps {
			f.Add(uint8(n), s.By == 0, []byte(s.Frame))
			if with := strings.Replace(s.Frame, `"request_type"`, `"ontologies": [{"url": "https://x.y/", "sha256": "00"}], "request_type"`, 1); with != s.Frame {
				f.Add(uint8(n), s.By == 0, []byte(with))
			}
		}
	}
	f.Fuzz(func(t *testing.T, upTo uint8, first bool, frame []byte) {
		for _, scene := range v.Scenes {
			if scene.End != "completed" {
				continue
			}
			at, side := v.At.UnixMilli(), 0
			if !first {
				side = 1
			}
			id := scene.Conversation
			if side == 1 {
				id = ""
			}
			s := talk.New(talk.DefaultCaps(), v.Parties[side], v.Parties[1-side], id, side == 0, at)
			ends := 0
			for n, one := range scene.Steps {
				if n >= int(upTo) {
					break
				}
				m := own(t, at, one.Frame)
				if one.By != side {
					m = talk.Move{At: at, Kind: talk.Frame, Raw: []byte(one.Frame)}
				}
				done, err := s.Step(m)
				if err != nil {
					t.Fatal(err)
				}
				if done.Ended != nil {
					ends++
				}
			}
			for range 6 {
				done, err := s.Step(talk.Move{At: at, Kind: talk.Frame, Raw: bytes.Clone(frame)})
				if err != nil {
					t.Fatal(err)
				}
				if len(done.Send) > 4 {
					t.Errorf("%d frames in answer to one", len(done.Send))
				}
				if done.Ended != nil {
					ends++
				}
			}
			if _, going := s.Next(); going == (ends == 1) || ends > 1 {
				t.Errorf("it ended %d times, and goes on: %t", ends, going)
			}
		}
	})
}

// FuzzParseAgreement: an agreement that is read has one form, and becomes the terms of a dispute.
func FuzzParseAgreement(f *testing.F) {
	a, b := newKey(1), newKey(2)
	for _, deal := range []string{"", `{"instruction":["Paint an owl."],"output_schema":{"owl":"string"}}`} {
		signed := agreement(a, b, deal)
		raw, err := signed.Canonical()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		read, err := talk.ParseAgreement(raw)
		if err != nil {
			return
		}
		if !talk.IsAgreement(raw) {
			t.Errorf("%s is an agreement, and is not taken for one", raw)
		}
		again, err := read.Canonical()
		want, wantErr := canon.JSON(raw, talk.MaxAgreement)
		if errors.Join(err, wantErr) != nil || !bytes.Equal(again, want) {
			t.Errorf("%s\nbecomes %s, %v, %v", raw, again, err, wantErr)
		}
		_, _ = read.Task(read.Asker, read.Holder)
		_ = read.Verify()
	})
}
