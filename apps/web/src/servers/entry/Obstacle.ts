/**
 * The obstacle of an entry that keeps its server from starting: the key that is wrong, and a variable that has no
 * value. Pure.
 */
import type { ServerStatus } from "../../api/Types.ts"

type Told = Pick<ServerStatus, "error" | "name">

/** The variable that is to be given a value; null where nothing waits for one. */
export const missingVariable = ({ error }: Told): string | null =>
  error?._tag === "VariableUnset"
    ? / needs the variable (\w+), which is not set/.exec(error.message)?.[1] ?? null
    : null

/** The value that the person is to give for a server of their own; null where none is missing. */
export const neededToken = ({ error }: Pick<ServerStatus, "error">): string | null =>
  error?._tag === "TokenNeeded" ? /^it needs your token (\w+)$/.exec(error.message)?.[1] ?? null : null

export const withoutPlace = (message: string): string =>
  message.replace(/^\S+:\d+:\d+: mcpServers\.\S+?:? (?!needs)/, "")

/** The key below the entry, such as `headers.Authorization`; null where the message names none. */
export const wrongKey = ({ error, name }: Told): string | null => {
  if (error === null || error._tag !== "VariableUnset" && error._tag !== "InvalidEntry") return null
  const [, after] = error.message.split(`.${name}.`)
  return after === undefined ? null : /^[^:\s]+/.exec(after)?.[0] ?? null
}
