package manifest

import (
	"fmt"
	"reflect"
	"strings"

	"ojud/agent/host"
)

// Bounds are limits that somebody wants for a copy of an agent. What is missing stays as it is.
type Bounds struct {
	Concurrent   *int     `json:"concurrent,omitempty"`
	Time         string   `json:"time,omitempty"`
	CPU          string   `json:"cpu,omitempty"`
	MemoryMB     *int64   `json:"memory_mb,omitempty"`
	Tokens       *int     `json:"tokens,omitempty"`
	Dollars      *float64 `json:"dollars,omitempty"`
	TotalTokens  *int     `json:"total_tokens,omitempty"`
	TotalDollars *float64 `json:"total_dollars,omitempty"`
}

// Narrow returns the text of the file of a copy with other limits, each at most that of the agent.
// The copy spawns none.
func (m Manifest) Narrow(b Bounds) (string, error) {
	q := m.Quota
	nothing, dollars := 0, func(n uint64) *float64 {
		d := float64(n) / 1e6
		return &d
	}
	memory, stored := q.Memory>>20, q.InnerStored>>20
	l := limits{
		Concurrent: &q.Concurrent, Time: q.Time.String(), CPU: q.CPU.String(), MemoryMB: &memory, Tokens: &q.Tokens, Dollars: dollars(q.Micros),
		TotalTokens: &q.TotalTokens, TotalDollars: dollars(q.TotalMicros), InnerCalls: &q.InnerCalls, InnerTokens: &q.InnerTokens,
		InnerDollars: dollars(q.InnerMicros), InnerCPU: q.InnerCPU.String(), InnerMB: &stored, Memories: &q.Memories, Spawned: &nothing,
	}
	put(&l.Concurrent, b.Concurrent)
	put(&l.MemoryMB, b.MemoryMB)
	put(&l.Tokens, b.Tokens)
	put(&l.Dollars, b.Dollars)
	put(&l.TotalTokens, b.TotalTokens)
	put(&l.TotalDollars, b.TotalDollars)
	for wish, to := range map[*string]*string{&b.Time: &l.Time, &b.CPU: &l.CPU} {
		if *wish != "" {
			*to = *wish
		}
	}
	want, err := l.quota()
	if err != nil {
		return "", err
	}
	if beyond := want.Within(q); beyond != "" {
		return "", wrong("limits."+beyond, "is above that of agent %s; a copy has at most as much", m.ID)
	}
	text := replaced(m.Text, want)
	copied, err := Parse([]byte(text), m.ID, m.ID)
	if err != nil {
		if _, own := Parse([]byte(replaced(m.Text, m.Quota)), m.ID, m.ID); own != nil { // guests hear nothing of the file
			return "", wrong("limits", "of agent %s cannot be changed in its file", m.ID)
		}
		return "", wrong("limits", "of agent %s are out of bounds: %v", m.ID, err)
	}
	like, err := Parse([]byte(m.Text), m.ID, m.ID)
	if err != nil {
		return "", wrong("limits", "of agent %s cannot be changed in its file", m.ID)
	}
	like.Quota, like.Text = copied.Quota, copied.Text
	if copied.Quota != want || !reflect.DeepEqual(copied, like) {
		return "", wrong("limits", "of agent %s are not in a table of their own; write them below a line [limits]", m.ID)
	}
	return text, nil
}

func put[T any](to **T, wish *T) {
	if wish != nil {
		*to = wish
	}
}

// replaced writes limits into a file, in place of its table [limits].
func replaced(text string, q host.Quota) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "[") {
			inside = head == "[limits]"
		}
		if !inside {
			out.WriteString(line)
		}
	}
	micros := func(n uint64) string { return fmt.Sprintf("%d.%06d", n/1e6, n%1e6) }

	fmt.Fprintf(&out, "\n[limits]\nconcurrent = %d\ntime = \"%s\"\ncpu = \"%s\"\nmemory_mb = %d\ntokens = %d\ndollars = %s\ntotal_tokens = %d\ntotal_dollars = %s\n",
		q.Concurrent, q.Time, q.CPU, q.Memory>>20, q.Tokens, micros(q.Micros), q.TotalTokens, micros(q.TotalMicros))
	fmt.Fprintf(&out, "inner_calls = %d\ninner_tokens = %d\ninner_dollars = %s\ninner_cpu = \"%s\"\ninner_mb = %d\nmemories = %d\nspawned = %d\n",
		q.InnerCalls, q.InnerTokens, micros(q.InnerMicros), q.InnerCPU, q.InnerStored>>20, q.Memories, q.Spawned)
	return out.String()
}
