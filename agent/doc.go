// Package agent is the general agent (seed 001, levels 0 and 1): it takes an input, streams what it does step by step, has tools and minions
// (other agents) that it runs itself and some that whoever runs it has to run, and ends with a result that satisfies its schema.
//
// Level 0 is Agent, Request and Channel; New makes an agent of any Body. Level 1 are agents with a ModelSetup: NewReAct thinks and acts by turns,
// NewPlanner makes a plan first. Package agent knows no provider of models: a Model is given.
//
// # The client's duties
//
//  1. Read Channel.Steps to the end, or leave the loop, or Close the channel. Until then the run holds goroutines; its time ends it at last.
//  2. Answer every ClientCall by Channel.Input, from this goroutine or another, with a ToolResult, or, if it is a minion's, with a
//     MinionChannel. A call that is not answered waits until the run ends. What cannot be done is answered with ToolResult.Error.
//  3. Change no bytes of what comes out; runs, events and tools share them.
//  4. Take every text of an event for a stranger's: a model wrote it, and may have copied it from whoever wrote the input.
//  5. Offer no tools whose descriptions were not held to Repr.Validate: one that fails makes the request fail.
//
// # What a run bounds
//
// Config bounds steps, calls, bytes of each text and of all, extra inputs, depth of minions, and time. A call of a tool that does not
// exist, with an input that is not as its schema says, beyond the number of calls, or made again and again, is not made: the agent is told.
// If it goes on making the same call, the run ends with ErrLoop. Outputs of tools are held to their schemas like inputs. A panic of a body
// or a tool ends as an error. Who wrote a tool sees to it that it stops when its ctx does; the run does not wait for it.
//
// Texts in errors that agents and models read are the words of a Failure, or the class of an error: what a library says about a failed
// request may have a key in it, and goes to the log alone.
package agent
