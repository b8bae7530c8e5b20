// Keeps the text of a job's file until the job is submitted: the session may end before that, or
// the page be left.

const TEXT = "elasticd-draft";
const IS_SENT = "elasticd-draft-sent";

export function keepDraft() {
  try {
    const area = document.querySelector("[data-draft]");
    if (area) keep(area);
    // Sent, and another page came back: the job was submitted. After a refusal the form comes back.
    else if (sessionStorage.getItem(IS_SENT)) {
      sessionStorage.removeItem(TEXT);
      sessionStorage.removeItem(IS_SENT);
    }
  } catch { /* no storage in private mode: the text is kept by the page alone */ }
}

function keep(area) {
  sessionStorage.removeItem(IS_SENT);
  if (area.value) sessionStorage.setItem(TEXT, area.value);
  else area.value = sessionStorage.getItem(TEXT) ?? "";
  area.addEventListener("input", () => sessionStorage.setItem(TEXT, area.value));
  const form = document.querySelector("[data-sends-draft]");
  form?.addEventListener("submit", () => sessionStorage.setItem(IS_SENT, "yes"));
  // A plan is the answer to a form, which no browser shows again by itself: back and reload lead to
  // its text.
  history.replaceState(null, "", "/submit");
}
