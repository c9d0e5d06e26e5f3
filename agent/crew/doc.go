// Package crew makes agents in which one model takes several roles: a draft with criticism, the
// task list of BabyAGI, the goals with self-criticism of AutoGPT, and a taskmaster that divides the
// work. Each role is a minion of the agent (agent.NewReAct), so that a client sees its steps, and
// the bounds of package agent hold for each. Only the role that works has the tools.
//
// What one role says is data for the next one, as are the order and the results of tools.
package crew
