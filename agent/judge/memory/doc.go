// Package memory keeps lessons that a judge learned from its finished cases, and finds those that
// resemble a new case (seed 004, "Agent Recollection Model").
//
// A memory belongs to one judge authority. It is a folder below the node's home and a collection in
// the index, and shares nothing. It has one file for each round of a case that the judge sat in:
// the judge's decision on each demand, its vote, the verdict, and an embedding to find the case. It
// contains no word of a party or a model.
//
// # How cases are found
//
// Each task has an embedding (package agent/likeness), and the cosine of two embeddings says how
// similar two tasks are. No model makes them, because a judge must recall the same cases if other
// models are up, also in a replay. The index is github.com/philippgille/chromem-go.
//
// # Crashes
//
// chromem-go overwrites files in place and refuses a folder with a truncated file, so a crash
// during a write would cost the whole memory. So each lesson is a JSON file that is written
// completely or not at all (package durable), and the index is built in memory from the files. A
// file that cannot be read is skipped and reported. A person may look at files and remove them
// while the node runs.
//
// # The caller's duties
//
//  1. Show recollections as what proves nothing.
//  2. Before Learn, flag lessons of cases with a text that spoke to its reader.
//  3. Let one process learn for a folder. Others may list and forget.
//  4. Judge without a memory if Open fails. It is an aid, and no case depends on it.
package memory
