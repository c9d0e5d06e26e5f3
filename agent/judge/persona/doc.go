// Package persona has the personas that are shipped with ojud: 28 small files in the folder
// shipped. It also reads those that an owner writes.
//
// A persona belongs to a dimension of judgement. It says what to look at first, in which steps, and
// what to leave undecided. It is no biography, it never names a verdict, and it favours no party:
// the verdict follows from the checklist by rule (package judge). Different models make a panel
// more independent than different personas do (ADR 0017). The files are TOML:
//
//	title = "Does the sum again from the beginning"     one line
//	dimension = "calculation"                           one of Dimensions
//	look = '''…'''                                      what to look at first
//	method = ["…", "…"]                                 steps, in order
//	doubt = '''…'''                                     when to leave something undecided
//	[weights]                                           weight for each class of task, by default 1
//	arithmetic = 3.0
//
// # The caller's duties
//
//  1. Put Text into the system prompt, without any word of a party or a holder: a persona is a
//     constant of the node.
//  2. Read an owner's file with Read, a shipped one with Load. Both validate.
//  3. Do not treat a persona's text as a valuable secret. Peers may learn the persona of a judge,
//     because its registration names the dimension.
package persona
