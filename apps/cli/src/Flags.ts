/** Flags that several verbs of `mcp` have. */
import * as Flag from "effect/cli/Flag"

/** The files that can be written. */
export const scope = (description: string) =>
  Flag.Literals("scope", ["data", "project", "user"]).pipe(Flag.withDescription(description), Flag.optional)

/** The same for a verb that writes a file. */
export const scopeToWrite = scope(
  "The file to write: data (the data folder's), project (.mcp.json) or user (~/.config/boocode)"
)

/** Something that is off unless it is asked for. */
export const switched = (flag: string, description: string) =>
  Flag.Boolean(flag).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)
