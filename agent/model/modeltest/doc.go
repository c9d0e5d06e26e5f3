// Package modeltest is a server of models for tests: it speaks the OpenAI-compatible API over HTTP, answers plausibly, or is wrong in every way
// that is known of servers, models and langchaingo (docs/adr/0016). It is no part of the program.
//
//	s, err := modeltest.Open()         // on sockets of this machine
//	s := modeltest.Fly()               // without sockets, for tests on fake time: s.Transport() reaches it
//	url := s.URL(modeltest.Gigabyte)   // the start of an API that behaves so
//
// What a caller must do: Close it, after the last request.
package modeltest
