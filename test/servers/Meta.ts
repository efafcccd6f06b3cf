/** Answers a call with the `_meta` that came with it. Speaks 2025-11-25. */
import { serve, text } from "./JsonRpcLines.ts"

serve({
  name: "meta",
  list: () => ({
    tools: [{ name: "meta", description: "Gives the _meta of its call", inputSchema: { type: "object" } }]
  }),
  call: ({ params }) => text(JSON.stringify(params?._meta ?? {}))
})
