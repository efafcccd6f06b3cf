/** The news that a server tells on its own, and when it was last heard. */
import type { Connection, LogMessage, Traffic } from "@boocode/mcp-client/Connection"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HeldEvent } from "../protocol/ServerEntity.ts"

export class RemoteNews {
  private readonly clock: Clock.Clock
  private readonly tools: Array<() => void> = []
  private readonly lists: Array<(what: "prompts" | "resources") => void> = []
  private readonly resources: Array<(uri: string) => void> = []
  private readonly logs: Array<(message: LogMessage) => void> = []
  private isUntold = false
  private heardAt: number
  private waiting = 0

  constructor(clock: Clock.Clock) {
    this.clock = clock
    this.heardAt = clock.currentTimeMillisUnsafe()
  }

  /** Something came of it. */
  heard(): void {
    this.heardAt = this.clock.currentTimeMillisUnsafe()
  }
  traffic(): Traffic {
    return { heardAt: this.heardAt, waiting: this.waiting }
  }
  /** Counts a request for as long as it waits for its answer. */
  during<A, E>(request: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.waiting += 1
      return Effect.onExitPrimitive(request, () => {
        this.waiting -= 1
        this.heard()
        return undefined
      })
    })
  }
  tell(event: HeldEvent): void {
    switch (event._tag) {
      case "ToolsChanged":
        this.isUntold = this.tools.length === 0
        return this.tools.forEach((listener) => listener())
      case "ListChanged":
        return this.lists.forEach((listener) => listener(event.what))
      case "ResourceUpdated":
        return this.resources.forEach((listener) => listener(event.uri))
      case "LogMessage":
        return this.logs.forEach((listener) => listener(event))
      default:
    }
  }
  readonly onToolsChanged: Connection["onToolsChanged"] = (listener) => {
    this.tools.push(listener)
    if (this.isUntold) listener()
    this.isUntold = false
  }
  readonly onListChanged: Connection["onListChanged"] = (listener) => void this.lists.push(listener)
  readonly onResourceUpdated: Connection["onResourceUpdated"] = (listener) => void this.resources.push(listener)
  readonly onLog: Connection["onLog"] = (listener) => void this.logs.push(listener)
}
