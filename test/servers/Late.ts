/** Answers `initialize` only after a while: `Late.ts MILLIS`, by default ten seconds. */
import { setTimeout } from "node:timers/promises"
import { serveTools } from "./ZooServer.ts"

const millis = Number(process.argv[2] ?? 10_000)

serveTools("late", {}, { initialize: (usual) => setTimeout(millis, usual) })
