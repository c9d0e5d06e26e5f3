package voting

// Candidate is a judge as the Roster has it at a draw.
type Candidate struct {
	Index    uint16 // entry of the Roster
	Judge    Key    // authority
	Peer     Key    // node key
	Operator Key    // zero: none declared
	Stake    uint64 // lamports
	Weight   uint64 // lamports, set by Eligible: the stake up to max_seat_weight (D2)
	Active   bool   // state 1: neither free nor exiting
}

// Parties are those who must not judge the case (D8), as the Task account has them. Operators may be zero.
type Parties struct {
	Creator, CreatorOperator Key
	Worker, WorkerOperator   Key
}

// Conflicts reports whether key is a party or the declared operator of one. The zero key is nobody.
func (p Parties) Conflicts(key Key) bool {
	if key.IsZero() {
		return false
	}
	return key == p.Creator || key == p.Worker || key == p.CreatorOperator || key == p.WorkerOperator
}

// Eligible returns, in roster order and with their weights, the judges who may be drawn: active, with a stake of at least
// minStake, and neither as authority nor through their operator a party (protocol section 6).
func Eligible(roster []Candidate, p Parties, minStake, maxSeatWeight uint64) []Candidate {
	var out []Candidate
	for _, c := range roster {
		if !c.Active || c.Stake < minStake || p.Conflicts(c.Judge) || p.Conflicts(c.Operator) {
			continue
		}
		c.Weight = min(c.Stake, maxSeatWeight)
		out = append(out, c)
	}
	return out
}
