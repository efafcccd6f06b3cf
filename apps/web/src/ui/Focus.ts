/** Gives an element the focus when it appears: `<input ref={focus} />`. In a dialog `data-focus` does that. */
export const focus = (element: HTMLElement | null) => element?.focus()

/** The places of the conversation that wait for a person, by where their answer begins. */
const WAITING = ".approval .primary, .question input, .question select, .question textarea, .question .primary"

/** After a question is gone with the focus in it, focuses the next question, or else the message field. */
export const goOn = () => {
  if (document.activeElement !== document.body || !matchMedia("(hover: hover)").matches) return
  const next = document.querySelector<HTMLElement>(WAITING) ?? document.querySelector<HTMLElement>("#message")
  next?.focus()
}
