// Package model asks language models over HTTP, through langchaingo. No other package speaks to
// model providers: OpenAI and compatible servers (vLLM, llama.cpp, Ollama's /v1, Google's
// compatible endpoint), and Anthropic.
//
// A [Ladder] is the owner's list of models, best first. It asks the first model that can answer in
// the time left, and after a fault the next one. A [Budget] bounds the cost of a case: use one
// [Ladder.Session] for each case.
//
// # The caller's duties
//
//  1. Give every call a context with the deadline of the vote. Without one, a call may take the
//     timeouts of all models together.
//  2. Check an answer against the schema. It is one JSON value without repeated names, and nothing
//     else is certain.
//  3. Treat everything that comes back as a stranger's text: answers, names of tools, arguments.
//  4. To replay a recording, write the same prompt for the same case, because a replay finds an
//     answer by the hash of its request. So random delimiters must come from a seed.
//  5. Close the ladder.
//
// # Faults of langchaingo v0.1.14
//
// It is frozen, and it loses and invents things; the tests of this package show each case. Nothing
// is streamed, because it returns truncated streams as complete answers. Its clients get no key,
// read no environment, and do not see the network. Their requests go through an exchange, which
// adds what they cannot express (a JSON Schema for each call, exact arguments of tools) and
// converts answers to the form that they read without loss. It judges statuses, Retry-After,
// timeouts and sizes before langchaingo turns them into text. Google's own client is not used,
// because it would need gRPC and Google's cloud libraries, and the OpenAI-compatible endpoint
// suffices.
//
// # Secrets
//
// Keys stand in settings as ${env:NAME} or ${file:PATH}. They are read for each request, put into
// its header as the last step before the network, and masked in everything that comes back. Errors,
// logs and recordings are made above that point. Errors contain no address and no text of a server,
// because opinions quote them; the log has both.
//
// # Tests with a real server
//
// With OJUD_LLM_URL (the base of an OpenAI-compatible API), OJUD_LLM_MODEL and OJUD_LLM_KEY,
// TestLive asks a real server; without them it says NOT RUN. testdata/ollama has recorded answers
// of a real server. TestRecorded replays them, and says how to record them again.
package model
