/** The host's end of the conversation with an app: JSON-RPC in messages between windows (MCP Apps, 2026-01-26). */
import { Problem } from "../../api/Client.ts"

type Members = Readonly<Record<string, unknown>>

/** The answers to an app. One that fails is answered with an error in its words. */
export interface AppAnswers {
  readonly initialize: () => unknown
  readonly request: (method: string, params: Members) => Promise<unknown> | null
  readonly told: (method: string, params: Members) => void
}

interface BridgeOptions {
  readonly frame: HTMLIFrameElement
  /** The origin of the page in the frame; null for a document in a sandbox, which has none. */
  readonly origin: string | null
  readonly answers: AppAnswers
}

const VERSION = "2026-01-26"
/** So many requests of an app may wait. */
const MOST = 50
/** How long an app may take to leave. */
const PATIENCE = 500

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export class AppBridge {
  /** The page around the document answered, so that its origin can be reached. */
  isReached = false
  readonly #options: BridgeOptions
  #isInitialized = false
  #waiting: Array<readonly [string, unknown]> = []
  #open = 0
  #left: (() => void) | null = null

  constructor(options: BridgeOptions) {
    this.#options = options
    addEventListener("message", this.#heard)
  }

  /** Tells the app. It waits until the app is ready; of the inputs that are not whole, the last one does. */
  tell(method: string, params: unknown) {
    if (this.#isInitialized) return this.#send({ method, params })
    if (method === PARTIAL) this.#waiting = this.#waiting.filter(([one]) => one !== PARTIAL)
    this.#waiting.push([method, params])
    return undefined
  }

  /** Has the app put away what it has, and waits for a moment. Its frame has to stand until then. */
  leave(): Promise<void> {
    if (!this.#isInitialized) return Promise.resolve()
    return new Promise((resolve) => {
      this.#left = resolve
      setTimeout(resolve, PATIENCE)
      this.#send({ id: LEAVING, method: "ui/resource-teardown", params: {} })
    })
  }

  close() {
    removeEventListener("message", this.#heard)
  }

  #send(message: Members) {
    this.#options.frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, this.#options.origin ?? "*")
  }

  /** Any window can send a message here. Those of this frame count, and of its origin. */
  #heard = ({ data, origin, source }: MessageEvent) => {
    const { frame, origin: expected } = this.#options
    if (source === null || source !== frame.contentWindow || origin !== (expected ?? "null")) return
    if (!isMembers(data) || data["jsonrpc"] !== "2.0") return
    this.isReached = true
    const { id, method } = data
    if (typeof method !== "string") {
      if (id === LEAVING) this.#left?.()
      return
    }
    const params = isMembers(data["params"]) ? data["params"] : {}
    if (typeof id === "string" || typeof id === "number") void this.#answer(id, method, params)
    else this.#told(method, params)
  }

  #told(method: string, params: Members) {
    if (method !== "ui/notifications/initialized") return this.#options.answers.told(method, params)
    if (this.#isInitialized) return undefined
    this.#isInitialized = true
    for (const [waiting, about] of this.#waiting.splice(0)) this.tell(waiting, about)
    return undefined
  }

  async #answer(id: string | number, method: string, params: Members) {
    const fail = (code: number, message: string) => this.#send({ id, error: { code, message } })
    if (method === "ping") return this.#send({ id, result: {} })
    if (method === "ui/initialize") {
      return this.#send({ id, result: { protocolVersion: VERSION, ...Object(this.#options.answers.initialize()) } })
    }
    if (this.#open >= MOST) return fail(-32000, "too many requests wait")
    const answer = this.#options.answers.request(method, params)
    if (answer === null) return fail(-32601, `${method} is not offered here`)
    this.#open += 1
    try {
      this.#send({ id, result: await answer })
    } catch (error) {
      // A refusal is words for the app; what went wrong here is not.
      fail(-32000, error instanceof Problem ? error.message : "it was not done")
    } finally {
      this.#open -= 1
    }
    return undefined
  }
}

/** The input of a call as far as its model wrote it. */
export const PARTIAL = "ui/notifications/tool-input-partial"

const LEAVING = "leaving"
