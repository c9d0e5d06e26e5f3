// Package manifest reads the file of an agent: agents/ID.toml in the home of an agent host. It says
// who the agent is, what answers its calls (its mind), its tools, models, limits, and what it may
// do by itself. docs/agents.md explains the file.
//
// An error names the file, the line, the field, its limits and the fix.
package manifest
