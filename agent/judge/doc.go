// Package judge forms opinions of cases. It has the interface of a judge, the runner that keeps a
// judge within its time and bounds, the judge that uses code alone, and the judge that asks a model
// about the points that code leaves open (ADR 0016).
//
// # The caller's duties
//
//  1. Give the judge documents that Open returned. Open checks that they are the ones that the
//     chain names. Use ErrMissing only after peers were asked for a document until shortly before
//     the deadline.
//  2. Run judges through a Runner: one evaluation for each round, with an opinion at the deadline
//     at the latest.
//  3. Fill in data_accessed from receipts. A judge that fills it in is refused.
//
// # How code judges
//
// The code judge sorts its findings into classes, which are prefixes of the check names. A
// specification is a demand that code can decide: the result exists and is JSON; it satisfies
// output_schema and the task's expected checks, programs, tests and data. Code reads no
// instruction: each is open until checks that the creator named settle it (ADR 0090). Code reads
// the creator's objection sentence by sentence, with a closed set of claims ("has 7 lines rather
// than 10", "does not match the schema"), and refutes one only if the task itself contradicts it
// (ADR 0091).
//
// Decide is the whole rule. If a specification fails, the judge rejects. If all decided demands
// hold, it accepts if nothing is open, or if every ground of the creator is untrue. Otherwise it
// abstains. The second accept makes a court of code useful, because hardly any task is free of
// prose: a creator who says that "the total is 7 instead of 8" disputes something that the task's
// program can see. Courts of people, too, decide only the disputed points. If a creator objects to
// quality ("it does not look like an eleptiger"), this judge abstains and does not guess. With code
// judges alone such a case ends undecided, and the task's on_undecided applies.
//
// If a document cannot be used, its publisher bears the loss: the worker for a result that no node
// has or that is not JSON (reject), the creator for a task or an objection that no node has or that
// cannot be read (accept), and for a schema that cannot be used (it refuses nothing). If a point
// stays open that the worker's missing counter-objection could have answered, the judge rejects. A
// source that no holder with a stake answers counts against the creator, who named it.
//
// The parties' text is data here and cannot give orders. Hidden characters in it are reported and
// decide nothing.
//
// # What a model sees, and what it may say
//
// A judge with a model shows it strangers' words between marks. It keeps the lessons of earlier
// cases (package memory) apart from text that can be cited. A question to a source carries nothing
// that its holder may not know (Reasoner). To see what each of these defences is good for: go test
// ./agent/judge -run Ablation -v.
package judge
