/** Declares no tools, and ends with code 4 when it is asked for them all the same. */
import { serveTools } from "./ZooServer.ts"

serveTools("no-tools", {}, {
  initialize: (usual) => ({ ...usual, capabilities: { prompts: {} } }),
  list: () => process.exit(4)
})
