// Makes one element's content equal to another's by changing only what differs: focus, scrolling and charts survive.

const keyOf = (node) => node.dataset?.key || node.dataset?.card || node.id || null;

export function morph(from, to) {
  syncAttributes(from, to);
  if (from.dataset.keep) return;
  const keyed = new Map([...from.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let next = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const key = keyOf(wanted);
    const found = key ? keyed.get(key) : next && !keyOf(next) && isAlike(next, wanted) ? next : null;
    if (!found) {
      from.insertBefore(wanted.cloneNode(true), next);
      continue;
    }
    if (found === next) next = next.nextSibling;
    else from.insertBefore(found, next);
    if (found.nodeType === Node.ELEMENT_NODE) morph(found, wanted);
    else if (found.data !== wanted.data) found.data = wanted.data;
  }
  while (next) {
    const rest = next.nextSibling;
    next.remove();
    next = rest;
  }
}

const isAlike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName;

function syncAttributes(from, to) {
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) === value) continue;
    from.setAttribute(name, value);
    if (name === "value" && from.nodeName === "DATA") flash(from);
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !isOurs(from, name)) from.removeAttribute(name);
  }
}

// What the reader opened, or a script put there, is not the server's to take away.
const isOurs = (element, name) => name === "data-live" || (element.nodeName === "DETAILS" && name === "open");

function flash(element) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  element.animate([{ backgroundColor: "color-mix(in srgb, currentColor 18%, transparent)" }, { backgroundColor: "transparent" }], {
    duration: 900,
    easing: "ease-out",
  });
}
