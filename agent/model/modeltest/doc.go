// Package modeltest is a model server for tests. It speaks the OpenAI-compatible API over HTTP. It
// answers plausibly, or shows one of the known faults of servers, models and langchaingo
// (docs/adr/0016). It is not part of the program.
//
//	s, err := modeltest.Open()         // on sockets of this machine
//	s := modeltest.Fly()               // without sockets, for fake time: use s.Transport()
//	url := s.URL(modeltest.Gigabyte)   // the base of an API with that fault
//
// The caller must close it after the last request.
package modeltest
