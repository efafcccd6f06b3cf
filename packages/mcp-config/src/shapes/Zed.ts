/** Zed: `context_servers` in its settings, without variables. */
import * as Nodes from "../text/Nodes.ts"
import type * as Decoding from "./Decoding.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const APPLICATION = "Zed"

const dialect = VariableSyntax.literal(APPLICATION)

const translate = (entry: Decoding.Decoding): void => {
  entry.take("source")
  const isServer = entry.has("command") || entry.has("url")
  if (!isServer) return entry.skip("an extension of Zed brings this server along, and only Zed can start it")
  if (entry.peek("command")?.type === "object") nested(entry)
  else entry.moveTexts("command")
  for (const key of ["args", "env", "url", "headers"]) entry.moveTexts(key)
  entry.move("timeout", "timeout", Nodes.fromSeconds)
  entry.drop("remote", "Zed's remote development is not known here", false)
}

/** The older form: one object with all of the command. */
const nested = (entry: Decoding.Decoding): void => {
  const command = entry.take("command")
  if (command?.value.type !== "object") return
  for (const member of command.value.members) {
    const path = `${entry.path}.command.${member.key}`
    const key = member.key === "path" ? "command" : member.key
    if (["command", "args", "env"].includes(key)) entry.say(key, entry.translated(member.value, path), member, path)
    else entry.note(member.at, path, "unknown key, not read")
  }
}

/** Zed. */
export const shape = shapeOf({
  name: "zed",
  title: APPLICATION,
  path: ["context_servers"],
  syntax: () => dialect,
  translate,
  encode: (out) => {
    const { stdio } = out
    if (stdio !== null) {
      // Versions of 2025 read no entry without the source, and no version one without arguments.
      out.put("source", "custom")
      out.asProgram()
      if (stdio.args.length === 0) out.put("args", [])
    }
    if (out.http?._tag === "sse") out.impossible("Zed does not speak SSE")
    out.asAddress(null)
    out.duration("timeout", "timeout", { millis: 1000, isWhole: true })
    out.switchedOff("enabled")
  }
})
