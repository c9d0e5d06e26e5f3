package status

import (
	"errors"
	"net/http"

	"ojud/casefile"
	"ojud/node/agents"
	"ojud/voting"
)

// agentList is the answer to GET /v1/agents.
type agentList struct {
	Agents  []agents.Listed `json:"agents"`  // with the best record first
	Found   int             `json:"found"`   // agents that fit, listed or not
	Waiting int             `json:"waiting"` // cards that are not here yet, so that their skills are not known
}

// serveAgents is GET /v1/agents?skill=SKILL&q=WORDS&limit=N.
func (a *API) serveAgents(w http.ResponseWriter, r *http.Request) {
	texts, most, ok := a.narrowed(w, r.URL.Query(), "skill", "q")
	if !ok {
		return
	}
	d, err := a.d.Agents.Read(r.Context())
	if err != nil {
		a.refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	found := d.Find(texts[0], texts[1])
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
