// Package exam gives labelled disputes to a judge, as a node would, and reports how often the judge
// was right. An owner can run it before the judge risks stake.
//
// # Format
//
// An exam is JSONL: one dispute on each line, at most 10,000 lines, 2 MiB a line and 64 MiB in all.
// Empty lines are skipped.
//
//	id                 1 to 64 of a-z 0-9 . _ -, unique in a file
//	class              the kind of task: see package class
//	difficulty         1 seen at once, 2 takes work, 3 easy to get wrong
//	task               the task (docs/protocol.md, section 2)
//	result             the worker's result, any JSON; if absent, no node has it
//	submitted          the content of the worker's hash, if it differs from the result
//	objection          the creator's; counter_objection the worker's; if absent, no node has it
//	exhibits           texts that the pleadings name by their SHA-256
//	answers            answers of data sources, for one request or for any:
//	                   [{"data_source","request","holders":[{"name","content"}]}]
//	label              accept if the result satisfies the task, otherwise reject
//	why                the reason for the label, one sentence
//	checks             steps by which a reader can verify the label
//	made               how a generated dispute was made: {"kind","shape","support","plea","true"}
//
// Unknown fields are refused. Code that shares nothing with the judges proves the labels of the
// shipped exam (Own): the test of this package runs, recomputes or searches each one.
//
// # Measurements
//
// Every dispute goes through a judge.Runner with a deadline. If a judge hangs, panics or gives an
// unusable opinion, this counts as in a node: no opinion, which is an abstention. The report has
// right and wrong votes, both kinds of wrong votes (pays wrongly, refunds wrongly), abstentions and
// times. If the judge also gives accounts, it has calibration, order flips and cost.
//
// # The caller's duties
//
//  1. Do not expect a stranger's exam to be cheap: a judge with a model is asked in each dispute,
//     at the price of its models.
//  2. Do not show a judge the items of its admission exam, because the file contains the labels.
package exam
