// Package agent is the general agent (seed 001, levels 0 and 1). It takes an input and streams its
// work step by step. It has tools and minions (other agents): some it runs itself, and its client
// runs the others. It ends with a result that satisfies its schema. The court uses New, Body and
// NewReAct; the rest is for agents outside the court.
//
// Level 0 is Agent, Request and Channel; New makes an agent of any Body. Level 1 are agents with a
// ModelSetup: NewReAct thinks and acts by turns, NewPlanner makes a plan first. Package agent knows
// no provider of models; its caller brings a Model.
//
// # The client's duties
//
//  1. Read Channel.Steps to the end, or leave the loop, or Close the channel. Until then the run
//     holds goroutines. At the latest, its time ends it.
//  2. Answer every ClientCall by Channel.Input, from this goroutine or another, with a ToolResult,
//     or, for a minion, with a MinionChannel. An unanswered call waits until the run ends. If a
//     call is impossible, answer it with ToolResult.Error.
//  3. Do not change the bytes of events. Runs, events and tools share them.
//  4. Treat every text of an event as a stranger's, because a model wrote it and may have copied it
//     from the author of the input.
//  5. Check the descriptions of tools with Repr.Validate before you offer them. An invalid one
//     makes the request fail.
//
// # Limits of a run
//
// Config bounds steps, calls, bytes of each text and of all texts, extra inputs, depth of minions,
// and time. A call is not made if the tool does not exist, if the input violates its schema, if
// there are too many calls, or if the same call was repeated too often; the agent is told. If it
// repeats the call again, the run ends with ErrLoop. Outputs of tools are checked against their
// schemas like inputs. A panic of a body or a tool becomes an error. A tool must stop when its ctx
// ends, because the run does not wait for it.
//
// Agents and models read only the words of a Failure or the class of an error. Other errors go only
// to the log, because a library's error about a failed request may contain a key.
package agent
