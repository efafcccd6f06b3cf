/** The registry with metrics and a span for each call, exported by OTLP to a collector of this machine. */
import * as Telemetry from "@boocode/chat-server/Telemetry"
import { Environment } from "@boocode/mcp-config"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Open } from "../support/Client.ts"
import { client } from "../support/Fibers.ts"
import { layer, ready } from "./Registry.ts"

const COLLECTOR = fileURLToPath(new URL("../servers/Collector.mjs", import.meta.url))

/** Its address, and how many requests brought it traces once its input has ended. */
const collector = async () => {
  const child = spawn(process.execPath, [COLLECTOR], { stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface(child.stdout)
  const [url] = await once(lines, "line")
  const received = async () => {
    const told = once(lines, "line")
    child.stdin.end()
    return Number((await told)[0])
  }
  return { url: String(url), received }
}

/** With `variables` of OpenTelemetry besides the address of the collector. */
export const openWith = (variables: Readonly<Record<string, string>>): Open => async (servers, enough) => {
  const { received, url } = await collector()
  const exporting = Telemetry.layer.pipe(
    Layer.provide(Environment.layer({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SERVICE_NAME: "bench", ...variables }))
  )
  const opened = await client(ManagedRuntime.make(Layer.provideMerge(layer(servers), exporting)), ready(enough))
  return {
    ...opened,
    close: async () => {
      await opened.close()
      if (await received() === 0) throw new Error("the collector was sent no traces")
    }
  }
}

export const open = openWith({})
