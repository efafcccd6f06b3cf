/** Asks the server this page came from. A refusal becomes a `Problem`, with the words to show. */
import { signal } from "@preact/signals"
import { ui } from "../messages/UiMessages.ts"
import { asTyped } from "../ui/code/ShownCommand.ts"
import type { FailedExample } from "./Types.ts"

interface FieldTrouble {
  readonly field: string
  readonly message: string
}

/** The server's words when it cannot do as it was asked, or that it cannot be reached. */
export class Problem extends Error {
  readonly hint: string | null
  /** 0 when there was no answer. */
  readonly status: number
  readonly tag: string | null
  /** A word that says why it is a conflict, or how a server stands. */
  readonly state: string | null
  readonly fields: ReadonlyArray<FieldTrouble>
  /** Which key of what was sent is wrong, such as `args[1]`. */
  readonly key: string | null
  /** Where it is wrong in the text that was sent, from 1 on. */
  readonly line: number | null
  readonly column: number | null
  /** The command line that does it on the machine itself. */
  readonly command: string | null
  /** Its place among the attachments that were sent; null when it is about none. */
  readonly attachment: number | null
  /** The examples of permissions that came out in another way. */
  readonly failed: ReadonlyArray<FailedExample>
  /** Known names that may be meant; null when no name is wrong. */
  readonly nearest: ReadonlyArray<string> | null
  constructor(
    status: number,
    body: {
      detail?: string
      hint?: string
      _tag?: string
      state?: string | null
      fields?: ReadonlyArray<FieldTrouble>
      key?: string
      line?: number
      column?: number
      command?: string
    },
    about: Pick<Partial<Problem>, "attachment" | "failed" | "nearest"> = {}
  ) {
    super(body.detail ?? ui.answered(status))
    this.status = status
    this.fields = body.fields ?? []
    this.hint = body.hint ?? null
    this.tag = body._tag ?? null
    this.state = body.state ?? null
    this.key = body.key ?? null
    this.line = body.line ?? null
    this.column = body.column ?? null
    this.command = body.command ?? null
    this.attachment = about.attachment ?? null
    this.nearest = about.nearest ?? null
    this.failed = about.failed ?? []
  }
}

/** True once the server asked who this is: the page shows the login form then. */
export const needsLogin = signal(false)

const problemOf = async (response: Response): Promise<Problem> => {
  const body: unknown = await response.json().catch(() => null)
  const field = (key: string) => {
    const value: unknown = body !== null && typeof body === "object" ? Reflect.get(body, key) : undefined
    return typeof value === "string" || typeof value === "number" ? { [key]: value } : {}
  }
  return new Problem(response.status, {
    ...field("detail"),
    ...field("hint"),
    ...field("_tag"),
    ...field("state"),
    ...field("key"),
    ...field("line"),
    ...field("column"),
    ...field("command"),
    fields: fieldsOf(body)
  }, aboutOf(body))
}

const memberOf = (body: unknown, key: string): unknown =>
  body !== null && typeof body === "object" ? Reflect.get(body, key) : undefined

const fieldsOf = (body: unknown): ReadonlyArray<FieldTrouble> => {
  const found = memberOf(body, "problems")
  return Array.isArray(found) ? found : []
}

const aboutOf = (body: unknown) => {
  const attachment = memberOf(body, "attachment")
  const nearest = memberOf(body, "nearest")
  const failed = memberOf(body, "failed")
  return {
    failed: Array.isArray(failed) ? failed : [],
    attachment: typeof attachment === "number" ? attachment : null,
    nearest: Array.isArray(nearest) ? nearest.filter((name) => typeof name === "string") : null
  }
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** While the server starts it answers 503 for a moment: so often is it asked again, with this pause. */
const TRIES = 20
const PAUSE = 500

/** The answer, when it is one of success. */
export const ask = async (method: string, path: string, init: RequestInit = {}, tries = TRIES): Promise<Response> => {
  const response = await fetch(`/api/${path}`, { method, ...init }).catch((error) => {
    if (init.signal?.aborted === true) throw error
    throw new Problem(0, { detail: ui.noAnswer, hint: ui.isItRunning })
  })
  if (response.ok) return response
  if (response.status === 503 && tries > 0 && init.signal?.aborted !== true) {
    await pause(PAUSE)
    return ask(method, path, init, tries - 1)
  }
  if (response.status === 401 && path !== "login") needsLogin.value = true
  throw await problemOf(response)
}

const withBody = (body: unknown): RequestInit =>
  body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }

const document = async (response: Response) => response.status === 204 ? null : response.json()

/** The JSON of an answer as the type that the contract gives it; null when there is no body. */
export const get = async <A>(path: string, signal?: AbortSignal): Promise<A> =>
  document(await ask("GET", path, signal === undefined ? {} : { signal }))
export const post = async <A>(path: string, body?: unknown): Promise<A> =>
  document(await ask("POST", path, withBody(body)))
export const put = async <A>(path: string, body: unknown): Promise<A> =>
  document(await ask("PUT", path, withBody(body)))
export const patch = async <A>(path: string, body: unknown): Promise<A> =>
  document(await ask("PATCH", path, withBody(body)))
export const remove = async (path: string): Promise<void> => {
  await ask("DELETE", path)
}

/** `path("chats", id, "stop")`: the segments, each safe in an address. */
export const path = (...segments: ReadonlyArray<string | number>): string =>
  segments.map((segment) => encodeURIComponent(segment)).join("/")

/** `path` with a query; keys that are null or empty are left out. */
export const query = (base: string, keys: Readonly<Record<string, string | number | null | undefined>>): string => {
  const given = Object.entries(keys).filter(([, value]) => value !== null && value !== undefined && value !== "")
  if (given.length === 0) return base
  return `${base}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`
}

/** Why something was not done, in words for a person. */
export interface Refusal {
  readonly message: string
  readonly hint: string | null
}

/** Beside a field, where there is one line for it. */
export const inOneLine = ({ hint, message }: Refusal): string =>
  hint === null ? message : asTyped(`${message}: ${hint}`)

export const words = (error: unknown): Refusal =>
  error instanceof Problem
    ? { message: error.message, hint: error.hint }
    : { message: error instanceof Error ? error.message : String(error), hint: null }
