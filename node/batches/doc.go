// Package batches brings batches of golden cases through a court: it commits them, posts their
// cases, opens and applies their leaves, closes them, and says what they cost. Package
// golden/proctor makes them.
//
// Everything can be repeated, also after a crash. Where a batch stands is on the chain, and which
// batch of the chain it is stands in the file chain.json of its directory, before anything is sent.
// The times of all steps follow from the secret seeds of the batch, so a proctor that starts again
// goes on as planned.
//
// Hiding is the proctor's own interest and nobody can check it: whoever recognises golden cases
// votes blindly elsewhere. So posts come at random times, the tasks have the terms and the tempo of
// other disputed tasks of the court (ADR 0048), and no leaf is opened while the case of another one
// runs, because an open leaf shows which agents work for the proctor.
package batches
