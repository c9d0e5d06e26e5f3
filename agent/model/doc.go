// Package model asks language models over HTTP, through langchaingo. It is the only package that speaks to model
// providers: OpenAI and every server that is compatible with it (vLLM, llama.cpp, Ollama's /v1, Google's compatible endpoint), and
// Anthropic.
//
// A [Ladder] is the owner's list of models, best first. It asks the first one that can answer in the time left, and after a fault
// the next. What a case may spend is bounded by its [Budget]: take a [Ladder.Case] for each case and ask that.
//
// # The caller's duties
//
//  1. Give every call a context with the deadline of the vote. Without one a call lasts as long as the timeouts of all models together.
//  2. Check an answer against the schema. It is one JSON value here, with no name twice, and nothing more is known of it.
//  3. Treat all that comes back as a stranger's text: answers, names of tools, their arguments.
//  4. Write the same prompt for the same case if a recording is to be replayed: a replay finds an answer by the hash of its request, so
//     random delimiters have to come from a seed.
//  5. Close the ladder.
//
// # What is worked around in langchaingo v0.1.14
//
// It is frozen, and loses and invents things; the tests of this package show each. Nothing is streamed, where it returns cut answers as
// whole ones. Its clients get no key, read nothing of the environment, and do not see the network: what they want to send goes through
// an exchange, which puts in what they cannot say (a JSON Schema per call, exact arguments of tools), and what comes back is brought to
// the form that they read without loss. Statuses, Retry-After, timeouts and sizes are judged before langchaingo turns them into text.
// Google's own client is not used: it would bring gRPC and Google's cloud libraries, and the OpenAI-compatible endpoint has all that is needed.
//
// # Secrets
//
// Keys stand in settings as ${env:NAME} or ${file:PATH}. They are read for each request, put into its header as the last thing before the
// network, and masked in all that comes back; errors, logs and recordings are made above that point. Errors carry no address and no
// text of a server either, since opinions quote them: those are in the log.
//
// # Tests with a real server
//
// OJUD_LLM_URL (the start of an OpenAI-compatible API), OJUD_LLM_MODEL and OJUD_LLM_KEY make TestLive ask a real server; without them it
// says NOT RUN. What a real one answered once is in testdata/ollama and replayed by TestRecorded, which says how to record it again.
package model
