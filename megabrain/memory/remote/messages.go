package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"ojud/megabrain/memory"
	"ojud/megabrain/memory/keep"
)

const (
	root = "/memory/v1/"

	jsonType    = "application/json"
	problemType = "application/problem+json"
	noteType    = "text/plain; charset=utf-8"
	bytesType   = "application/octet-stream"

	maxQuestion = 4 << 10 // bytes of the question of an audit
	maxSmall    = 8 << 10 // bytes of heads, conditions and problems
)

// consistency answers how a log goes on.
type consistency struct {
	Root  memory.Digest   `json:"root"`
	Proof []memory.Digest `json:"proof"`
}

// examination asks an audit about the first Size promises.
type examination struct {
	Size     int64           `json:"size"`
	Question memory.Question `json:"question"`
}

// answers are the samples of an audit.
type answers struct {
	Samples []memory.Sample `json:"samples"`
}

// Introduction is who a node is and what it offers.
type Introduction struct {
	Node string `json:"node"`
	keep.Conditions
}

// problem is an error as RFC 9457 has it.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// refusal is what a node answers if it does not do what it was asked.
type refusal struct {
	Status int
	Detail string
}

func (f *refusal) Error() string { return fmt.Sprintf("the node answers %d: %s", f.Status, f.Detail) }

// Is makes an artifact that a node does not have a file that does not exist.
func (f *refusal) Is(target error) bool {
	return f.Status == http.StatusNotFound && target == fs.ErrNotExist
}

// errLost is what a node says that had to have an artifact.
var errLost = errors.New("the node promised this artifact, and does not give it")

// Exposed means that a node signed two histories. The exposure proves it to anybody.
type Exposed struct{ Exposure memory.Exposure }

func (e *Exposed) Error() string {
	did, err := e.Exposure.Verify()
	if err != nil {
		return fmt.Sprintf("remote: an exposure that does not verify: %v", err)
	}
	return "the node is lying: it " + did
}
