package status

import (
	"errors"
	"net/http"
	"strings"

	"ojud/ledger/onchain"
	"ojud/node/brainview"
)

// thoughtList is the answer to GET /v1/brain/tasks.
type thoughtList struct {
	Now   int64               `json:"now"`   // the chain's time, Unix seconds
	Tasks []brainview.Outline `json:"tasks"` // newest first
	Found int                 `json:"found"` // tasks that fit, listed or not
}

// serveThoughts is GET /v1/brain/tasks?q=WORDS&status=STATUS&limit=N.
func (a *API) serveThoughts(w http.ResponseWriter, r *http.Request) {
	texts, most, ok := a.narrowed(w, r.URL.Query(), "q", "status")
	if !ok {
		return
	}
	l, err := a.d.Brain.Tasks(r.Context())
	if err != nil {
		a.refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	out := thoughtList{Now: l.Now, Tasks: []brainview.Outline{}}
	for _, t := range l.Tasks {
		if texts[1] != "" && t.Status != texts[1] || !wordsIn(t.Question+" "+t.ClassName+" "+t.Task, texts[0]) {
			continue
		}
		if out.Found++; len(out.Tasks) < most {
			out.Tasks = append(out.Tasks, t)
		}
	}
	a.reply(w, http.StatusOK, out)
}

// wordsIn reports whether a text has all words, in any case.
func wordsIn(text, words string) bool {
	text = strings.ToLower(text)
	for _, w := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// serveThought is GET /v1/brain/tasks/{task}.
func (a *API) serveThought(w http.ResponseWriter, r *http.Request) {
	at, err := onchain.ParseAddress(r.PathValue("task"))
	if err != nil {
		a.refuse(w, http.StatusBadRequest, "a task is named by its address in base58: "+err.Error())
		return
	}
	d, err := a.d.Brain.Task(r.Context(), at)
	switch {
	case errors.Is(err, brainview.ErrNone):
		a.refuse(w, http.StatusNotFound, err.Error())
	case err != nil:
		a.refuse(w, http.StatusBadGateway, err.Error())
	default:
		a.reply(w, http.StatusOK, d)
	}
}

// memberList is the answer to GET /v1/brain/members.
type memberList struct {
	Members []brainview.Membership `json:"members"` // those with the best reputation first
	Found   int                    `json:"found"`
}

// serveMembers is GET /v1/brain/members?q=WORDS&role=ROLE&class=ADDRESS&limit=N. Without a class,
// it has those of the classes with the largest stakes.
func (a *API) serveMembers(w http.ResponseWriter, r *http.Request) {
	texts, most, ok := a.narrowed(w, r.URL.Query(), "q", "role", "class")
	if !ok {
		return
	}
	var all []brainview.Membership
	var err error
	if texts[2] == "" {
		all, err = a.d.Brain.Members(r.Context())
	} else {
		at, bad := onchain.ParseAddress(texts[2])
		if bad != nil {
			a.refuse(w, http.StatusBadRequest, "class: "+bad.Error())
			return
		}
		all, err = a.d.Brain.MembersOf(r.Context(), at)
	}
	if errors.Is(err, brainview.ErrNone) {
		a.refuse(w, http.StatusNotFound, "the chain has no class "+texts[2])
		return
	}
	if err != nil {
		a.refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	out := memberList{Members: []brainview.Membership{}}
	for _, m := range all {
		if texts[1] != "" && m.Role != texts[1] || !wordsIn(m.Agent+" "+m.Class+" "+m.ClassName, texts[0]) {
			continue
		}
		if out.Found++; len(out.Members) < most {
			out.Members = append(out.Members, m)
		}
	}
	a.reply(w, http.StatusOK, out)
}
