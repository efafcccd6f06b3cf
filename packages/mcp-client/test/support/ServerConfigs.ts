/** Server configurations as tests of pure modules need them. */
import { DEFAULTS, type Http, type ServerConfig, type Stdio } from "@boocode/mcp-config"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"

const secret = (text: string) => Redacted.make(text)

export const stdio = (options: {
  readonly env?: Readonly<Record<string, string>>
  readonly inheritEnv?: ReadonlyArray<string>
} = {}, args: ReadonlyArray<string> = []): Stdio => ({
  _tag: "stdio",
  command: "server",
  args: args.map(secret),
  env: Record.map(options.env ?? {}, secret),
  cwd: "/data",
  inheritEnv: options.inheritEnv ?? []
})

export const http = (url: string, headers: Readonly<Record<string, string>> = {}): Http => ({
  _tag: "streamableHttp",
  url: secret(url),
  headers: Record.map(headers, secret)
})

/** An entry that sets nothing else. */
export const config = (options: Partial<ServerConfig> = {}): ServerConfig => ({
  ...DEFAULTS,
  name: "files",
  transport: stdio(),
  roots: null,
  pin: "off",
  ...options
})
