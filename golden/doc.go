// Package golden has the leaves of golden cases and the batches that commit to them.
//
// A proctor makes disputes whose answer it knows (package generator). For each it keeps a Leaf,
// which binds the documents, the answer and the seed that makes all of it again. The hash of the
// leaf is the seal of the task. The root of the batch is public before the tasks are. After its
// case the proctor opens a leaf: it shows the leaf and its Proof, and anybody can check both.
//
// Section 13 of docs/protocol.md gives the bytes, and programs/oju/vectors/leaves.json holds some.
// The package imports the standard library and package voting. It does no I/O.
package golden
