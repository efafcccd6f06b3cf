/**
 * Offers the tools of published servers, recorded: `Replay.ts [--page N] NAME...`. A call answers with the tool's name
 * and its arguments. Of tools with the same name the first counts.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { refuse, serve, text, type Tool } from "./JsonRpcLines.ts"

interface Recorded {
  readonly server: string
  readonly version: string
  readonly tools: ReadonlyArray<Tool>
}

const recorded = (): ReadonlyArray<Recorded> =>
  JSON.parse(readFileSync(new URL("../fixtures/live-mcp.json", import.meta.url), "utf8")).servers

const { positionals, values } = parseArgs({ allowPositionals: true, options: { page: { type: "string" } } })
const servers = positionals.map((name) => recorded().find(({ server }) => server === name))
if (servers.length === 0 || servers.includes(undefined)) {
  process.stderr.write(`usage: Replay.ts [--page N] NAME..., one of: ${recorded().map((s) => s.server).join(", ")}\n`)
  process.exit(2)
}

const byName = new Map(servers.flatMap((server) => server?.tools ?? []).reverse().map((tool) => [tool.name, tool]))
const tools = [...byName.values()].reverse()
const page = Number(values.page ?? tools.length)

serve({
  name: positionals.join("+"),
  version: servers[0]?.version ?? "0",
  list: (cursor) => {
    const start = Number(cursor ?? 0)
    const shown = tools.slice(start, start + page)
    return start + page < tools.length ? { tools: shown, nextCursor: String(start + page) } : { tools: shown }
  },
  call: ({ params }) =>
    byName.has(params?.name ?? "")
      ? text(`${params?.name} ${JSON.stringify(params?.arguments ?? null)}`)
      : refuse(-32602, `Unknown tool: ${params?.name}`)
})
