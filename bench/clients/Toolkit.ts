/**
 * Ours through the tool object that a model's loop calls: `handle` of the toolkit, its results read to the end. Without
 * progress, as the tool objects of the peers.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import { McpToolkit, ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Open } from "../support/Client.ts"
import { client, handled } from "../support/Fibers.ts"
import { layer } from "./Registry.ts"

const ready = Effect.fnUntraced(function*(progress: boolean) {
  const registry = yield* McpRegistry
  yield* registry.settled
  const toolkit = yield* McpToolkit.forAgent(undefined, { progress })
  const call = handled((server, tool, input) => toolkit.handle(`${server}_${tool}`, input))
  return {
    call: (server: string, tool: string, input: Readonly<Record<string, unknown>>) =>
      Effect.map(call(server, tool, input), unframed),
    tools: Effect.succeed(Object.keys(toolkit.tools).length)
  }
})

/** A model is told in a line before a result, and in one after it, whose words these are. */
const unframed = (text: string): string => text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n"))

const files = ResultFiles.layer(join(tmpdir(), "boocode-bench"))

export const openWith = (progress: boolean): Open => (servers) =>
  client(ManagedRuntime.make(Layer.provideMerge(files, layer(servers))), ready(progress))

export const open: Open = openWith(false)
