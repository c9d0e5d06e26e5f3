// Package proctor makes batches of golden cases, opens their leaves, and checks what other proctors
// opened.
//
// A batch is a directory:
//
//	batch.json         root and number of leaves; this is public
//	secret.json        seeds and rewards; keep it until every leaf is open
//	cases/0001/        task.json, result.json, objection.json, counter_objection.json, to post
//	opened/0001.json   a leaf that is open, with its proof; this is public
//
// All files are readable by their owner alone. Whoever reads secret.json or cases knows every
// answer.
//
// # The caller's duties
//
//  1. Open a leaf only after its case is over, and then all leaves of the batch.
//  2. Post the tasks in random order, at the times and with the rewards of ordinary ones.
package proctor
