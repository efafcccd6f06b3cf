/** The public names of mcp-config. */
export { Environment } from "./Environment.ts"
export { type ConfigSource, type Configuration, type ConfiguredServer, McpConfig } from "./McpConfig.ts"
export { InvalidEntry, InvalidFile, VariableUnset } from "./McpConfigError.ts"
export type { Http, ServerConfig, Stdio } from "./ServerConfig.ts"
