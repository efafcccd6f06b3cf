/**
 * The conversation of a client with one server after the other: sessions before revision 2026-07-28, and requests that
 * stand for themselves since. A server that ends and comes back is no news to the client but for its lists.
 */
import type { HttpRequest, HttpSend } from "@boocode/mcp-client"
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { type ClientMessage, isAnswer, oneLine, refusal } from "./ClientMessage.ts"
import { type Answer, type CutOff, exchange, type Unsent } from "./HttpExchange.ts"
import type { NotServed } from "./NotServed.ts"
import type { ServerLink, Target } from "./ServerLink.ts"

export interface Options {
  readonly link: ServerLink
  readonly send: HttpSend
  /** Writes a message to the client. */
  readonly write: (line: string) => void
}

export interface BridgeSession {
  /** Passes a message on, and what answers it back. A request is answered whatever happens, unless it is interrupted. */
  readonly pass: (message: ClientMessage) => Effect.Effect<void>
  /** Hears what the server says by itself, as long as it runs. Begins with the session, and has no end. */
  readonly listen: Effect.Effect<void>
  /** Tells the server that the client has gone. */
  readonly close: Effect.Effect<void>
}

/** A session as it stands at one server. */
interface Session {
  readonly target: Target
  readonly id: string | null
}

interface Exchanged {
  readonly at: Session
  readonly answer: Answer
}

/** How often a message is sent, when the server ends under it or has forgotten the session. */
const MOST_TRIES = 4
/** A server that starts says so. */
const STARTING = { status: 503, pause: "200 millis", most: 300 } as const

export const make = ({ link, send, write }: Options): BridgeSession => {
  const turn = Semaphore.makeUnsafe(1)
  let opening: ClientMessage | null = null
  let version: string | null = null
  let session: Session | null = null
  /** The client's requests that a new session must hear again: the log level, and what it watches. */
  const kept = new Map<string, ClientMessage>()

  const headersOf = (at: Session, message: ClientMessage | null) => ({
    "content-type": "application/json",
    accept: message === null ? "text/event-stream" : "application/json, text/event-stream",
    ...at.target.headers,
    ...(message?.modern ?? {
      ...(at.id === null ? {} : { "mcp-session-id": at.id }),
      ...(version === null || message === opening ? {} : { "mcp-protocol-version": version })
    })
  })
  const request = (at: Session, message: ClientMessage): HttpRequest => ({
    method: "POST",
    url: at.target.url,
    headers: headersOf(at, message),
    body: message.line
  })

  /** Begins a session with what the client said when it began its own. */
  const begin = Effect.fnUntraced(function*(target: Target, message: ClientMessage, onMessage: (text: string) => void) {
    const answer = yield* exchange(send, request({ target, id: null }, message), (text) => {
      version = revisionIn(text) ?? version
      onMessage(text)
    })
    if (answer.status < 300) session = { target, id: answer.session }
    return answer
  })
  /** A session at this server, in which it knows all that the one before did. The client hears that its lists may have changed. */
  const again = Effect.fnUntraced(function*(target: Target, message: ClientMessage, stale: Session | null) {
    if (session !== null && session.target === target && session !== stale) return session
    let lists: ReadonlyArray<string> = []
    const answer = yield* begin(target, message, (text) => {
      lists = listsIn(text)
    })
    const at: Session = { target, id: answer.session }
    for (const line of [INITIALIZED, ...kept.values()]) yield* exchange(send, request(at, line), () => {})
    for (const list of lists) write(JSON.stringify({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` }))
    return at
  })
  const sessionAt = (target: Target, message: ClientMessage, stale: Session | null) =>
    message.modern !== null || opening === null || message === opening ||
      (session?.target === target && session !== stale)
      ? Effect.succeed(message.modern === null && session?.target === target ? session : { target, id: null })
      : turn.withPermit(again(target, opening, stale))

  const once = Effect.fnUntraced(function*(
    target: Target,
    message: ClientMessage,
    stale: Session | null,
    tell: (text: string) => void
  ) {
    if (message.method === "initialize") {
      opening = message
      return { at: { target, id: null }, answer: yield* begin(target, message, tell) }
    }
    const at: Session = yield* sessionAt(target, message, stale)
    return { at, answer: yield* exchange(send, request(at, message), tell) }
  })

  const pass = Effect.fnUntraced(function*(message: ClientMessage): Effect.fn.Return<void, NotServed> {
    let isDone = false
    let tries = 0
    let waits = 0
    let stale: Session | null = null
    const tell = (text: string) => {
      const isOver = message.id !== null && isAnswer(text)
      if (message.method === "subscriptions/listen" && (isOver || tries > 1)) {
        return retold(text, tries > 1).forEach(write)
      }
      isDone ||= isOver
      write(oneLine(text))
    }
    const refuse = (words: string) => {
      if (message.id !== null && !isDone) write(refusal(message.id, -32_000, words))
    }
    for (;;) {
      tries++
      const target = yield* link.current
      const sent: Result.Result<Exchanged, Unsent | CutOff> = yield* Effect.result(once(target, message, stale, tell))
      if (isDone) return keep(message)
      if (Result.isFailure(sent)) {
        yield* link.lost(target)
        if (message.id === null || tries >= MOST_TRIES) return refuse(sent.failure.why)
        if (sent.failure._tag === "CutOff" && !REPEATABLE.test(message.method ?? "")) return refuse(UNKNOWN_OUTCOME)
        continue
      }
      const { answer, at }: Exchanged = sent.success
      if (answer.status === STARTING.status && waits++ < STARTING.most) {
        tries--
        yield* Effect.sleep(STARTING.pause)
      } else if (answer.status === 404 && message.modern === null && at.id !== null && tries < MOST_TRIES) {
        stale = at
      } else if (answer.status === 401 && tries < MOST_TRIES) {
        yield* link.lost(target)
      } else if (answer.status < 300 && message.method === "subscriptions/listen") {
        yield* Effect.sleep("1 second")
      } else return answer.status < 300 ? refuse(UNKNOWN_OUTCOME) : told(answer, message, write)
    }
  })

  const keep = (message: ClientMessage) => {
    const key = keyOf(message)
    if (key === null) return
    if (message.method === "resources/unsubscribe") kept.delete(key)
    else kept.set(key, message)
  }

  /** One stream after the other, at one server after the other; false where a server has none. */
  const heard = Effect.fnUntraced(function*(): Effect.fn.Return<boolean, Unsent | CutOff> {
    const target = link.running()
    if (target === null || opening === null) return true
    const at = yield* sessionAt(target, INITIALIZED, null)
    if (at.id === null) return false
    const listening = { method: "GET", url: target.url, headers: headersOf(at, null), body: null } as const
    const { status } = yield* exchange(send, listening, (text) => write(oneLine(text)))
    if (status === 404) yield* turn.withPermit(again(target, opening, at))
    return status !== 405
  })

  return {
    pass: (message) =>
      Effect.catch(pass(message), ({ hint, message: words }) =>
        Effect.sync(() => {
          if (message.id !== null) write(refusal(message.id, -32_000, `${words}; ${hint}`))
        })),
    listen: Effect.repeat(
      Effect.andThen(
        Effect.orElseSucceed(heard(), () => true),
        (goesOn) => Effect.as(Effect.sleep("500 millis"), goesOn)
      ),
      { while: (goesOn) => goesOn }
    ).pipe(Effect.asVoid),
    close: Effect.suspend(() => {
      if (session === null || session.id === null) return Effect.void
      const { target } = session
      const leave = { method: "DELETE", url: target.url, headers: headersOf(session, null), body: null } as const
      return exchange(send, leave, () => {}).pipe(Effect.timeout("1 second"), Effect.ignore)
    })
  }
}

const UNKNOWN_OUTCOME = "the BooCode server ended before it answered, so nobody knows what became of this request"

/** The requests that can be repeated. */
const REPEATABLE =
  /^(initialize|ping|server\/discover|subscriptions\/listen|completion\/complete|logging\/setLevel|resources\/(un)?subscribe|(tools|prompts|resources|resources\/templates)\/list|resources\/read|prompts\/get)$/

const INITIALIZED: ClientMessage = {
  line: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  method: "notifications/initialized",
  id: null,
  modern: null,
  cancels: null
}

/** Under which key a message is kept for the next session; null for one that is not. */
const keyOf = ({ line, method, modern }: ClientMessage): string | null => {
  if (modern !== null) return null
  if (method === "logging/setLevel") return "level"
  if (method !== "resources/subscribe" && method !== "resources/unsubscribe") return null
  const uri = paramsOf(JsonRpc.decode(line))["uri"]
  return typeof uri === "string" ? `watch ${uri}` : null
}

const paramsOf = (message: unknown) =>
  JsonRpc.isObject(message) && JsonRpc.isObject(message["params"]) ? message["params"] : {}

const resultIn = (text: string) => {
  const message = JsonRpc.decode(text)
  return JsonRpc.isObject(message) && JsonRpc.isObject(message["result"]) ? message["result"] : {}
}

const revisionIn = (text: string): string | null => {
  const { protocolVersion } = resultIn(text)
  return typeof protocolVersion === "string" ? protocolVersion : null
}

/** The lists whose changes a server tells. */
const listsIn = (text: string): ReadonlyArray<string> => {
  const { capabilities } = resultIn(text)
  return ["tools", "prompts", "resources"].filter((list) => {
    const kind = JsonRpc.isObject(capabilities) ? capabilities[list] : undefined
    return JsonRpc.isObject(kind) && kind["listChanged"] === true
  })
}

const LISTS = { toolsListChanged: "tools", promptsListChanged: "prompts", resourcesListChanged: "resources" } as const

/**
 * The news for a client of a subscription that is made again: in place of a second acknowledgement that the lists may
 * have changed. Its end at one server is not the end of the subscription.
 */
const retold = (text: string, isAgain: boolean): ReadonlyArray<string> => {
  const message = JsonRpc.decode(text)
  if (!JsonRpc.isObject(message)) return []
  if (JsonRpc.isAnswer(message)) return "error" in message ? [oneLine(text)] : []
  const { method } = message
  if (!isAgain || method !== "notifications/subscriptions/acknowledged") return [oneLine(text)]
  const { _meta = {}, notifications } = paramsOf(message)
  return Object.entries(LISTS).flatMap(([key, list]) =>
    JsonRpc.isObject(notifications) && notifications[key] === true
      ? [JSON.stringify({ jsonrpc: "2.0", method: `notifications/${list}/list_changed`, params: { _meta } })]
      : []
  )
}

/** The words of a server that refused a request, as the answer to it. */
const told = ({ status, text }: Answer, { id }: ClientMessage, write: (line: string) => void) => {
  if (id === null) return
  const body = JsonRpc.decode(text)
  const document = JsonRpc.isObject(body) ? body : {}
  if (JsonRpc.isObject(document["error"])) return write(JSON.stringify({ ...document, id }))
  const words = [document["detail"], document["hint"]].filter((part) => typeof part === "string").join("; ")
  write(refusal(id, -32_000, words === "" ? `the BooCode server answered with HTTP ${status}` : words))
}
