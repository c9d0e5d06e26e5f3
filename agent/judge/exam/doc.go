// Package exam puts labelled disputes before a judge, as a node would, and says how often it was right: what an owner wants to know
// before the judge risks stake.
//
// # Format
//
// An exam is JSONL: one dispute a line, at most 10,000 lines, 2 MiB a line and 64 MiB in all; empty lines are skipped.
//
//	id                 1 to 64 of a-z 0-9 . _ -, once in a file
//	class              the kind of task: see package class
//	difficulty         1 a careful reader sees it at once, 2 it takes work, 3 it is easy to be wrong
//	task               the task (protocol section 2)
//	result             what the worker handed in, any JSON; left out: nobody has it
//	submitted          what the worker's hash names, if it is something else than the result that peers serve
//	objection          the creator's, counter_objection the worker's (protocol section 2); left out: nobody has it
//	exhibits           texts that the pleadings name by their SHA-256
//	answers            what data sources say: [{"data_source","request","holders":[{"name","content"}]}]; without request, whatever is asked
//	label              accept: the result does what the task asks; reject: it does not
//	why                why the label holds, in a sentence
//	checks             what a reader can do to see that it holds, one thing an entry
//
// Unknown fields are refused. The shipped exam (Own) has its labels proved by code that shares nothing with the judges: package exam's
// test runs, recomputes or searches each one.
//
// # What is measured
//
// Every dispute goes through a judge.Runner with a deadline, so that a judge that hangs, panics or gives an opinion that cannot be
// voted counts as a node would count it: no opinion, which is an abstention. Right and wrong votes, the two kinds of wrong ones
// (pays wrongly, refunds wrongly), abstentions, and the time are known of every judge; calibration, order flips and cost of one that
// is accountable.
//
// # The caller's duties
//
//  1. Trust no exam of a stranger to cost little: a judge with a model is asked once a dispute, at the price of its models.
//  2. Do not show a judge the items of an exam that it will be admitted by: the label stands in the file.
package exam
