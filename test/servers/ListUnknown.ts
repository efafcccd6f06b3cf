/** Declares tools, but answers `tools/list` with "method not found". */
import { refuse } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

serveTools("list-unknown", {}, { list: () => refuse(-32601, "Method not found: tools/list") })
