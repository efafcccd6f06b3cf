/** A path that goes on in the next line behind a slash, not in the middle of a name. */
import type { ComponentChildren } from "preact"

export const inSteps = (path: string): ReadonlyArray<ComponentChildren> =>
  path.split(/(?<=[/\\])/).flatMap((step, index) => index === 0 ? [step] : [<wbr key={index} />, step])
