// Runs one verifier for the page. The page sends {id, call, args}, and gets {id, value} or
// {id, fault}. The first call is "load" with the packed module, or with a compiled one.
"use strict";
const load = async (module) => {
  if (!(module instanceof WebAssembly.Module)) {
    const stream = new self["xz-decompress"].XzReadableStream(new Blob([module]).stream());
    module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  }
  const go = new Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance).then(() => { throw new Error("the verifier ended"); });
  return module;
};
self.onmessage = async ({ data: { id, call, args } }) => {
  try {
    const value = call === "load" ? await load(...args) : self.ojud[call](...args);
    if (value instanceof Error) throw value;
    self.postMessage({ id, value });
  } catch (e) {
    self.postMessage({ id, fault: String(e && e.message || e) });
  }
};
