/** Server configurations as tests of pure modules need them. */
import type { Http, ServerConfig, Stdio } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
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

/** The defaults of an entry. */
export const config = (options: Partial<ServerConfig> = {}): ServerConfig => ({
  name: "files",
  transport: stdio(),
  startupTimeout: Duration.seconds(30),
  timeout: Duration.seconds(60),
  maxTotalTimeout: Duration.minutes(10),
  maxConcurrency: null,
  maxMessageBytes: 16 * 1024 * 1024,
  maxResultBytes: 5_000_000,
  results: "content",
  restart: "never",
  retry: "never",
  ping: null,
  tools: null,
  alwaysLoad: false,
  instructions: true,
  ask: [],
  protocol: "auto",
  lazy: false,
  idleTtl: null,
  pin: "off",
  logLevel: "info",
  ...options
})
