/** Writes a character into its first argument each time it is started, and offers the tools that its second one lists. */
import { appendFileSync, readFileSync } from "node:fs"
import { serve, text } from "./JsonRpcLines.ts"

const [, , spawns = "spawned", tools = "tools.json"] = process.argv

appendFileSync(spawns, "x")

serve({
  name: "telltale",
  list: () => {
    const listed: ReadonlyArray<{ readonly name: string }> = JSON.parse(readFileSync(tools, "utf8"))
    return { tools: listed.map((tool) => ({ inputSchema: { type: "object" }, ...tool })) }
  },
  call: ({ params }) => text(`called ${params?.name}`)
})
