package manifest

import (
	"fmt"

	"ojud/agent/host"
)

// distant reads the agents of other hosts that the agent may call.
func (f file) distant(dir string) (out []Distant, err error) {
	const most = 32
	if len(f.Remotes) > most {
		return nil, wrong("remotes", "has %d entries; write at most %d", len(f.Remotes), most)
	}
	if len(f.Remotes) > 0 && f.Autonomy < host.LevelCalls {
		return nil, wrong("remotes", "are for autonomy of at least %d; take them out, or change that", host.LevelCalls)
	}
	for i, r := range f.Remotes {
		at := fmt.Sprintf("remotes[%d].", i)
		one := Distant{Under: inside(dir, r.Under)}
		if one.Remote, err = host.ParseRemote(r.Address); err != nil {
			return nil, wrong(at+"address", "cannot be used: %v", err)
		}
		if r.Under == "" {
			return nil, wrong(at+"under", "is missing; name the file of the chain of delegations that the other operator gave to this agent's key")
		}
		out = append(out, one)
	}
	return out, nil
}
