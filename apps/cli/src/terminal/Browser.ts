/** The person's browser, started with the address as one argument and never by way of a shell. */
import type { Loopback, NotListening } from "@boocode/chat-server/Loopback"
import { isSecure } from "@boocode/mcp-client/Text"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

export class Browser extends Context.Service<Browser, {
  /** Opens an address. False where there is no browser, or it cannot be started. */
  readonly open: (url: URL) => Effect.Effect<boolean>
  /** Listens at an address of this machine for the browser to come back, until the scope closes. */
  readonly listen: (address: string) => Effect.Effect<Loopback, NotListening, Scope.Scope>
}>()("cli/Browser") {}

/** An address that only a browser opens: https, or http on this machine; else null (R79). */
export const openable = (text: string): URL | null => isSecure(text) ? URL.parse(text) : null

type Variables = Readonly<Record<string, string | undefined>>

export const layer = (platform: NodeJS.Platform, variables: Variables) =>
  Layer.succeed(Browser, {
    open: (url) => opened(platform, variables, url),
    listen: (address) => Effect.flatMap(loadLoopback, ({ listen }) => listen(address))
  })

const loadLoopback = Effect.promise(() => import("@boocode/chat-server/Loopback"))
const loadProcesses = Effect.promise(() => import("node:child_process"))

const opened = Effect.fnUntraced(function*(platform: NodeJS.Platform, variables: Variables, { href }: URL) {
  const [command, ...args] = opener(platform, href)
  if (command === "xdg-open" && !SCREENS.some((name) => (variables[name] ?? "") !== "")) return false
  const { spawn } = yield* loadProcesses
  return yield* Effect.callback<boolean>((resume) => {
    // The browser outlives this command, and writes nothing to its terminal.
    const child = spawn(command, args, { stdio: "ignore", detached: true, shell: false })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })
})

/** Without one of these variables there is no screen. */
const SCREENS = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER"]

/** `start` of Windows belongs to its shell, which would read the address. */
export const opener = (platform: NodeJS.Platform, href: string): readonly [string, ...ReadonlyArray<string>] => {
  if (platform === "darwin") return ["open", href]
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler", href] : ["xdg-open", href]
}
