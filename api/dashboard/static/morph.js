// Makes one element's content equal to another's with idiomorph: rows that have an id move whole, focus and scrolling stay.

const callbacks = {
  beforeNodeMorphed(old, wanted) {
    if (old.nodeName === "DATA" && old.value !== wanted.value) flash(old);
    if (!old.dataset?.keep) return true;
    // Its content is a script's. What tells that script where it stands is the server's.
    for (const { name, value } of wanted.attributes) old.setAttribute(name, value);
    return false;
  },
  // What the reader opened, or a script put there, is not the server's to take away.
  beforeAttributeUpdated: (name, element) => name !== "data-live" && !(element.nodeName === "DETAILS" && name === "open"),
};

export const morph = (from, to) => Idiomorph.morph(from, to, { callbacks });

function flash(element) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  element.animate([{ backgroundColor: "color-mix(in srgb, currentColor 18%, transparent)" }, { backgroundColor: "transparent" }], {
    duration: 900,
    easing: "ease-out",
  });
}
