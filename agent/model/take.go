package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"unicode/utf8"
)

// take is a recorded request with its answers, in one file.
type take struct {
	Model   string          `json:"model"`
	Path    string          `json:"path"`
	Request json.RawMessage `json:"request"`
	Answers []spoken        `json:"answers"`
	next    int             // in a replay
}

// spoken is a recorded answer.
type spoken struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
	Base64 bool   `json:"base64,omitempty"` // the body is no UTF-8, so it is encoded
}

const (
	maxTake    = 16 << 20 // bytes of a file
	maxAnswers = 10_000   // in it
)

func newSpoken(status int, body []byte) spoken {
	if utf8.Valid(body) {
		return spoken{Status: status, Body: string(body)}
	}
	return spoken{Status: status, Body: base64.StdEncoding.EncodeToString(body), Base64: true}
}

func (s spoken) bytes() ([]byte, error) {
	if s.Base64 {
		return base64.StdEncoding.DecodeString(s.Body)
	}
	return []byte(s.Body), nil
}

func (s spoken) response(to *http.Request) (*http.Response, error) {
	body, err := s.bytes()
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: s.Status, Header: http.Header{}, Request: to,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body))}, nil
}

func readTake(path string) (*take, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("it is not in the recording; record again")
	}
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxTake+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return decodeTake(raw)
}

// decodeTake reads a file of a recording, which may have been edited.
func decodeTake(raw []byte) (*take, error) {
	if len(raw) > maxTake {
		return nil, fmt.Errorf("more than %d bytes", maxTake)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	kept := &take{}
	if err := d.Decode(kept); err != nil {
		return nil, err
	}
	if len(kept.Answers) > maxAnswers {
		return nil, fmt.Errorf("more than %d answers", maxAnswers)
	}
	for i, s := range kept.Answers {
		body, err := s.bytes()
		if err != nil || len(body) > maxAnswer || s.Status < 200 || s.Status > 599 {
			return nil, fmt.Errorf("answer %d has the status %d, or a body that is too long or no base64", i, s.Status)
		}
	}
	return kept, nil
}
