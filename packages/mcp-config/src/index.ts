/** The public names of mcp-config. */
export * as ConfigEditor from "./edit/ConfigEditor.ts"
export * as EditedFile from "./edit/EditedFile.ts"
export * as EditLock from "./edit/EditLock.ts"
export * as EntryText from "./edit/EntryText.ts"
export * as HiddenValues from "./edit/HiddenValues.ts"
export * as OrdinaryFile from "./edit/OrdinaryFile.ts"
export * as EnvFile from "./entry/EnvFile.ts"
export * as NativeKeys from "./entry/NativeKeys.ts"
export * as Snippet from "./exchange/Snippet.ts"
export * as Audience from "./model/Audience.ts"
export type {
  ConfigSource,
  Configuration,
  ConfiguredServer,
  DeclaredEntry,
  PersonalEntry,
  WrittenValues
} from "./model/Configuration.ts"
export { DEFAULTS } from "./model/EntryKeys.ts"
export { Environment } from "./model/Environment.ts"
export * as ErrorPlace from "./model/ErrorPlace.ts"
export { InvalidEntry, InvalidFile, VariableUnset } from "./model/McpConfigError.ts"
export * as Nearest from "./model/Nearest.ts"
export { LOG_LEVELS, TOOL_CLASSES } from "./model/ServerConfig.ts"
export type {
  HeadersHelper,
  Http,
  LogLevel,
  OAuth,
  ServerConfig,
  Stdio,
  ToolClass,
  WriteTarget
} from "./model/ServerConfig.ts"
export * as ServerName from "./model/ServerName.ts"
export * as ConfigFile from "./read/ConfigFile.ts"
export * as ConfigFiles from "./read/ConfigFiles.ts"
export type { Scopes } from "./read/ConfigFiles.ts"
export * as ConfigWatch from "./read/ConfigWatch.ts"
export * as FileNews from "./read/FileNews.ts"
export * as FileWatch from "./read/FileWatch.ts"
export { McpConfig, type McpConfigNeeds } from "./read/McpConfig.ts"
export { NAMES as SHAPES, type ShapeName } from "./shapes/Shape.ts"
export * as JsonObjectText from "./text/JsonObjectText.ts"
export * as JsonWords from "./text/JsonWords.ts"
export { WORKSPACE } from "./text/Template.ts"
export * as TimeText from "./text/TimeText.ts"
