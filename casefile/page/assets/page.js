// Unpacks the verifier and the case of this page, draws the case, and verifies it. One worker
// draws, another one verifies, so that the case can be looked at meanwhile. A page of a node has no
// case in it; its verifier is on the node, and the files that a reader chooses stay in the browser.
"use strict";
(() => {
  const page = document.getElementById("page");
  const part = (id) => document.getElementById(id);
  const text = (id) => part(id).textContent;
  const served = (id) => part(id).dataset.src;
  const maxCase = 32 * 1024 * 1024; // bytes of a case file, and twice as many of a page around it
  const unpack = (base64) => Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));

  // say tells the state of a page that has nothing to draw yet. Everything is text.
  const say = (what) => { const s = part("state"); if (s) s.textContent = what; };
  const fail = (what) => { page.replaceChildren(part("failed").content.cloneNode(true)); say(what); };

  // start starts a worker. Its calls return promises. end ends it, and what it has not answered.
  const start = () => {
    const address = served("worker") || URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));
    const worker = new Worker(address);
    const waiting = new Map();
    let next = 0, over = "";
    const end = (why) => {
      over = why;
      worker.terminate();
      URL.revokeObjectURL(address);
      for (const w of waiting.values()) w.reject(new Error(why));
      waiting.clear();
    };
    worker.onmessage = ({ data: { id, value, fault } }) => {
      const w = waiting.get(id);
      waiting.delete(id);
      if (!w) return;
      if (fault === undefined) w.resolve(value); else w.reject(new Error(fault));
    };
    worker.onerror = (e) => { e.preventDefault(); end("the verifier broke: " + (e.message || "no reason given")); };
    const call = (name, ...args) => new Promise((resolve, reject) => {
      if (over) return reject(new Error(over));
      waiting.set(++next, { resolve, reject });
      worker.postMessage({ id: next, call: name, args });
    });
    return { call, end };
  };

  // ready is the promise of a drawer with the compiled module, which the checker shares.
  let ready = null, drawer = null, checker = null, run = 0;
  const prepare = async () => {
    drawer = start();
    return drawer.call("load", await packed());
  };
  globalThis.ojudFrame = (step) => drawer.call("frame", step);
  const show = (step) => page.dispatchEvent(new CustomEvent("ojud:show", { detail: step }));

  // inside returns the case in the text of a page like this one, unpacked.
  const inside = async (whole) => {
    const line = whole.split("\n").find((l) => l.startsWith("ojud:case:"));
    if (!line) throw new Error("this page has no case");
    const stream = new Blob([unpack(line.slice(10))]).stream().pipeThrough(new DecompressionStream("gzip"));
    const chunks = [];
    let size = 0;
    for (const reader = stream.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
      chunks.push(value);
      size += value.length;
      if (size > maxCase) throw new Error("the case in it has more than " + maxCase + " bytes");
    }
  };

  // compare compares the page around a case with the pages of this release: every byte but the two
  // lines of the case, which must stand where the release puts them.
  const compare = async (raw) => {
    if (!crypto.subtle) return ["unknown", "this browser cannot hash the page around the case. Believe nothing that it shows when you open it."];
    const hole = /^ojud:(?:case:[A-Za-z0-9+/]+=*|without:([0-9a-f]{64}))\n$/;
    const read = (line) => new TextDecoder().decode(line);
    const lines = [], holes = [];
    for (let at = 0, next; at < raw.length; at = next) {
      next = raw.indexOf(10, at) + 1 || raw.length;
      const line = raw.subarray(at, next);
      const found = line[0] === 111 && hole.exec(read(line)); // 111 is an o
      if (found) holes.push({ at: lines.length, hash: found[1] }); else lines.push(line);
    }
    const sum = await crypto.subtle.digest("SHA-256", await new Blob(lines).arrayBuffer());
    const hash = Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, "0")).join("");
    const [first, second] = holes;
    const same = known().includes(hash) && holes.length === 2 && first.at === second.at && !first.hash && second.hash === hash
      && first.at > 0 && read(lines[first.at - 1]) === '<script type="text/plain" id="case">\n';
    if (same) return ["same", "The page around it is as this release of ojud writes it."];
    return ["other", (served("verifier") ? "the page around the case is not as this release of ojud writes it." : "the page around the case is not like this one.")
      + " Another release may have written it, or somebody may have changed it. Believe nothing that it shows when you open it. ojud case verify FILE compares every byte."];
  };

  // known are the hashes that a page may have without its case. A page of a node gets those of the
  // release. A page with a case knows only its own one.
  const known = () => (served("verifier") ? part("verifier").dataset.pages : part("without").textContent).split(" ");

  // packed returns the verifier as it is packed.
  const packed = async () => {
    if (!served("verifier")) return unpack(text("verifier"));
    const answer = await fetch(served("verifier"));
    if (!answer.ok) throw new Error("the node has no verifier");
    return new Uint8Array(await answer.arrayBuffer());
  };

  // watch draws a file and verifies it. Read returns the file, and what is known of the page that it
  // was in, if it was in one. A second call ends what the first one began.
  const watch = async (read, name) => {
    const mine = ++run;
    const late = () => mine !== run;
    if (checker) checker.end("another file was opened");
    checker = null;
    part("stop").hidden = true;
    let open = false;
    try {
      say("The verifier of this page is being unpacked.");
      ready ??= prepare();
      const module = await ready;
      const { file, around } = await read();
      if (late()) return;
      await drawer.call("open", file, name);
      if (around) await drawer.call("around", ...around);
      const last = await drawer.call("last");
      if (late()) return;
      open = true;
      show(last);
      checker = start();
      part("stop").hidden = false;
      await checker.call("load", module);
      const report = await checker.call("verify", file);
      if (late()) return;
      await drawer.call("settle", report);
    } catch (e) {
      if (late()) return;
      const told = open && await drawer.call("halt", e.message).then(() => true, () => false);
      if (!told) {
        for (const worker of [drawer, checker]) if (worker) worker.end("a file broke the verifier");
        ready = drawer = checker = null; // the next file gets new ones
        part("stop").hidden = true;
        return fail("This file cannot be verified: " + e.message);
      }
    }
    if (checker) checker.end("done");
    checker = null;
    part("stop").hidden = true;
    show(undefined);
  };

  const other = (file) => {
    const most = 2 * maxCase;
    watch(async () => {
      if (file.size > most) throw new Error("it has " + file.size + " bytes; at most " + most + " are read");
      const raw = new Uint8Array(await file.arrayBuffer());
      const head = new TextDecoder().decode(raw.subarray(0, 15)).toLowerCase();
      if (head !== "<!doctype html>") return { file: raw };
      return { file: await inside(new TextDecoder().decode(raw)), around: await compare(raw) };
    }, file.name);
  };

  part("stop").addEventListener("click", () => { if (checker) checker.end("you stopped the checks."); });
  part("other").addEventListener("change", (e) => { if (e.target.files[0]) other(e.target.files[0]); });
  document.addEventListener("dragover", (e) => e.preventDefault());
  document.addEventListener("drop", (e) => { e.preventDefault(); if (e.dataTransfer.files[0]) other(e.dataTransfer.files[0]); });
  part("tools").hidden = false;
  if (!part("case")) return;
  part("without").textContent = (text("case").split("\n").find((l) => l.startsWith("ojud:without:")) || "").slice(13);
  addEventListener("DOMContentLoaded", () => watch(async () => ({ file: await inside(text("case")) }), "This case"));
})();
