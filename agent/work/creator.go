package work

import (
	"fmt"
	"maps"
	"slices"
)

// Item is an order that a creator has posted, or is about to post.
type Item struct {
	ID       string `json:"id"`
	Document string `json:"document"` // hash in hex
	Phase    Phase  `json:"phase"`
	Number   uint64 `json:"number,string"`
	Task     string `json:"task,omitempty"`
	Reward   uint64 `json:"reward,string"`
	Bond     uint64 `json:"bond,string"`      // of an objection
	Tokens   Tokens `json:"tokens,omitzero"`  // beside the reward
	Result   string `json:"result,omitempty"` // that was checked; hash in hex
	Chance   int    `json:"chance"`           // percent that the court accepts it, as it estimated
	Why      string `json:"why,omitempty"`
	Tries    int    `json:"tries"`  // of a check that could not be made
	Seen     int64  `json:"seen"`   // when the task was on the chain last
	Absent   int    `json:"absent"` // looks without the task, one after the other
	Ending

	running bool
}

// Creator is the state of a creator.
type Creator struct {
	Policy CreatorPolicy    `json:"-"`
	Items  map[string]*Item `json:"items"` // all of the queue that were posted, by id
	Spent  Spent            `json:"spent"`
	poor   string           // the order that waits for money, as it was told
}

// NewCreator returns a creator that has posted nothing.
func NewCreator(p CreatorPolicy) *Creator { return &Creator{Policy: p, Items: map[string]*Item{}} }

// Step takes news and returns what has to be done.
func (c *Creator) Step(n News) (acts []Act) {
	switch n := n.(type) {
	case Restarted:
		for _, id := range slices.Sorted(maps.Keys(c.Items)) {
			i := c.Items[id]
			if i.running = false; i.Task != "" && i.Phase != Over {
				acts = append(acts, Bring{id, i.Task})
			}
		}
	case Books:
		return c.look(n)
	case Inspected:
		return c.checked(n)
	case Withdrawn:
		if i := c.Items[n.ID]; i != nil && i.Phase == Posting {
			delete(c.Items, n.ID)
			return []Act{Tell{"", fmt.Sprintf("does not post %s, because its document was removed or changed meanwhile", n.ID)}}
		}
	case Failed:
		return []Act{Tell{n.Task, n.Why}}
	case Market, Made, Weighed, Released: // a worker's
	}
	return acts
}

// look compares the items with the chain, and posts further ones.
func (c *Creator) look(b Books) (acts []Act) {
	posted := map[uint64]Posted{}
	for _, p := range b.Posted {
		posted[p.Number] = p
	}
	posting := false
	for _, id := range slices.Sorted(maps.Keys(c.Items)) {
		i := c.Items[id]
		p, there := posted[i.Number]
		if ours := there && p.Document == i.Document; i.Phase == Over && i.Guessed && ours {
			c.back(i)
		}
		if i.Phase == Over {
			continue
		}
		switch {
		case there && p.Document == i.Document:
			if i.Phase == Posting || i.Phase == Objecting && p.Status == Disputed { // as Job.landed
				acts = append(acts, Bring{id, p.Task})
			}
			i.Seen, i.Absent = b.Now, 0
			acts = append(acts, c.follow(i, p, b)...)
		case i.Phase != Posting:
			acts = append(acts, c.gone(i, b)...)
		case b.Next <= i.Number:
			// The transaction may still land, and then this one cannot: a number is used once.
			posting = true
			acts = append(acts, Post{i.ID, i.Number})
		case there:
			// Another process of this key has taken the number, so the transaction cannot land.
			delete(c.Items, id)
		default:
			// A task with that number was there and is closed. It may have been this one.
			acts = append(acts, c.gone(i, b)...)
		}
	}
	if posting {
		return acts
	}
	return append(acts, c.post(b)...)
}

// follow goes on with an item whose task is as the chain has it.
func (c *Creator) follow(i *Item, p Posted, b Books) []Act {
	i.Task = p.Task
	if p.ObjectBond > 0 { // it is not known of a task that is over
		i.Bond = p.ObjectBond
	}
	if p.Price > 0 {
		i.Reward = max(i.Reward, p.Price)
	}
	switch p.Status {
	case Over:
		if p.Price > 0 {
			i.Reward = p.Price
		}
		return c.end(i, p.Outcome, p.Ruling)
	case Open:
		if i.Phase = Open; p.Late {
			return []Act{Expire{p.Task, "takes its money back, because nobody claimed the task in time"}}
		}
		if c.Policy.Patience > 0 && b.Now-p.CreatedAt >= c.Policy.Patience {
			return []Act{Tell{p.Task, fmt.Sprintf("takes the task off the market, because nobody claimed it in %d s", c.Policy.Patience)}, Cancel{p.Task}}
		}
	case Making:
		if i.Phase = Making; p.Late {
			return []Act{Expire{p.Task, "takes its money back, because the worker missed its deadline"}}
		}
	case Waiting:
		switch {
		case p.Late:
			return nil // silence pays the worker
		case i.Phase == Accepting && i.Result == p.Result:
			return []Act{Accept{p.Task}}
		case i.Phase == Objecting && i.Result == p.Result:
			return append(c.fund(b, p.ObjectBond), Object{i.ID, p.Task})
		case i.running:
			return nil
		}
		i.Phase, i.Result, i.running = Waiting, p.Result, true
		return []Act{Check{i.ID, p.Task, p.Result}}
	case Disputed:
		if i.Phase = Disputed; p.Late {
			return []Act{Expire{p.Task, "has the dispute closed, because its time is over"}}
		}
	case Judged:
		if i.Phase = Judged; p.Lost {
			return []Act{Waive{p.Task}}
		}
	}
	return nil
}

// checked accepts a result or objects to it, by what an objection is expected to bring.
func (c *Creator) checked(n Inspected) []Act {
	c.Spent.add(n.Use)
	i := c.Items[n.ID]
	if i == nil {
		return nil
	}
	if i.running = false; i.Phase != Waiting || i.Result != n.Result {
		return nil
	}
	if n.Unable && i.Tries < maxTries { // the next look checks again
		i.Tries++
		return []Act{Tell{i.Task, n.Why}}
	}
	i.Chance, i.Why, i.Tries = n.Chance, n.Why, 0
	win := i.Dispute()
	staked, risked := c.open(i)
	words := fmt.Sprintf("The chance that the court accepts the result is %d %%: %s.", n.Chance, n.Why)
	switch {
	case n.Chance > even || n.Chance == even && !c.Policy.Object:
		i.Phase = Accepting
		return []Act{Tell{i.Task, words + " The worker is paid."}, Accept{i.Task}}
	case !c.Policy.Budget.allows(c.Spent, staked, risked, i.risk(), i.risk()):
		i.Phase = Accepting
		return []Act{Tell{i.Task, words + " The bond of an objection does not fit the budget, so the worker is paid."}, Accept{i.Task}}
	case win <= 0:
		i.Phase = Accepting
		return []Act{Tell{i.Task, words + fmt.Sprintf(" An objection is worth %s, so the worker is paid.", signed(win))}, Accept{i.Task}}
	}
	i.Phase = Objecting
	return []Act{Tell{i.Task, words + fmt.Sprintf(" An objection is worth %s.", signed(win))}, Object{i.ID, i.Task}}
}

// Dispute is what an objection is expected to bring, in lamports: the reward, or the loss of the
// bond.
func (i *Item) Dispute() int64 { return worth(i.Reward, whole-i.Chance) - worth(i.Bond, i.Chance) }

// fund fills the vault from the wallet if it holds less than is needed, and the owner allows it.
func (c *Creator) fund(b Books, need uint64) []Act {
	least := max(c.Policy.Vault, need)
	if b.Vault >= need || c.Policy.Vault == 0 || b.Wallet <= least-b.Vault {
		return nil
	}
	return []Act{Fund{least}}
}

// wait fills the vault for an order, or says once why it cannot.
func (c *Creator) wait(b Books, order string, need uint64) []Act {
	if acts := c.fund(b, need); len(acts) > 0 {
		c.poor = ""
		return acts
	}
	if c.poor == order {
		return nil // its amounts may have changed, and are not news
	}
	why := fmt.Sprintf("waits for money: its vault has %s, and the next task needs %s; bring it in with ojud agent deposit", sol(b.Vault), sol(need))
	if c.Policy.Vault > 0 {
		why = fmt.Sprintf("waits for money: it cannot fill its vault of %s up to %s, because the wallet has %s", sol(b.Vault), sol(max(c.Policy.Vault, need)), sol(b.Wallet))
	}
	c.poor = order
	return []Act{Tell{"", why}}
}

// post posts the next order of the queue, or stops.
func (c *Creator) post(b Books) []Act {
	open, bonds := 0, uint64(0)
	for _, i := range c.Items {
		if i.Phase != Over {
			open, bonds = open+1, bonds+i.Bond
		}
	}
	staked, risked := c.open(nil)
	var next *Order
	for n := range b.Queue {
		if c.Items[b.Queue[n].ID] == nil {
			next = &b.Queue[n]
			break
		}
	}
	why := c.Policy.Budget.over(c.Spent)
	if why == "" && next != nil && !c.Policy.Budget.allows(c.Spent, staked, risked, next.Reward+next.Bond, next.Reward+next.Bond) {
		why = fmt.Sprintf("the next task may cost %s with the bond of an objection, it has lost or paid %s, and its budget is a stake of %s and a loss of %s; 0 is no bound",
			sol(next.Reward+next.Bond), sol(c.Spent.Lost), sol(c.Policy.Budget.Stake), sol(c.Policy.Budget.Loss))
		if open > 0 {
			return nil // a refund may make room
		}
	}
	switch {
	case why != "" && open == 0:
		return []Act{Stop{why}}
	case why != "":
		return nil
	case next == nil && open == 0 && c.Policy.Ends:
		return []Act{Stop{"the queue is empty, and no task is open"}}
	case next == nil || open >= max(1, c.Policy.AtOnce):
		return nil
	case b.Vault < next.Reward+next.Bond+bonds:
		return c.wait(b, next.ID, next.Reward+next.Bond+bonds)
	}
	c.Items[next.ID] = &Item{ID: next.ID, Document: next.Document, Phase: Posting, Number: b.Next, Reward: next.Reward, Bond: next.Bond, Tokens: next.Tokens, Chance: even, Seen: b.Now}
	return []Act{Post{next.ID, b.Next}}
}
