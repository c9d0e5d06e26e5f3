package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/node/cluster/site"
	"ojud/voting"
)

// foretell says which judges will misbehave.
func (c *Cluster) foretell() {
	say := func(before, n int, what string) {
		switch {
		case n == 1:
			c.say("On purpose, judge %02d %s.", before+1, what)
		case n > 1:
			c.say("On purpose, each of the judges %02d to %02d %s.", before+1, before+n, what)
		}
	}
	honest := c.cfg.Nodes - c.cfg.Absent - c.cfg.Contrary - c.cfg.Equivocating
	say(honest, c.cfg.Equivocating, "signs two different votes")
	say(honest+c.cfg.Equivocating, c.cfg.Contrary, "votes against its own opinion")
	say(c.cfg.Nodes-c.cfg.Absent, c.cfg.Absent, "is absent: it has a stake, but its node does not run")
	say(c.cfg.Holders, c.cfg.Lying, "claims to have the data too, and lies ("+quote(site.Rumour)+")")
	if n := c.cfg.Strangers; n > 0 {
		c.say("On purpose, %d nodes without a stake, which are no judges, claim to have the data too, and lie (%s).", n, quote(site.Rumour))
	}
}

// trace tells from the case file who asked whom for data, and what came of lies.
func (p *play) trace(raw []byte, verdict string) error {
	const _ = uint(3 - voting.Verdicts) // the honest judges vote for the worker, and a lie can only bring another verdict
	var b struct {
		Events []casefile.Event `json:"events"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return fmt.Errorf("cluster: read the case file: %w", err)
	}
	asked, answers := map[casefile.DID]bool{}, map[casefile.DID]int{}
	for _, e := range b.Events {
		var d casefile.DataBody
		if e.Kind != casefile.KindData {
			continue
		}
		if err := json.Unmarshal(e.Body, &d); err != nil {
			return fmt.Errorf("cluster: read the case file: %w", err)
		}
		for _, r := range d.Receipts {
			if r.Holder != e.Actor {
				asked[e.Actor] = true
				answers[r.Holder]++
			}
		}
	}
	var from []string
	lied := 0
	for _, m := range slices.Concat(p.members, p.strangers) {
		if n := answers[m.did()]; n > 0 {
			from = append(from, fmt.Sprintf("%d from %s", n, m.Name()))
			if _, lies := p.cfg.holds(m.Number); lies || m.stranger > 0 {
				lied += n
			}
		}
	}
	if len(from) > 0 {
		p.say("Before they voted, %d judges asked others for data and got signed answers: %s.", len(asked), strings.Join(from, ", "))
	}
	if lied > 0 {
		end := fmt.Sprintf("the verdict is %s, and without the lie it would be %s", verdict, voting.ForWorker)
		if verdict == voting.ForWorker.String() {
			end = "the lie did not change the verdict"
		}
		p.say("%d of these answers are false. The judges weighed them by the stake of who gave them, and %s. A false answer costs no stake, but its "+
			"signature in the case file shows who gave it.", lied, end)
	}
	return nil
}

// noted returns the notes of a verification, each once and with the names of the judges.
func (p *play) noted(notes []verify.Note) (out []string) {
	var names []string
	for _, m := range p.strangers {
		names = append(names, "the stranger "+m.did().String(), "the "+m.Name())
	}
	for _, m := range slices.Concat(p.members, p.strangers) {
		names = append(names, m.did().String(), m.Name(), m.Authority().String(), m.Name())
	}
	named, count := strings.NewReplacer(names...), map[string]int{}
	for _, n := range notes {
		text := named.Replace(n.Detail)
		if count[text]++; count[text] == 1 {
			out = append(out, text)
		}
	}
	for i, text := range out {
		if n := count[text]; n > 1 {
			out[i] = fmt.Sprintf("%s (%d times)", text, n)
		}
	}
	slices.Sort(out)
	return out
}
