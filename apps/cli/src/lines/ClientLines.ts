/** The MCP clients of a server as `mcp clients` shows them to people. */
import type { Clients } from "@boocode/chat-server/api/clients/ClientsApi"
import { beside } from "../terminal/Layout.ts"
import { counted, local, oneLine, type Paint } from "../terminal/Output.ts"

type Document = typeof Clients.Type
type Connected = Document["clients"][number]

/** The clients that are connected, those that have a token, and the problems of the profiles. */
export const clientLines = (
  { clients, file, known, problems }: Document,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => [
  ...clients.length === 0
    ? ["no MCP client is connected"]
    : beside(clients.map((client) => ({ name: nameOf(client), about: aboutOf(client) })), columns, {
      colour: paint.bold
    }),
  ...known.length === 0 ? [] : [
    "",
    "with a token:",
    ...beside(
      known.map(({ created, name, profile, signedIn = false }) => ({
        name: oneLine(name, 64),
        about: `profile ${profile}, since ${local(created)}${signedIn ? ", signed in" : ""}`
      })),
      columns
    )
  ],
  ...problems.flatMap(({ hint, message }) => ["", `${paint.bad("error")}  ${oneLine(message, 400)}`, `  ${hint}`]),
  ...clients.length + known.length > 0
    ? []
    : [paint.dim(`  profiles are in ${file}; boocode mcp serve is the command of a client`)]
]

const nameOf = ({ name, program }: Connected): string => oneLine(name ?? program.name, 40)

const aboutOf = (client: Connected): string => {
  const { calls, exposure, id, inFlight, lastTools, name, profile, program, since } = client
  const program_ = name === null ? oneLine(program.version, 20) : oneLine(`${program.name} ${program.version}`, 60)
  return [
    ...program_ === "" ? [] : [program_],
    `profile ${profile} (${exposure})`,
    `since ${local(since, "short")}`,
    inFlight === 0 ? counted(calls, "call") : `${counted(calls, "call")}, ${inFlight} running`,
    ...lastTools.length === 0 ? [] : [`last ${lastTools.slice(0, 3).map((tool) => oneLine(tool, 60)).join(", ")}`],
    `id ${id.slice(0, 8)}`
  ].join(", ")
}
