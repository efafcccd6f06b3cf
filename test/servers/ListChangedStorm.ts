/** Says 1,000 times a second that its list of tools changed, from the first listing on; with `--news` it is another one each time. */
import { send } from "./JsonRpcLines.ts"
import { anything, serveTools } from "./ZooServer.ts"

let lists = 0

const storm = () =>
  setInterval(() => {
    for (let index = 0; index < 10; index++) send({ method: "notifications/tools/list_changed" })
  }, 10)

serveTools("list-changed-storm", {}, {
  initialize: (usual) => ({ ...usual, capabilities: { tools: { listChanged: true } } }),
  list: () => {
    if (lists++ === 0) storm()
    const extra = process.argv.includes("--news") ? [`tool_${lists}`] : []
    return { tools: ["echo", "counters", ...extra].map((name) => ({ name, inputSchema: anything })) }
  }
})
