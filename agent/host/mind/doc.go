// Package mind makes the calls of agents: it asks the model, starts the program, or calls the tool
// of the MCP server that the file of an agent names.
//
// Programs run in a folder of their agent, with limits of processor time and memory, in a process
// group that ends with its call, also if the host is killed. They get what they read on standard
// input, and a few variables of the host's environment. The limits do not confine a program: it can
// do what the user of the host can do.
//
// The caller gives each call a context with its deadline, and closes the worker.
package mind
