/** The browser of the system, started with its address as one argument and never by way of a shell. What that takes is loaded then. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Browser } from "./Browser.ts"

type Variables = Readonly<Record<string, string | undefined>>

export const layer = (platform: NodeJS.Platform, variables: Variables) =>
  Layer.succeed(Browser, {
    open: (url) => opened(platform, variables, url),
    listen: (address) => Effect.flatMap(loadLoopback, ({ listen }) => listen(address))
  })

const loadLoopback = Effect.promise(() => import("@boocode/chat-server/Loopback"))
const loadProcesses = Effect.promise(() => import("node:child_process"))

const opened = Effect.fnUntraced(function*(platform: NodeJS.Platform, variables: Variables, { href }: URL) {
  const [command, ...args] = opener(platform)
  if (command === "xdg-open" && !SCREENS.some((name) => (variables[name] ?? "") !== "")) return false
  const { spawn } = yield* loadProcesses
  return yield* Effect.callback<boolean>((resume) => {
    // It outlives this command, and has nothing to say to its terminal.
    const child = spawn(command, [...args, href], { stdio: "ignore", detached: true, shell: false })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })
})

/** Without one of these there is no screen that a browser could show itself on. */
const SCREENS = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER"]

/** `start` of Windows belongs to its shell, which would read the address. */
const opener = (platform: NodeJS.Platform): readonly [string, ...ReadonlyArray<string>] => {
  if (platform === "darwin") return ["open"]
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"]
}
