/** The HTTP side about entries over files in memory: a server is ready, or failed where its entry is wrong. */
import { SeenRegistries } from "@boocode/chat"
import { type ConfiguredServer, Environment, McpConfig } from "@boocode/mcp-config"
import { McpError, McpErrors, McpFetch, McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import { HostAddresses } from "../../src/access/PublicFetch.ts"
import { ChatApi } from "../../src/api/ChatApi.ts"
import { EntryTrial } from "../../src/entries/EntryTrial.ts"
import * as Http from "../../src/Http.ts"
import * as ProblemAnswers from "../../src/http/ProblemAnswers.ts"
import { PublicRegistry } from "../../src/published/PublicRegistry.ts"
import { Settings } from "../../src/settings/Settings.ts"
import * as OnePerson from "./OnePerson.ts"
import { json, log, registry, services, status, tool } from "./Scripted.ts"
import * as Standing from "./Standing.ts"

/** A registry of what the file says: a server is ready, or failed where its entry is wrong. */
const registryOf = Layer.effect(
  McpRegistry,
  Effect.gen(function*() {
    const config = yield* McpConfig
    const scripted = yield* McpRegistry
    const statusOf = ({ config, enabled, name, source, transport }: ConfiguredServer) =>
      status(name, {
        source,
        transport,
        state: enabled ? Result.isSuccess(config) ? "ready" : "failed" : "disabled"
      })
    const servers = Effect.map(config.current, (all) => all.servers.map(statusOf))
    const server = (name: string) =>
      Effect.flatMap(servers, (all) => {
        const one = all.find((server) => server.name === name)
        const reason = new McpErrors.UnknownServer({ name, nearest: [] })
        return one === undefined ? Effect.fail(new McpError({ server: null, reason })) : Effect.succeed(one)
      })
    const reload = Effect.as(config.reload, { added: [], removed: [], changed: [], unchanged: [] })
    return McpRegistry.of({ ...scripted, servers, server, settledServer: server, reload, restart: server })
  })
).pipe((layer) => Layer.provideMerge(Layer.fresh(McpRegistries.layerSame), layer))

/** Not those of the other routes, which are in front of another registry. */
const registries = Layer.fresh(Layer.provideMerge(SeenRegistries.layer, McpRegistries.layerSame))

export interface Options {
  /** The text of mcp.json. */
  readonly file?: string
  /** With a token others reach the server. */
  readonly token?: string
  /** Further files by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The registry that servers are installed from. */
  readonly registry?: string
}

/** The whole HTTP side over these files. */
export const open = Effect.fnUntraced(function*(options: Options) {
  const memory = new MemoryFiles({ "/d/mcp.json": options.file ?? "{}", ...options.files })
  const tried: Array<unknown> = []
  const files = Layer.mergeAll(Layer.succeed(FileSystem.FileSystem, memory.view()), Path.layer, Environment.layer({}))
  const config = McpConfig.layerFile("/d/mcp.json").pipe(Layer.provide(files))
  const trial = Layer.succeed(EntryTrial, {
    run: (server) =>
      Effect.sync(() => {
        tried.push(Result.isSuccess(server.config) ? server.config.success.transport : null)
        return { server: status(server.name), tools: [tool(server.name, "read")], log, millis: 5 }
      })
  })
  const addresses = Layer.succeed(HostAddresses, {
    of: (host) => Effect.succeed(host.endsWith(".local") ? ["10.0.0.1"] : ["93.184.216.34"])
  })
  const settings = { registry: options.registry ?? "file:registry" }
  const published = PublicRegistry.layer().pipe(
    Layer.provide([Standing.folder, Settings.layerValues(settings), McpFetch.layer(fetch)])
  )
  const near = Layer.mergeAll(Layer.provideMerge(registries, registryOf), trial, addresses, published).pipe(
    Layer.provideMerge(config),
    Layer.provide(registry()),
    Layer.provideMerge(files)
  )
  const routes = HttpApiBuilder.layer(ChatApi).pipe(
    Layer.provide(Http.handlers),
    Layer.provide([ProblemAnswers.layer, OnePerson.layer]),
    Layer.provide(near),
    Layer.provide(services(undefined, options)),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() => HttpRouter.toWebHandler(routes, { disableLogger: true })),
    ({ dispose }) => Effect.promise(dispose)
  )
  const ask = Effect.fnUntraced(function*(method: string, path: string, body?: unknown) {
    const headers = { "content-type": "application/json" }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = yield* Effect.promise(() => handler(new Request(`http://127.0.0.1:4266${path}`, init)))
    return { status: response.status, body: Object(yield* json(response)) }
  })
  const text = () => memory.text("/d/mcp.json") ?? ""
  return { ask, memory, text, tried }
})
