package discover

import (
	"context"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/node/client"
	"ojud/voting"
)

// The limits of a look at subjects: a court with many tasks, or nodes that do not answer, do not
// hold up a list for long.
const (
	maxDocuments = 100              // are asked for; the tasks after them have no subject
	atOnce       = 8                // documents
	patience     = 10 * time.Second // for all documents
	maxSubject   = 200              // characters
)

// Listing is a task with its subject.
type Listing struct {
	client.TaskView
	// Subject is the beginning of the creator's instruction. It is empty if no node sent the
	// document in time, or if judges cannot read it.
	Subject string `json:"subject"`
}

// Fetch gets a document by its hash, and checks that it has the hash.
type Fetch func(context.Context, voting.Hash) ([]byte, error)

// Subjects adds the subjects to tasks. It asks for the document of each of the first 100 tasks, and
// takes at most 10 s.
func Subjects(ctx context.Context, fetch Fetch, tasks []client.TaskView) []Listing {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out := make([]Listing, len(tasks))
	turn := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, t := range tasks {
		out[i].TaskView = t
		hash, err := hex.DecodeString(t.TaskHash)
		if err != nil || len(hash) != len(voting.Hash{}) || i >= maxDocuments {
			continue
		}
		all.Go(func() {
			select {
			case turn <- struct{}{}:
				defer func() { <-turn }()
			case <-ctx.Done():
				return
			}
			if ctx.Err() != nil {
				return
			}
			if raw, err := fetch(ctx, voting.Hash(hash)); err == nil {
				out[i].Subject = subject(raw)
			}
		})
	}
	all.Wait()
	return out
}

// subject returns the beginning of the instruction in one line.
func subject(document []byte) string {
	doc, err := casefile.ParseTask(document)
	if err != nil || len(doc.Value.Instruction) == 0 {
		return ""
	}
	text := []rune(strings.Join(strings.Fields(doc.Value.Instruction[0]), " "))
	if len(text) > maxSubject {
		return string(text[:maxSubject-1]) + "…"
	}
	return string(text)
}
