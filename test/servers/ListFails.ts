/** Declares tools, but answers `tools/list` with an internal error. */
import { refuse } from "./JsonRpcLines.ts"
import { serveTools } from "./ZooServer.ts"

serveTools("list-fails", {}, { list: () => refuse(-32603, "cannot reach the database at db.internal:5432") })
