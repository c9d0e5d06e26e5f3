package status

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"ojud/casefile"
	"ojud/node/agents"
	"ojud/voting"
)

const (
	maxAgents = 100 // that one answer lists
	maxSought = 200 // bytes of a skill or of words
)

// agentList is the answer to GET /v1/agents.
type agentList struct {
	Agents  []agents.Listed `json:"agents"`  // with the best record first
	Found   int             `json:"found"`   // agents that fit, listed or not
	Waiting int             `json:"waiting"` // cards that are not here yet, so that their skills are not known
}

// serveAgents is GET /v1/agents?skill=SKILL&q=WORDS&limit=N.
func (a *API) serveAgents(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	skill, words, most := query.Get("skill"), query.Get("q"), maxAgents
	if len(skill) > maxSought || len(words) > maxSought {
		a.refuse(w, http.StatusBadRequest, fmt.Sprintf("skill has %d bytes and q has %d; at most %d each", len(skill), len(words), maxSought))
		return
	}
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxAgents {
			a.refuse(w, http.StatusBadRequest, fmt.Sprintf("limit is %.20q; give a number from 1 to %d", text, maxAgents))
			return
		}
		most = n
	}
	d, err := a.d.Agents.Read(r.Context())
	if err != nil {
		a.refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	found := d.Find(skill, words)
	out := agentList{Agents: []agents.Listed{}, Found: len(found), Waiting: d.Waiting}
	for _, p := range found[:min(len(found), most)] {
		out.Agents = append(out.Agents, p.Listed())
	}
	a.reply(w, http.StatusOK, out)
}

// serveAgent is GET /v1/agents/{agent}.
func (a *API) serveAgent(w http.ResponseWriter, r *http.Request) {
	authority, err := casefile.ParseAddress(r.PathValue("agent"))
	if err != nil {
		a.refuse(w, http.StatusBadRequest, "the agent is named by the base58 address of its authority: "+err.Error())
		return
	}
	p, err := a.d.Agents.Agent(r.Context(), voting.Key(authority))
	switch {
	case errors.Is(err, agents.ErrNone):
		a.refuse(w, http.StatusNotFound, "this court has no such agent")
	case err != nil:
		a.refuse(w, http.StatusBadGateway, err.Error())
	default:
		a.reply(w, http.StatusOK, p.Listed())
	}
}
