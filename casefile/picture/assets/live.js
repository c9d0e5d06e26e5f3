// Replaces what changed on a page while it is open. It evaluates no text: pictures come from this
// server as HTML that is parsed without running anything, and are compared with what is shown.
"use strict";
(() => {
  // A page is no longer called live if nothing came for so many seconds, or the last look at it is so
  // old.
  const silence = 15, patience = 20;
  const page = document.querySelector("main[data-live], main[data-replay]");
  const pulse = document.querySelector("[data-pulse]");
  let stream = null, again = 0, version = page && page.dataset.version, heard = Date.now(), word = heard;

  const say = (state, text) => {
    if (!pulse || pulse.textContent === text) return;
    pulse.className = "pulse " + state;
    pulse.textContent = text;
  };

  // at writes a time of this machine.
  const at = (time) => new Date(time).toLocaleTimeString([], { hour12: false });

  // lost says when the page was last known to be right, and why no longer.
  const lost = (time, why) => say("off", "last heard at " + at(time) + (why ? ": " + why : ""));

  // typed reports whether somebody is at work in a form, or has written something into it.
  const typed = (form) => [...form.elements].some((e) => {
    if (!["INPUT", "TEXTAREA", "SELECT"].includes(e.tagName) || ["hidden", "submit", "button"].includes(e.type)) return false;
    if (e === document.activeElement) return true;
    if (e.tagName === "SELECT") return e.selectedIndex !== Math.max(0, [...e.options].findIndex((o) => o.defaultSelected));
    if (e.type === "file") return e.files.length > 0;
    return ["checkbox", "radio"].includes(e.type) ? e.checked !== e.defaultChecked : e.value !== e.defaultValue;
  });

  // drop takes an element off the page, unless somebody has written something there.
  const drop = (node) => {
    const forms = node.nodeType !== Node.ELEMENT_NODE ? [] : node.tagName === "FORM" ? [node] : [...node.querySelectorAll("form")];
    if (!forms.some(typed)) { node.remove(); return; }
    if (node.querySelector("[data-over]")) return;
    const over = document.createElement("p");
    over.className = "warn";
    over.dataset.over = "";
    over.setAttribute("role", "alert");
    over.textContent = "The page has changed, and this step is no longer possible. Your words stay here until you reload the page.";
    node.prepend(over);
  };

  // keyOf is by what an element is found again.
  const keyOf = (n) => n.nodeType === Node.ELEMENT_NODE && (n.id || n.getAttribute("aria-labelledby") || n.getAttribute("action")) || "";

  // morph makes an element like another one, and keeps what is the same. It leaves a form alone in
  // which somebody writes.
  const morph = (old, now) => {
    if (old.tagName === "FORM" && typed(old)) return;
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
        if (n.nodeType === child.nodeType && n.nodeName === child.nodeName && keyOf(n) === keyOf(child)) { match = n; break; }
        if (!keyOf(child) && keyOf(n)) break;
      }
      if (!match) { old.insertBefore(document.importNode(child, true), at); continue; }
      while (at !== match) { const gone = at; at = at.nextSibling; drop(gone); }
      if (match.nodeType === Node.ELEMENT_NODE) morph(match, child);
      else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
      at = match.nextSibling;
    }
    while (at) { const gone = at; at = at.nextSibling; drop(gone); }
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
    stream = new EventSource(page.dataset.live + (page.dataset.live.includes("?") ? "&" : "?") + "v=" + version);
    const live = () => { heard = word = Date.now(); say("on", "live"); };
    stream.addEventListener("page", (e) => { version = e.lastEventId; change(e.data); titled(); clocks(); live(); });
    stream.addEventListener("open", live);
    stream.addEventListener("beat", (e) => {
      const [age, ...why] = e.data.split(" ");
      word = Date.now();
      const then = Date.now() - 1000 * Number(age);
      if (Math.abs(then - heard) > 2000) heard = then; // less is how long the word was on its way
      if (why.length || Number(age) > patience) lost(heard, why.join(" ")); else say("on", "live");
    });
    stream.addEventListener("error", () => {
      lost(heard, "no answer");
      if (stream && stream.readyState === EventSource.CLOSED) { close(); clearTimeout(again); again = setTimeout(open, 10000); }
    });
  };
  const close = () => { if (stream) stream.close(); stream = null; };

  // titled gives the window the title of the last picture, with the number of tasks that wait.
  const titled = () => {
    const now = page.querySelector("[data-title]");
    if (now && document.title !== now.dataset.title) document.title = now.dataset.title;
  };

  // glance looks at the title of a hidden page now and then, because it can be seen in a list of
  // tabs.
  const glance = async () => {
    if (!document.hidden || !page.querySelector("[data-title]")) return;
    try {
      const answer = await fetch(location.href);
      const fresh = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
      if (fresh && document.hidden) document.title = fresh.title;
    } catch { /* the next glance tries again, and a page that is shown says that nothing answers */ }
  };

  // clocks shows how long a phase still lasts, by the chain's time as the page last had it.
  const clocks = () => {
    for (const c of document.querySelectorAll("[data-until]")) {
      if (c.seen !== c.dataset.now) { c.seen = c.dataset.now; c.seenAt = Date.now(); }
      const left = Math.max(0, Math.round(Number(c.dataset.until) - Number(c.dataset.now) - (Date.now() - c.seenAt) / 1000));
      c.title = c.dataset.said || (c.dataset.said = c.textContent);
      if (left === 0 && Number(c.dataset.until) > Number(c.dataset.now)) {
        if (c.textContent !== "the time is over") c.textContent = "the time is over";
      } else if (left > 0 && left < 86400) {
        const minutes = Math.floor(left / 60), two = (n) => String(n).padStart(2, "0");
        const text = (minutes < 60 ? minutes + ":" + two(left % 60) : Math.floor(minutes / 60) + " h " + two(minutes % 60) + " min") + " left";
        if (c.textContent !== text) c.textContent = text;
      }
    }
  };

  setInterval(() => { clocks(); if (stream && Date.now() - word > 1000 * silence) lost(heard, "no answer"); }, 1000);
  clocks();
  if (!page) return;
  if ("replay" in page.dataset) return replay();
  if (!window.EventSource) return;

  // A browser opens six connections to a host, so a hidden page gives its own back.
  document.addEventListener("visibilitychange", () => { if (document.hidden) { close(); say("off", "paused while hidden"); } else open(); });
  setInterval(glance, 20000);
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  requestAnimationFrame(() => setTimeout(open)); // the page itself is shown first
})();
