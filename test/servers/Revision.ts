/** Speaks one revision only, whatever it is asked for: `Revision.ts 2024-11-05`. */
import { serveTools } from "./ZooServer.ts"

const protocolVersion = process.argv[2] ?? "1999-12-31"

serveTools("revision", {}, { initialize: (usual) => ({ ...usual, protocolVersion }) })
