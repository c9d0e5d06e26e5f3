package brainapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ojud/ledger/onchain"
	"ojud/node/brainview"
	"ojud/node/megabrain"
)

// maxEmbed bounds the wait for the vectors of a class's embedding. All tasks of one pass of Tend
// share this time. The wait also ends when a quarter of the evaluator's remaining time is over.
const maxEmbed = 15 * time.Second

// vectors adds the vectors of the class's embedding to the scores of a draft for which it did not
// ask before, unless the agent brought vectors. Scores count without vectors, too, so a model that
// is down does not hold them up. What was added, or that nothing was, is kept before anything is
// committed to, if the disk takes it: so a second attempt commits to the same document.
func (s *AgentAPI) vectors(ctx context.Context, d brainview.Detail, at, key onchain.Address, open draft) draft {
	asked := func(e evaluation) bool { return slices.Contains(open.Asked, e.Worker) }
	own := func(e evaluation) bool { return e.Vector != nil && !asked(e) }
	fresh := draft{Evaluations: slices.DeleteFunc(slices.Clone(open.Evaluations), asked)}
	if s.n.Embed == nil || d.Embedding == nil || slices.ContainsFunc(open.Evaluations, own) || len(fresh.Evaluations) == 0 {
		return open
	}
	left := time.Duration(d.Until-d.Now) * time.Second
	asking, stop := context.WithTimeout(ctx, min(maxEmbed, left/4))
	defer stop()
	all, err := s.n.Embed(asking, key, at, scoresOf(fresh))
	found := map[string][]int16{}
	for worker, raw := range all {
		var v []int16
		bad := json.Unmarshal(raw, &v)
		if bad == nil {
			bad = d.Embedding.Check(v)
		}
		if bad != nil {
			err = fmt.Errorf("the vector of %s: %w", worker, bad)
		}
		found[worker] = v
	}
	var with draft
	keep := func(found map[string][]int16) (err error) {
		with, err = s.drafts.change(at, key, func(it *draft) error {
			for i, e := range it.Evaluations {
				was := slices.ContainsFunc(fresh.Evaluations, func(o evaluation) bool { return o.Worker == e.Worker })
				if was && e.Vector == nil && !slices.Contains(it.Asked, e.Worker) { // so it is still
					it.Evaluations[i].Vector, it.Asked = found[e.Worker], append(it.Asked, e.Worker)
				}
			}
			return nil
		})
		return err
	}
	if err == nil {
		err = keep(found) // not if they make the document too long
	}
	if err != nil {
		s.n.Log.Warn("brain api: the scores are committed to without vectors of the class's embedding", "task", at, "agent", key, "err", err)
		if err := keep(nil); err != nil {
			s.n.Log.Warn("brain api: it cannot be kept that the scores have no vectors; a second attempt may commit to others", "task", at, "agent", key, "err", err)
			return open
		}
	}
	return counting(d, key.String(), with)
}

// scoresOf are the scores of a draft.
func scoresOf(it draft) (out []megabrain.Score) {
	for _, e := range it.Evaluations {
		out = append(out, megabrain.Score{Worker: e.Worker, Score: e.Score, Confidence: e.Confidence})
	}
	return out
}
