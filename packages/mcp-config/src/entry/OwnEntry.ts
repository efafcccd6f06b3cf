/** Recognises the entry that starts BooCode as an MCP server, so that BooCode never connects to itself. */
import * as Result from "effect/Result"
import type { ServerEntry } from "../model/ServerEntry.ts"

/** The words of a command line that starts BooCode's gateway, after the command itself. */
export const VERBS = ["mcp", "serve"] as const

/** Whether a command line is `boocode mcp serve`, of this installation or any other, also by way of npx or a shell. */
export const isOwnCommand = (command: string, args: ReadonlyArray<string>): boolean => {
  const words = [command, ...args].flatMap((word) => word.split(/\s+/))
  const [mcp, serve] = VERBS
  const at = words.findIndex((word, index) => word === mcp && words[index + 1] === serve)
  return at > 0 && words.slice(0, at).some(isBoocode)
}

/** Whether a server's entry is BooCode's own. */
export const isOwn = ({ declaration }: Pick<ServerEntry, "declaration">): boolean => {
  if (Result.isFailure(declaration)) return false
  const { transport } = declaration.success
  return transport._tag === "stdio" && isOwnCommand(transport.command.text, transport.args.map(({ text }) => text))
}

/** The command itself, a file of it, or its package with or without a version. */
const isBoocode = (word: string): boolean => {
  const path = word.replaceAll("\\", "/").replace(/^["']|["']$/g, "")
  return /(?:^|\/)boocode(?:\.(?:cmd|exe|ps1|[cm]?js))?(?:@[\w.^~-]+)?$/i.test(path) || FILES.test(path)
}

/** The first file of the command: in a checkout from its sources or built, and in the package. */
const FILES = /(?:^|\/)(?:apps\/cli\/(?:src|dist)\/main\.m?[jt]s|boocode\/(?:dist|bin)\/[\w-]+\.[cm]?js)$/i
