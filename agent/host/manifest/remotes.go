package manifest

import (
	"fmt"
	"regexp"
	"slices"

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

// sourceName is how a data source is called.
var sourceName = regexp.MustCompile(`^[a-z0-9._:-]{1,64}$`)

// sources reads the data sources that the agent may ask.
func (f file) sources() ([]string, error) {
	const most = 32
	if len(f.Sources) > most {
		return nil, wrong("sources", "has %d entries; write at most %d", len(f.Sources), most)
	}
	if len(f.Sources) > 0 && f.Autonomy < host.LevelTools {
		return nil, wrong("sources", "are for autonomy of at least %d; take them out, or change that", host.LevelTools)
	}
	for i, name := range f.Sources {
		if name != "*" && !sourceName.MatchString(name) {
			return nil, wrong(fmt.Sprintf("sources[%d]", i), "is %.64q; name a data source, or \"*\" for all", name)
		}
	}
	return f.Sources, nil
}

// MayAsk reports whether the file allows an agent to ask a source, or all of them if source is "*".
func (m Manifest) MayAsk(source string) bool {
	return slices.Contains(m.Sources, source) || slices.Contains(m.Sources, "*")
}
