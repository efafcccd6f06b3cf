/** Builds elements. Text is only ever set as text, so nothing a server or a model writes becomes markup. */

/**
 * `element("p", { class: "note" }, "text", child)`. A property that is null, undefined or false is left out; one whose
 * name begins with `on` is a listener.
 */
export const element = (tag, properties = {}, ...children) => {
  const node = document.createElement(tag)
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value)
    else node.setAttribute(key, value === true ? "" : String(value))
  }
  node.append(...children.filter((child) => child !== null && child !== undefined))
  return node
}

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id)

/** A number with its noun. */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`
