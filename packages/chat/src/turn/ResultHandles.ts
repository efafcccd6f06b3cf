/**
 * Under which handles the results of calls can be read again.
 */
import type { TurnPart } from "../Part.ts"

/**
 * The handles in parts, by the ids of the calls.
 *
 * @category constructors
 */
export const fromParts = (parts: ReadonlyArray<TurnPart>): Map<string, string> => {
  const handles = new Map<string, string>()
  for (const part of parts) read(handles, part)
  return handles
}

/**
 * Adds the handle in a part, where there is one.
 *
 * @category reading
 */
export const read = (handles: Map<string, string>, part: TurnPart): void => {
  if (part.type !== "tool-result") return
  const file = part.truncated?.text?.file ?? part.truncated?.file ?? null
  if (file !== null) handles.set(part.id, file)
}
