package host

// Behalf says for whom a call is made: who signed the outermost call, if that is somebody outside
// of the host. It is empty in the calls of the operator. What an agent learns of one of them it
// does not know in the calls of another.
type Behalf struct {
	Guest    string `json:"guest,omitempty"`    // did:key of who signed
	Delegate string `json:"delegate,omitempty"` // did:key to whom the first link of its chain was given
}

// Lease says for whom an agent was deployed, and under which delegation, with which it ends. It is
// empty for all other agents.
type Lease struct {
	Delegate string `json:"delegate,omitempty"` // did:key to whom the first link of its chain was given
	Link     string `json:"link,omitempty"`     // the id of that link
	Until    int64  `json:"until,omitempty"`    // when that ends; 0: never
}

// Circle names those who know the same: a guest under a delegate, or the operator (empty).
func (b Behalf) Circle() string {
	if b.Delegate == b.Guest {
		return b.Guest
	}
	return b.Delegate + "@" + b.Guest
}

// Asker is the caller of a call, as correlation ids belong to it. An agent has its own ids for each
// guest for whom it calls, so that no guest meets what another made it do.
func (c Invocation) Asker() string {
	if c.Guest == "" || c.Guest == c.Caller {
		return c.Caller
	}
	return c.Caller + "@" + c.Circle()
}
