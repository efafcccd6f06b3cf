/** Offers N tools with long definitions, each of another subject, after a while: `Catalogue.ts [--late MILLIS] N`. */
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { refuse, serve, text } from "./JsonRpcLines.ts"

const VERBS = ["count", "rank", "compare", "summarize", "locate", "weigh"]
const THINGS = [
  "invoices",
  "glaciers",
  "violins",
  "passports",
  "beehives",
  "elevators",
  "lighthouses",
  "tickets",
  "poems",
  "turbines"
]
const PLACES = ["harbour", "museum", "warehouse", "clinic", "orchard"]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { late: { type: "string", default: "0" } }
})

const tools = Array.from({ length: Number(positionals[0]) }, (_, at) => {
  const verb = VERBS[at % 6] ?? ""
  const thing = THINGS[Math.floor(at / 6) % 10] ?? ""
  const place = PLACES[Math.floor(at / 60) % 5] ?? ""
  return {
    name: `${verb}_${thing}_${place}`,
    description: `Tells how to ${verb} ${thing} of a ${place}. ${"It is careful with what it was given. ".repeat(6)}`,
    inputSchema: {
      type: "object",
      properties: {
        since: { type: "string", description: "The first day to look at, as YYYY-MM-DD; without it, all days" },
        limit: { type: "integer", description: "How many at most" }
      },
      required: ["since"]
    }
  }
})

await setTimeout(Number(values.late))
serve({
  name: "catalogue",
  version: "1",
  list: () => ({ tools }),
  call: ({ params }) =>
    tools.some(({ name }) => name === params?.name)
      ? text(`${params?.name} ${JSON.stringify(params?.arguments ?? null)}`)
      : refuse(-32602, `Unknown tool: ${params?.name}`)
})
