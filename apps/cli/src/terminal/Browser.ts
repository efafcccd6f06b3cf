/** The person's browser. */
import type { Loopback, NotListening } from "@boocode/chat-server/Loopback"
import { isSecure } from "@boocode/mcp-client/Text"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export class Browser extends Context.Service<Browser, {
  /** Opens an address in it. False where there is none, or it cannot be started; says nothing of what it shows. */
  readonly open: (url: URL) => Effect.Effect<boolean>
  /** Waits for it to come back to an address of this machine, until the scope closes. */
  readonly listen: (address: string) => Effect.Effect<Loopback, NotListening, Scope.Scope>
}>()("cli/Browser") {}

/** An address that may be opened: nothing that a server could have a program other than the browser do (R79). */
export const openable = (text: string): URL | null => isSecure(text) ? URL.parse(text) : null
