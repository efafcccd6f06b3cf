/** The public names of mcp-node. */
export * as GuardedFetch from "./GuardedFetch.ts"
export * as HurriedTree from "./HurriedTree.ts"
export * as NodeCredentials from "./NodeCredentials.ts"
export * as NodeFetch from "./NodeFetch.ts"
export * as NodeMcp from "./NodeMcp.ts"
export * as NodePrograms from "./NodePrograms.ts"
export * as NodeProcessTree from "./ProcessTree.ts"
