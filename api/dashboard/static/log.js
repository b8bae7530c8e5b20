// Follows a job's log: lines are added as they come, and those that have not ended, such as progress bars, are redrawn.

const MOST_LINES = 2000;
const RECONNECT_MS = 2000;

// The element may come with any later refresh of the page, and be replaced by one.
let followed = null;

const seen = new WeakSet();

export function followLog() {
  showEnd();
  const log = document.querySelector("pre[data-follow]");
  if (log === followed?.log) return;
  followed?.gone.abort();
  followed = log && { log, gone: new AbortController(), lines: shownIn(log), after: log.dataset.after, generation: null };
  if (!followed) return;
  toEnd(log);
  if (!document.hidden) follow(followed);
}

// A browser opens six connections to one host: tabs that nobody looks at must not hold them.
document.addEventListener("visibilitychange", () => {
  if (!followed) return;
  followed.gone.abort();
  if (document.hidden) return;
  followed.gone = new AbortController();
  follow(followed);
});

// The log of a job that is over: its end is what it came to. Once: a reader who scrolls it stays there.
function showEnd() {
  const log = document.querySelector("pre[data-from-end]");
  if (!log || seen.has(log)) return;
  seen.add(log);
  toEnd(log);
}

const shownIn = (log) => log.textContent.split("\n").slice(0, -1);
const toEnd = (log) => (log.scrollTop = log.scrollHeight);

async function follow(state) {
  const signal = state.gone.signal;
  while (!signal.aborted) {
    try {
      const url = new URL(state.log.dataset.follow, location.href);
      url.searchParams.set("after", state.after);
      const answer = await fetch(url, { headers: { Accept: "text/event-stream" }, signal });
      if (!answer.ok) throw new Error(answer.statusText);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const events = (rest + part.value).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          if (signal.aborted || /^event: end$/m.test(event)) return;
          take(state, event);
        }
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

function take(state, event) {
  const data = event.match(/^data: (.*)$/m);
  if (!data) return;
  const said = JSON.parse(data[1]);
  state.after = event.match(/^id: (\d+)$/m)?.[1] ?? state.after;
  state.generation ??= state.log.dataset.generation;
  for (const line of said.lines) {
    if (String(line.generation) !== state.generation) state.lines.push(`==> generation ${line.generation} <==`);
    state.generation = String(line.generation);
    state.lines.push(written(line));
  }
  state.lines.splice(0, Math.max(0, state.lines.length - MOST_LINES));
  const isAtEnd = state.log.scrollHeight - state.log.scrollTop - state.log.clientHeight < 40;
  // As text: whatever a script prints, nothing of it is markup.
  state.log.firstElementChild.textContent = [...state.lines, ...said.open.map(written)].map((line) => `${line}\n`).join("");
  if (isAtEnd) toEnd(state.log);
}

window.addEventListener("pagehide", () => followed?.gone.abort());

const written = (line) => `[${line.source}] ${line.text}`;
