/** Gives the focus to the first field that something is wrong with, once it is drawn so. */
export const toFirstWrong = (form: HTMLElement | null) => {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus())
}
