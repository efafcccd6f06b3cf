/** The tool by which a model runs a program in which the other tools are functions. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ToolResult from "../results/ToolResult.ts"
import type { AgentTool } from "../tools/AgentTool.ts"
import * as BuiltInTool from "../tools/BuiltInTool.ts"
import * as Signatures from "./Signatures.ts"

/** The name of the tool. No tool of a server has it. */
export const EXECUTE = "execute"

/** How long the list of functions is, in characters: about 1,300 tokens. */
export const LISTING_CHARACTERS = 4800

/**
 * `execute`, which tells of these tools; `among` are all that programs call. It runs the program by `RunOptions.execute`, and so answers with an error where nobody
 * gives that.
 */
export const make = (
  tools: ReadonlyArray<Signatures.Described>,
  among: ReadonlyArray<Signatures.Described> = tools
): AgentTool => {
  const listing = Signatures.listing(tools, LISTING_CHARACTERS, among)
  return BuiltInTool.make({
    name: EXECUTE,
    description:
      "Runs a TypeScript program in which tools are functions: one program instead of many calls. Inside it, " +
      "server.tool(args) and tools[\"name\"](args) call a tool and give its structured result, else its text, parsed " +
      "where that is a JSON object or list. A failed call throws. Promise.all makes calls side by side. " +
      "boo.describe(\"server.tool\") tells all of a function. console.log lines and what the program returns come back, " +
      "with what became of each call: return only what you need. Nothing else is there: no import, fetch, files, timers.",
    properties: {
      code: {
        type: "string",
        pattern: "\\S",
        description: `The body of an async function: await and return stand at its top.${
          listing === "" ? "" : ` Functions:\n${listing}`
        }`
      }
    },
    required: ["code"],
    args: Schema.Struct({ code: Schema.String.check(Schema.isPattern(/\S/)) }),
    run: ({ code }, { execute }) => execute?.(code) ?? Effect.succeed(refused("programs cannot run here")),
    refuse: refused
  })
}

const refused = (why: string): ToolResult.ToolResult =>
  ToolResult.failure(`${EXECUTE}: wrong arguments: ${why}`, { fault: "call" })
