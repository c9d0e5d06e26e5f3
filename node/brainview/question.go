package brainview

import (
	"cmp"
	"context"

	"ojud/ledger/brain"
	"ojud/megabrain/finding"
)

// question is what a task asks. If it stands on memory nodes that do not give it, or cannot be
// read, it is the description, and lacks says why.
func (r *TaskReader) question(ctx context.Context, told brain.Told, nodes []string) (text, lacks string) {
	hash, named := finding.Elsewhere(told.Description)
	if !named {
		return told.Description, ""
	}
	if len(nodes) == 0 {
		nodes = finding.Nodes(string(told.Metadata))
	}
	raw := r.content(ctx, hash, nodes...)
	if raw == nil {
		return told.Description, "the question stands on memory nodes, and none of them gives it now"
	}
	text, err := finding.ReadQuestion(raw)
	if err != nil {
		return told.Description, err.Error()
	}
	return text, ""
}

// opening is how the question of a task begins. One that stands on memory nodes is looked for once,
// and only its beginning is remembered: a list has many.
func (r *TaskReader) opening(ctx context.Context, told brain.Told, asked *int) string {
	hash, named := finding.Elsewhere(told.Description)
	if !named {
		return told.Description
	}
	r.mu.Lock()
	text, known := r.openings[hash]
	r.mu.Unlock()
	if known || *asked >= maxAsked {
		return cmp.Or(text, told.Description)
	}
	*asked++
	raw := r.look(ctx, hash, finding.Nodes(string(told.Metadata)))
	if raw == nil {
		return told.Description
	}
	text, err := finding.ReadQuestion(raw)
	if err == nil {
		text = finding.Opening(text)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.room(len(text))
	r.openings[hash] = text
	return cmp.Or(text, told.Description)
}
