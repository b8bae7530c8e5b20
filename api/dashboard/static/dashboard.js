// Keeps the page current: an event asks for the page's content again, at most once a second, and changes what differs.

import { drawAll, redrawAll } from "./charts.js";
import { keepDraft } from "./draft.js";
import { followLog } from "./log.js";
import { morph } from "./morph.js";

const LEAST_GAP_MS = 1000;
const IDLE_GAP_MS = 5000;
const LOST_AFTER_MS = 4000;
const RECONNECT_MS = 2000;

const main = () => document.getElementById("main");
let lastAskedMs = performance.now();
let lastHeardMs = performance.now();
let isAsking = false;
let timer = null;

function refreshSoon() {
  // A form must not change while somebody fills it in, nor what it is about to confirm.
  if (timer !== null || document.hidden || "still" in main().dataset) return;
  timer = setTimeout(refresh, Math.max(LEAST_GAP_MS - (performance.now() - lastAskedMs), 0));
}

async function refresh() {
  timer = null;
  if (isAsking) return;
  isAsking = true;
  lastAskedMs = performance.now();
  try {
    const answer = await fetch(location.href, { headers: { "X-Fragment": "1" }, cache: "no-store", signal: AbortSignal.timeout(10000) });
    if (answer.status === 401) return location.reload();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok) show(page);
    else lose(page.querySelector("[role=alert]")?.textContent.trim() || `the daemon answered ${answer.status}`);
  } catch {
    lose("the daemon does not answer");
  } finally {
    isAsking = false;
  }
}

function show(page) {
  morph(main(), page.getElementById("main"));
  document.title = page.title;
  lastHeardMs = performance.now();
  drawAll();
  followLog();
  say("live", "Live");
  main().classList.remove("is-stale");
  document.getElementById("stale").hidden = true;
}

function lose(why) {
  if (performance.now() - lastHeardMs < LOST_AFTER_MS) return;
  const banner = document.getElementById("stale");
  const text = `Stale: ${why}. What you see is of ${main().dataset.at}; trying again.`;
  if (banner.hidden || banner.textContent !== text) banner.textContent = text;
  banner.hidden = false;
  main().classList.add("is-stale");
  say("lost", "Feed lost");
}

function say(state, text) {
  const feed = document.getElementById("feed");
  const words = document.getElementById("feed-text");
  feed.dataset.state = state;
  if (words.textContent !== text) words.textContent = text;
}

// A browser opens six connections to one host: with one in each tab, a seventh would never load.
let seen = new AbortController();

function listenWhileSeen() {
  seen.abort();
  if (document.hidden) return;
  seen = new AbortController();
  listen(seen.signal);
}

// Read by hand, not by EventSource: that one hears only kinds of events it was told the names of.
async function listen(signal) {
  while (!signal.aborted) {
    try {
      const answer = await fetch("/v1/events", { headers: { Accept: "text/event-stream" }, signal });
      if (!answer.ok) throw new Error(answer.statusText);
      say("live", "Live");
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (/^data:/m.test(part.value)) refreshSoon();
      }
    } catch {
      if (signal.aborted) return;
      // No refresh will say so.
      if ("still" in main().dataset) say("lost", "Feed lost");
    }
    refreshSoon();
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

async function replay(button) {
  const told = document.getElementById("replayed");
  button.disabled = true;
  told.textContent = "Deciding…";
  try {
    const answer = await fetch(button.dataset.replay, { method: "POST" });
    const body = await answer.json();
    told.textContent = answer.ok ? (body.is_equal ? "The same plan again." : "A different plan: the policy has changed since.") : body.detail;
  } catch {
    told.textContent = "The daemon does not answer.";
  }
  button.disabled = false;
}

async function askWhatIf(button) {
  const told = document.getElementById("what-if-told");
  const list = document.getElementById("what-if");
  button.disabled = true;
  told.textContent = "Deciding many times…";
  try {
    const answer = await fetch(button.dataset.whatIf);
    const body = await answer.json();
    const losers = answer.ok ? body.losers : [];
    told.textContent = answer.ok ? (losers.length ? "" : "There was no other candidate.") : body.detail;
    list.replaceChildren(...losers.flatMap((each) => [entry("dt", each.name), entry("dd", each.text ? `${each.text}.` : "")]));
  } catch {
    told.textContent = "The daemon does not answer.";
  }
  button.disabled = false;
}

function entry(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-replay]");
  if (button) replay(button);
  const asking = event.target.closest("[data-what-if]");
  if (asking) askWhatIf(asking);
});
// A file that is dropped on a text area becomes its text.
document.addEventListener("dragover", (event) => event.target.closest?.("[data-drop]") && event.preventDefault());
document.addEventListener("drop", async (event) => {
  const area = event.target.closest?.("[data-drop]");
  const file = event.dataTransfer?.files[0];
  if (!area || !file) return;
  event.preventDefault();
  area.value = await file.text();
  area.dispatchEvent(new Event("input"));
});
document.addEventListener("themechange", redrawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
document.addEventListener("visibilitychange", refreshSoon);
document.addEventListener("visibilitychange", listenWhileSeen);
window.addEventListener("pagehide", () => seen.abort());
setInterval(() => {
  if (performance.now() - lastAskedMs >= IDLE_GAP_MS) refreshSoon();
}, 1000);
window.addEventListener("pageshow", (event) => event.persisted && location.reload());
document.fonts.ready.then(drawAll);
followLog();
keepDraft();
listenWhileSeen();
