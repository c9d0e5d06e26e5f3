// Speaks with wallets of the browser (Wallet Standard): it connects one, and has it sign the
// transaction that the page shows. It decides nothing.
(() => {
  "use strict";
  const wallets = [], body = document.body;
  const under = location.pathname.slice(0, location.pathname.indexOf("/", 1)); // of the login
  const part = (what) => document.querySelector("[data-" + what + "]");
  const say = (text) => { const t = part("trouble"); if (t) t.textContent = String(text).slice(0, 300); };
  const fits = (w) => w && w.features && w.features["standard:connect"] && w.features["solana:signTransaction"];

  const post = async (path, fields) => {
    const answer = await fetch(under + path, { method: "POST", body: new URLSearchParams({ form: body.dataset.form, ...fields }) });
    if (answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    throw new Error((page.querySelector(".failure .text") || page.body).textContent.trim());
  };

  const connect = async (wallet) => {
    const { accounts } = await wallet.features["standard:connect"].connect();
    if (!accounts.length) throw new Error("The wallet gave no account.");
    await post("/wallet", { address: accounts[0].address });
    sessionStorage.setItem("wallet", wallet.name);
    location.assign(under + "/");
  };

  // The desk names the chain by its genesis hash. A wallet that does not know it would judge the
  // transaction by another chain, so that one is not asked.
  const chain = (wallet) => {
    if (!wallet.chains.includes(body.dataset.chain)) throw new Error("This wallet does not know the chain " + body.dataset.chain + ", so it cannot show what it signs. Take another wallet, or a key file.");
    return body.dataset.chain;
  };

  let signing = false;
  const sign = async (wallet) => {
    const box = part("transaction");
    if (signing || wallet.name !== sessionStorage.getItem("wallet")) return;
    signing = true;
    const fields = { number: box.dataset.number };
    try {
      let { accounts } = await wallet.features["standard:connect"].connect({ silent: true });
      if (!accounts.length) ({ accounts } = await wallet.features["standard:connect"].connect());
      const account = accounts.find((a) => a.address === body.dataset.party);
      if (!account) throw new Error("The wallet shows another account than " + body.dataset.party + ".");
      const transaction = Uint8Array.from(atob(box.dataset.transaction), (c) => c.charCodeAt(0));
      const [{ signedTransaction }] = await wallet.features["solana:signTransaction"].signTransaction({ account, transaction, chain: chain(wallet) });
      fields.transaction = btoa(String.fromCharCode(...signedTransaction));
    } catch (e) {
      fields.refused = e && e.message || "The wallet refused.";
    }
    try {
      await post("/sign", fields);
    } catch (e) {
      say(e.message);
      return;
    }
    location.reload();
  };

  const offer = (wallet) => {
    const none = part("none"), b = document.createElement("button");
    if (none) none.hidden = true;
    b.type = "button";
    b.textContent = "Connect " + String(wallet.name).slice(0, 60);
    b.addEventListener("click", () => connect(wallet).catch((e) => say(e.message)));
    part("wallets").append(b);
  };

  const register = (...all) => {
    for (const w of all) {
      if (!fits(w) || wallets.includes(w)) continue;
      wallets.push(w);
      if (part("wallets")) offer(w);
      if (part("transaction")) sign(w);
    }
    return () => {};
  };
  const api = Object.freeze({ register });
  addEventListener("wallet-standard:register-wallet", ({ detail }) => detail(api));
  dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
})();
