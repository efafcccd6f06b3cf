/** Everything that mcp-registry needs from Node, as one layer. */
import type { McpFetch, ProcessTree, Programs } from "@boocode/mcp-client"
import type { Environment } from "@boocode/mcp-config"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import type { FileSystem } from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { Path } from "effect/Path"
import * as NodeFetch from "./http/NodeFetch.ts"
import * as NodeProcessTree from "./processes/NodeProcessTree.ts"
import * as NodePrograms from "./processes/NodePrograms.ts"

/**
 * Provides `ProcessTree`, `McpFetch`, `Programs`, and of Node's own services `FileSystem` and `Path`: all of them would take
 * as long to load as the registry. Layers that are built on it log to standard error, because standard output is the
 * program's; a fiber of the program logs where the program does. Needs the `Environment` for the names of proxies.
 */
export const layer: Layer.Layer<
  ProcessTree | McpFetch | Programs | FileSystem | Path,
  never,
  Environment
> = Layer.mergeAll(
  NodeProcessTree.layer,
  NodeFetch.layer,
  NodePrograms.layer,
  NodeFileSystem.layer,
  NodePath.layer,
  Layer.succeed(Logger.LogToStderr, true)
)
