// Package memory keeps what a judge learned from its cases that have ended, and finds those of them that are much like a new one (issue 4,
// "Recollection"; seed 004, "Agent Recollection Model").
//
// A memory belongs to one judge authority: a folder of its own below the node's home, a collection of its own in the index, nothing shared. It
// holds one file for each round of a case in which the judge sat: what was asked for and how the judge decided it, line by line, how it
// voted, and what the court came to. It learns no party's result or pleading, and of a case in which a text spoke to its reader no word at all that a
// party or a model wrote: then it keeps outcomes, and a sketch by which the case can be found.
//
// # How cases are found
//
// A task is sketched: its words and the three-letter pieces of them are hashed into 256 numbers, and the cosine of two sketches says how alike two
// tasks are. No model makes these embeddings, for a judge has to recall the same cases whatever models are up, in a replay too, for no money, and
// without showing tasks to anybody. What it costs is that a task in other words is not recognised. The index is github.com/philippgille/chromem-go.
//
// # What survives
//
// chromem-go overwrites files in place and opens no folder in which one was cut off, so a kill in the middle of a write would cost the whole memory.
// Here each entry is a JSON file that is written whole or not at all (package durable), and the index is built from the files in memory. A file
// that cannot be read is left out and reported; the others count. Files may be looked at and removed by hand while the node runs.
//
// # The caller's duties
//
//  1. Show what is recalled as strangers' words that prove nothing: the requirements are the creators', and the reasons may quote anybody.
//  2. Flag entries of cases in which a text spoke to its reader, before Learn.
//  3. Have one Store that learns for a folder. Others may list and forget.
//  4. Judge without a memory if Open fails: it is an aid, and no case depends on it.
package memory
