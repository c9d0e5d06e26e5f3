// Replaces what changed on a page while it is open. It evaluates no text: pictures come from this
// server as HTML that is parsed without running anything, and are compared with what is shown.
"use strict";
(() => {
  const page = document.querySelector("main[data-live], main[data-replay]");
  const pulse = document.querySelector("[data-pulse]");
  let stream = null, again = 0, version = page && page.dataset.version;

  const say = (state, text) => {
    if (!pulse || pulse.textContent === text) return;
    pulse.className = "pulse " + state;
    pulse.textContent = text;
  };

  // morph makes an element like another one, and keeps what is the same.
  const morph = (old, now) => {
    for (const { name } of [...old.attributes]) {
      if (!now.hasAttribute(name) && !(old.tagName === "DETAILS" && name === "open")) old.removeAttribute(name);
    }
    for (const { name, value } of [...now.attributes]) {
      if (old.getAttribute(name) !== value && !(old.tagName === "DETAILS" && name === "open")) old.setAttribute(name, value);
    }
    let at = old.firstChild;
    for (const child of [...now.childNodes]) {
      let match = null;
      for (let n = at; n; n = n.nextSibling) {
        if (n.nodeType === child.nodeType && n.nodeName === child.nodeName && (n.id || "") === (child.id || "")) { match = n; break; }
        if (!child.id && n.id) break;
      }
      if (!match) { old.insertBefore(document.importNode(child, true), at); continue; }
      while (at !== match) { const gone = at; at = at.nextSibling; gone.remove(); }
      if (match.nodeType === Node.ELEMENT_NODE) morph(match, child);
      else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
      at = match.nextSibling;
    }
    while (at) { const gone = at; at = at.nextSibling; gone.remove(); }
  };

  // change makes the page like the HTML of its next picture.
  const change = (html) => {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const holder = document.createElement("main");
    holder.append(...fresh.body.childNodes);
    for (const { name, value } of [...page.attributes]) holder.setAttribute(name, value);
    morph(page, holder);
  };

  // served gets a step of a replay from the server.
  const served = async (n) => {
    const answer = await fetch(location.pathname.replace(/\/$/, "") + "/frame?step=" + n);
    return answer.ok ? answer.text() : null;
  };

  // replay steps through a case file. Without it the buttons are links. A page with its own
  // verifier draws the steps itself, and says which one to show when something else has changed.
  const replay = () => {
    const frame = globalThis.ojudFrame || served;
    let timer = 0, busy = false, want = null;
    const part = (what) => page.querySelector("[data-" + what + "]");
    const step = () => Number(page.querySelector(".player").dataset.step);
    const last = () => Number(page.querySelector(".player").dataset.last);
    const dress = () => {
      if (!part("play")) return;
      part("play").hidden = part("scrub").hidden = false;
      part("play").textContent = timer ? "Pause" : "Play";
      if (document.activeElement !== part("scrub") || timer) part("scrub").value = step();
    };
    const go = async (n) => {
      want = n;
      if (busy) return;
      busy = true;
      while (want !== null) {
        const asked = want;
        want = null;
        const html = await frame(asked);
        if (html !== null) change(html);
        dress();
      }
      busy = false;
    };
    const stop = () => { clearInterval(timer); timer = 0; dress(); };
    const play = () => {
      if (timer) return stop();
      if (step() === last()) go(0);
      timer = setInterval(() => { if (busy) return; if (step() >= last()) stop(); else go(step() + 1); }, 350);
      dress();
    };
    page.addEventListener("click", (e) => {
      const link = e.target.closest("[data-go]");
      if (e.target.closest("[data-play]")) play();
      else if (link) { e.preventDefault(); if (timer) stop(); go(Number(link.dataset.go)); }
    });
    page.addEventListener("ojud:show", (e) => { if (timer) stop(); go(e.detail ?? step()); });
    page.addEventListener("input", (e) => { if (e.target.closest("[data-scrub]")) { if (timer) stop(); go(Number(e.target.value)); } });
    dress();
  };

  const open = () => {
    if (stream || document.hidden) return;
    stream = new EventSource(page.dataset.live + "?v=" + version);
    stream.addEventListener("page", (e) => { version = e.lastEventId; change(e.data); clocks(); });
    stream.addEventListener("open", () => say("on", "live"));
    stream.addEventListener("error", () => {
      say("off", "the node does not answer; this is what it said last");
      if (stream && stream.readyState === EventSource.CLOSED) { close(); clearTimeout(again); again = setTimeout(open, 10000); }
    });
  };
  const close = () => { if (stream) stream.close(); stream = null; };

  // clocks shows how long a phase still lasts, by the chain's time as the page last had it.
  const clocks = () => {
    for (const c of document.querySelectorAll("[data-until]")) {
      if (c.seen !== c.dataset.now) { c.seen = c.dataset.now; c.seenAt = Date.now(); }
      const left = Math.max(0, Math.round(Number(c.dataset.until) - Number(c.dataset.now) - (Date.now() - c.seenAt) / 1000));
      c.title = c.dataset.said || (c.dataset.said = c.textContent);
      if (left > 0 && left < 86400) {
        const minutes = Math.floor(left / 60), two = (n) => String(n).padStart(2, "0");
        const text = (minutes < 60 ? minutes + ":" + two(left % 60) : Math.floor(minutes / 60) + " h " + two(minutes % 60) + " min") + " left";
        if (c.textContent !== text) c.textContent = text;
      }
    }
  };

  setInterval(clocks, 1000);
  clocks();
  if (!page) return;
  if ("replay" in page.dataset) return replay();
  if (!window.EventSource) return;

  // A browser opens six connections to a host, so a hidden page gives its own back.
  document.addEventListener("visibilitychange", () => { if (document.hidden) { close(); say("off", "paused while hidden"); } else open(); });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  requestAnimationFrame(() => setTimeout(open)); // the page itself is shown first
})();
