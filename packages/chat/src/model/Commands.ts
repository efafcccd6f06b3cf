/** The commands that a person can type in place of a message, as the page and the command line know them. Pure. */
import * as Schema from "effect/Schema"

/** A command of the composer. */
export const Command = Schema.Struct({
  /** Without its slash. */
  name: Schema.String,
  description: Schema.String,
  /** The argument after the name; null for none. */
  argument: Schema.NullOr(Schema.Struct({
    name: Schema.String,
    required: Schema.Boolean,
    /** The values it may have; empty for any. */
    values: Schema.Array(Schema.String)
  })),
  /** Where it works. */
  places: Schema.Array(Schema.Literals(["page", "terminal"]))
})
export type Command = typeof Command.Type

const both = ["page", "terminal"] as const
const terminal = ["terminal"] as const
const needed = (name: string) => ({ name, required: true, values: [] })
const optional = (name: string, values: ReadonlyArray<string> = []) => ({ name, required: false, values })

/** All of them, as a person is shown them. Prompts of servers come beside them, as `/server:prompt`. */
export const COMMANDS: ReadonlyArray<Command> = [
  { name: "help", description: "Show what can be typed here", argument: null, places: both },
  { name: "new", description: "Begin another chat", argument: null, places: both },
  { name: "retry", description: "Answer the last message again", argument: null, places: both },
  { name: "stop", description: "Stop the answer that is being written", argument: null, places: ["page"] },
  { name: "model", description: "Answer with this model from now on", argument: needed("MODEL"), places: both },
  { name: "agent", description: "Talk to this agent from now on", argument: needed("AGENT"), places: both },
  { name: "tools", description: "Show the tools that the agent has", argument: null, places: both },
  {
    name: "write",
    description: "Show whether tools that write can be called in this chat, or change it, until a time",
    argument: optional("MODE UNTIL", ["off", "ask", "rules", "default"]),
    places: terminal
  },
  { name: "cost", description: "Show the tokens of this chat, and what they cost", argument: null, places: terminal },
  { name: "clear", description: "Clear the screen and begin another chat", argument: null, places: terminal },
  {
    name: "export",
    description: "Export this chat",
    argument: optional("FORMAT", ["markdown", "json"]),
    places: both
  },
  { name: "exit", description: "Leave", argument: null, places: terminal }
]

/** A message that begins with a slash. */
export type Asked =
  | { readonly _tag: "Command"; readonly command: Command; readonly argument: string | null }
  | { readonly _tag: "Prompt"; readonly server: string; readonly prompt: string; readonly args: string | null }
  /** A name that no command has, so that only a tool can have it. Empty for a slash alone, which lists the tools. */
  | { readonly _tag: "Tool"; readonly name: string }

/**
 * Reads `/name argument` of a command of this place, `/server:prompt {json}`, and any other `/name`; null for every
 * other message. Names of prompts may hold spaces, so what follows the first `{` after a space are the arguments.
 *
 * A name begins with a letter and has letters, digits, `_` and `-` up to a blank or the end: `/usr/bin is full`,
 * `/notes.txt`, `/etc, for one` and `// no` are messages.
 */
export const parse = (text: string, place: Command["places"][number]): Asked | null => {
  const [, name = "", rest = ""] = /^\/([^\s:]*)(?:\s+([^]*))?$/.exec(text.trim()) ?? []
  const command = COMMANDS.find((one) => one.name === name && one.places.includes(place))
  if (command !== undefined) return { _tag: "Command", command, argument: rest === "" ? null : rest.trim() }
  if (isWord(name) || text.trim() === "/") return { _tag: "Tool", name }
  const [, server, prompt, args] = /^\/([^\s:{}/]+):([^\s{][^{]*?)(?:\s+(\{[^]*))?$/.exec(text.trim()) ?? []
  return server === undefined || prompt === undefined
    ? null
    : { _tag: "Prompt", server, prompt: prompt.trim(), args: args ?? null }
}

/** Whether a text could be the name of a command, a tool or a server. */
export const isWord = (text: string): boolean => /^\p{L}[\p{L}\p{N}_-]*$/u.test(text)
