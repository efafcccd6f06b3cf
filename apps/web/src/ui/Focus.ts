/** Gives an element the focus when it appears: `<input ref={focus} />`. In a dialog `data-focus` does that. */
export const focus = (element: HTMLElement | null) => element?.focus()
