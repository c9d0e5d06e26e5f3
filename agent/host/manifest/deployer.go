package manifest

import (
	"fmt"
	"slices"

	"ojud/agent/host"
)

// Program reports whether a program is started for each call.
func (t Thinking) Program() bool { return t.Kind == Executable || t.Kind == Speaker }

// Models reports whether a model answers, or a program that says what its models cost. Such a mind
// uses tools.
func (t Thinking) Models() bool {
	return !slices.Contains([]string{Executable, Server, Deployer}, t.Kind)
}

// The capabilities of a deployer.
const (
	deploy  = "deploy"
	Retract = "terminate"
)

// deploys checks an agent that makes copies of others.
func (m Manifest) deploys() error {
	if m.Autonomy != host.LevelSpawns { // with more, it would end what it did not deploy
		return wrong("autonomy", "is %d; an agent that deploys others has %d", m.Autonomy, host.LevelSpawns)
	}
	for i, c := range m.Capabilities {
		if c.Name != deploy && c.Name != Retract {
			return wrong(fmt.Sprintf("capabilities[%d].name", i), "is %q; an agent that deploys others has %s and %s", c.Name, deploy, Retract)
		}
	}
	if len(m.Calls) == 0 {
		return wrong("calls", `is empty; name the agents of which it makes copies, such as "counter/*"`)
	}
	return nil
}
