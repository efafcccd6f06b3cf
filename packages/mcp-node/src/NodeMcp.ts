/**
 * Everything that mcp-registry needs from Node, as one layer.
 */
import type { Environment } from "@boocode/mcp-config"
import type { McpFetch, ProcessTree } from "@boocode/mcp-registry"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Layer from "effect/Layer"
import * as NodeFetch from "./NodeFetch.ts"
import * as NodePrograms from "./NodePrograms.ts"
import * as NodeProcessTree from "./ProcessTree.ts"

/**
 * Gives `ProcessTree`, `McpFetch`, `Programs`, and Node's own services: `ChildProcessSpawner`, `FileSystem`, `Path`, `Stdio` and
 * `Terminal`. Needs the `Environment` for the names of proxies.
 *
 * @category layers
 */
export const layer: Layer.Layer<ProcessTree | McpFetch | NodeServices.NodeServices, never, Environment> = Layer.merge(
  NodeProcessTree.layer,
  NodeFetch.layer
).pipe(Layer.merge(NodePrograms.layer), Layer.provideMerge(NodeServices.layer))
