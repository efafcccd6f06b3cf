/** The first lines of a conversation: who answers, with what, and what is missing. */
import type { ChatWrite } from "@boocode/chat"
import type { ServerStatus } from "@boocode/mcp-registry"
import { isRejected } from "../lines/ServerLines.ts"
import * as WriteMode from "../permissions/WriteMode.ts"
import { counted, oneLine, type Paint } from "../terminal/Output.ts"

export interface Present {
  readonly agent: string
  /** Null is the command mode. */
  readonly model: string | null
  readonly servers: ReadonlyArray<ServerStatus>
  /** The number of tools that the agent has. */
  readonly tools: number
  /** The write mode; null where it cannot be told. */
  readonly write: ChatWrite | null
}

export const lines = ({ agent, model, servers, tools, write }: Present, paint: Paint): ReadonlyArray<string> => {
  const count = (...states: ReadonlyArray<ServerStatus["state"]>) =>
    servers.filter(({ state }) => states.includes(state)).length
  const facts = [
    oneLine(agent),
    model === null ? "no model" : oneLine(model),
    `${counted(count("ready"), "server")}, ${counted(tools, "tool")}`,
    ...(count("connecting") > 0 ? [`${count("connecting")} starting`] : []),
    "/help"
  ]
  const missing = [
    ...named(servers, "failed", "failed"),
    ...named(servers, "needs-auth", "to log in"),
    ...named(servers, "needs-approval", "to approve")
  ]
  return [
    "",
    `  ${paint.accent(paint.bold("BooCode"))}  ${facts.join(paint.dim(" · "))}`,
    ...(write === null || write.mode === "off"
      ? []
      : [paint.careful(`  write mode ${WriteMode.words(write)}; /write changes it`)]),
    ...(missing.length === 0 ? [] : [paint.dim(paint.typed(`  ${missing.join("; ")}. See boocode mcp list`))]),
    ""
  ]
}

const named = (servers: ReadonlyArray<ServerStatus>, state: ServerStatus["state"], words: string) => {
  const names = servers.filter((server) => server.state === state && !isRejected(server)).map(({ name }) =>
    oneLine(name)
  )
  return names.length === 0 ? [] : [`${words}: ${names.join(", ")}`]
}

/** The servers whose trouble the greeting has told. */
export const told = (servers: ReadonlyArray<ServerStatus>): ReadonlySet<string> =>
  new Set(servers.filter(({ state }) => state !== "ready" && state !== "connecting").map(({ name }) => name))
