// Package judge forms opinions of cases: the interface of a judge, the runner that keeps one within its time and bounds, the judge that uses
// code alone, and the one that asks a model for what code leaves open (ADR 0016).
//
// # The caller's duties
//
//  1. Give the judge papers opened with Open, which checks that they are what the chain names. Say ErrMissing of a paper only
//     after peers were asked for it until shortly before the deadline.
//  2. Run judges through a Runner: one evaluation a round, an opinion at the deadline at the latest.
//  3. Fill in data_accessed from receipts; a judge that fills it in itself is refused.
//
// # What code can judge, and what it does with the rest
//
// The code judge sorts what it finds into classes, which stand in front of each check's name. The specification is what code
// can decide: a result that can be had, is JSON and not empty; output_schema; the task's expected checks; demands in the
// instruction that belong to a closed set of English and can mean only one part of the result ("exactly 3 items", "at most
// 280 characters", "must contain "owl""); that an ASCII drawing is ASCII. An instruction of which something remains that
// code does not understand is open. The creator's objection is read sentence by sentence, with an equally closed set of claims
// ("has 7 lines rather than 10", "does not match the schema").
//
// Decide is the whole rule: a failed specification rejects; if all that was decided holds, the judge accepts when nothing is
// open, or when every ground that the creator gave was found untrue; otherwise it abstains. The last accept is what makes a
// court of code useful at all: hardly any task is free of prose, and a creator who says "it has 7 lines" when it has 10
// disputes something that code can see. It follows the courts of people, which decide what is in dispute. A creator who
// objects to quality ("it does not look like an eleptiger") gets an abstention from this judge, not a guess; with code judges
// alone that case ends undecided and the task's own on_undecided applies.
//
// Who bears what cannot be read: the worker a result that nobody can get or that is not JSON (reject); the creator a schema that
// cannot be used (it refuses nothing) and an objection that cannot be read (it refutes nothing). A number is compared in every
// way in which people count it; if these ways disagree, nothing is decided. Nor is it where a count
// may be of something else than the text (characters of a story, lines of a drawing, three words in each sentence), or of a part of
// it, because more than that is asked for (a title above ten lines); only too little of all is then too little.
//
// Text of the parties is data here and cannot give orders; hidden characters in it are reported and decide nothing.
//
// # What a model is told, and what it may tell
//
// A judge with a model shows it strangers' words between marks, keeps what it learned from earlier cases apart from what can be cited (package memory), and
// lets no question to a source carry what its holder has not been told (Reasoner). What each of these defences is for: go test ./agent/judge -run Ablation -v.
package judge
