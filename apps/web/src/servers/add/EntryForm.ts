/** Entries for new servers, from a form or from what other programs' documentation has to paste. Pure. */
import type { Json, JsonObject } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"

interface NewServer {
  readonly name: string
  readonly entry: JsonObject
}

export type Row = readonly [key: string, value: string]

export interface CommandFields {
  readonly command: string
  /** One a line. */
  readonly args: string
  readonly env: ReadonlyArray<Row>
}

export interface UrlFields {
  readonly url: string
  /** Empty: found out when it connects. */
  readonly type: "" | "http" | "sse"
  readonly headers: ReadonlyArray<Row>
}

const rows = (given: ReadonlyArray<Row>): JsonObject | null => {
  const kept = given.filter(([key]) => key.trim() !== "").map(([key, value]) => [key.trim(), value] as const)
  return kept.length === 0 ? null : Object.fromEntries(kept)
}

const given = (entry: Readonly<Record<string, Json | null>>): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))

export const ofCommand = ({ args, command, env }: CommandFields): JsonObject => {
  const lines = args.split("\n").map((line) => line.replace(/\r$/, "")).filter((line) => line.trim() !== "")
  return given({ command: command.trim(), args: lines.length === 0 ? null : lines, env: rows(env) })
}

export const ofUrl = ({ headers, type, url }: UrlFields): JsonObject =>
  given({ type: type === "" ? null : type, url: url.trim(), headers: rows(headers) })

/** A name that can be taken over from what is configured, when nobody gave one. */
export const suggestedName = ({ command, url }: { readonly command?: string; readonly url?: string }): string => {
  const last = url === undefined
    ? (command ?? "").split(/[/\\]/).at(-1) ?? ""
    : /^https?:\/\/(?:mcp\.|www\.|api\.)?([^./:]+)/.exec(url)?.[1] ?? ""
  return last.replace(/^(?:mcp-server-|server-|mcp-)|(?:-mcp|-server|\.\w+)$/g, "").replaceAll(/[^\w-]+/g, "-")
}

export type Snippet =
  | { readonly servers: ReadonlyArray<NewServer>; readonly wrong: null }
  | { readonly servers: null; readonly wrong: string }

const isEntry = (value: JsonObject): boolean => ["command", "url", "httpUrl", "serverUrl"].some((key) => key in value)

/**
 * The servers of a pasted text: `{ "mcpServers": { … } }`, the same under `servers` or bare, one member `"name": { … }`,
 * or one entry alone, which takes the name that was typed.
 */
export const parse = (text: string, name: string): Snippet => {
  const document = read(text)
  if (document instanceof Error) return wrong(texts.notJson(document.message))
  if (!isObject(document)) return wrong(texts.noServersInside)
  if (isEntry(document)) {
    return name.trim() === ""
      ? wrong(texts.nameOneEntry)
      : { servers: [{ name: name.trim(), entry: document }], wrong: null }
  }
  const inside = [document["mcpServers"], document["servers"]].find(isObject) ?? document
  const entries = Object.entries(inside)
  const [odd] = entries.filter(([, entry]) => !isObject(entry) || !isEntry(entry))
  if (odd !== undefined) return wrong(texts.noCommandNorUrl(odd[0]))
  if (entries.length === 0) return wrong(texts.noServerInside)
  const servers = entries.flatMap(([key, entry]) => isObject(entry) ? [{ name: key, entry }] : [])
  const [first] = servers
  const isRenamed = servers.length === 1 && first !== undefined && name.trim() !== ""
  return { servers: isRenamed ? [{ name: name.trim(), entry: first.entry }] : servers, wrong: null }
}

const wrong = (words: string): Snippet => ({ servers: null, wrong: words })

/** Many pages show a member without the braces around it. */
const read = (text: string): unknown => {
  const trimmed = text.trim().replace(/,$/, "")
  try {
    return JSON.parse(trimmed.startsWith("\"") ? `{${trimmed}}` : trimmed)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
