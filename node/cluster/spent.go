package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Spent holds the costs of the judges' models, by the nodes' metrics.
type Spent struct {
	Calls      int            `json:"calls"`
	Answered   int            `json:"answered"`
	Failed     map[string]int `json:"failed,omitempty"` // by cause, in the words of ojud_model_calls_total
	Prompt     int            `json:"prompt_tokens"`
	Completion int            `json:"completion_tokens"`
	Micros     uint64         `json:"cost_micros"` // millionths of a US dollar, by the prices of the settings
	Seconds    float64        `json:"seconds"`     // of waiting, summed over judges that wait at once
}

// String describes the costs on one line.
func (s Spent) String() string {
	var failed []string
	for _, why := range slices.Sorted(maps.Keys(s.Failed)) {
		failed = append(failed, fmt.Sprintf("%d %s", s.Failed[why], why))
	}
	text := fmt.Sprintf("%d calls, %d answered", s.Calls, s.Answered)
	if len(failed) > 0 {
		text += ", failed: " + strings.Join(failed, ", ")
	}
	return fmt.Sprintf("%s; %d tokens of prompts and %d of answers, %d.%06d USD, %.1f s of waiting in all", text, s.Prompt, s.Completion, s.Micros/1e6, s.Micros%1e6, s.Seconds)
}

// spent adds up the costs of all nodes' models since the start.
func (c *Cluster) spent() (Spent, error) {
	total := Spent{Failed: map[string]int{}}
	for _, m := range c.members {
		if m.metrics == nil {
			continue
		}
		if err := total.add(m.metrics); err != nil {
			return total, fmt.Errorf("cluster: metrics of %s: %w", m.Name(), err)
		}
	}
	return total, nil
}

func (s *Spent) add(from prometheus.Gatherer) error {
	families, err := from.Gather()
	if err != nil {
		return err
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			s.count(f.GetName(), labels, m.GetCounter().GetValue(), m.GetHistogram().GetSampleSum())
		}
	}
	return nil
}

func (s *Spent) count(name string, labels map[string]string, n, sum float64) {
	switch name {
	case "ojud_model_calls_total":
		s.Calls += int(n)
		if why := labels["result"]; why == "answered" {
			s.Answered += int(n)
		} else {
			s.Failed[why] += int(n)
		}
	case "ojud_model_tokens_total":
		if labels["kind"] == "prompt" {
			s.Prompt += int(n)
		} else {
			s.Completion += int(n)
		}
	case "ojud_model_cost_micros_total":
		s.Micros += uint64(n)
	case "ojud_model_seconds":
		s.Seconds += sum
	}
}

// took returns the costs of the dispute's models, or nil if judges ask none.
func (p *play) took() (*Spent, error) {
	if p.cfg.Story != StoryJudges {
		return nil, nil
	}
	now, err := p.Cluster.spent()
	if err != nil {
		return nil, err
	}
	took := now.since(p.spent)
	return &took, nil
}

// since returns the costs after an earlier count.
func (s Spent) since(before Spent) Spent {
	out := Spent{Calls: s.Calls - before.Calls, Answered: s.Answered - before.Answered, Failed: map[string]int{}, Prompt: s.Prompt - before.Prompt,
		Completion: s.Completion - before.Completion, Micros: s.Micros - before.Micros, Seconds: s.Seconds - before.Seconds}
	for why, n := range s.Failed {
		if n > before.Failed[why] {
			out.Failed[why] = n - before.Failed[why]
		}
	}
	return out
}
