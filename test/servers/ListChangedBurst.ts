/** Says 100 times in a row that its list of tools changed, when `burst` is called; after `spoil` it cannot list any more. */
import { refuse, send, text } from "./JsonRpcLines.ts"
import { anything, serveTools } from "./ZooServer.ts"

const names = ["burst", "counters", "spoil"]
let lists = 0
let isSpoilt = false

const burst = () => {
  for (let index = 0; index < 100; index++) send({ method: "notifications/tools/list_changed" })
}

serveTools("list-changed", {
  burst: () => {
    names.push(`extra_${names.length - 2}`)
    burst()
    return text("changed")
  },
  spoil: () => {
    isSpoilt = true
    burst()
    return text("spoilt")
  }
}, {
  initialize: (usual) => ({ ...usual, capabilities: { tools: { listChanged: true } } }),
  list: () => {
    lists += 1
    return isSpoilt ? refuse(-32603, `no list today, after ${lists}`) : {
      tools: names.map((name) => ({ name, inputSchema: anything }))
    }
  }
})
