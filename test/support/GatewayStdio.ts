/** `GatewayStdio.ts ENTRIES`: serves a registry of these entries on standard input and output, in three lines. */
import { McpGateway } from "@boocode/mcp-gateway"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { registry } from "./GatewayHost.ts"

const [, , entries = "{}"] = process.argv

await Effect.runPromise(
  Effect.flatMap(McpGateway.make(), (gateway) => gateway.serveStdio()).pipe(
    Effect.scoped,
    Effect.provide(registry(JSON.parse(entries))),
    Effect.provideService(Logger.LogToStderr, true)
  )
)
process.exit(0)
