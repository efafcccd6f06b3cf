/** The public names of mcp-config. */
export type { Scopes } from "./ConfigScopes.ts"
export type { ConfigSource, Configuration, ConfiguredServer } from "./Configuration.ts"
export * as EnvFile from "./EnvFile.ts"
export { Environment } from "./Environment.ts"
export { McpConfig, type McpConfigNeeds } from "./McpConfig.ts"
export { InvalidEntry, InvalidFile, VariableUnset } from "./McpConfigError.ts"
export * as Nearest from "./Nearest.ts"
export type { Http, ServerConfig, Stdio } from "./ServerConfig.ts"
