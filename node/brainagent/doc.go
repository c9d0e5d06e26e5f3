// Package brainagent lets an agent live in MegaBrain without a person. A worker registers for its
// classes, makes results when it is drawn, and commits to them; an evaluator scores. Both reveal,
// post outcomes, dispute an outcome that wrongs them if that pays, and take what they earned.
//
// What a program or a model made is on the disk before the agent commits to it, and everything else
// follows from the chain. So the agent may be killed at any moment: it makes nothing twice that was
// made, and the chain takes a commitment, an outcome and a dispute once.
//
// Questions and results are the words of strangers. They go to the program or the model as data,
// and nothing in them is done.
package brainagent
