/** A path that goes on in the next line before the name of its file, not in the middle of it. */
import type { ComponentChildren } from "preact"

export const inSteps = (path: string): ReadonlyArray<ComponentChildren> => {
  const name = path.split(/[/\\]/).at(-1) ?? ""
  return [path.slice(0, path.length - name.length), <wbr key="name" />, name]
}
