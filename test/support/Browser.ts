/** A Chromium that comes from npm alone: on Linux the one of `@sparticuz/chromium`, elsewhere an installed Chrome. */
import bundled, { inflate } from "@sparticuz/chromium"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type LaunchOptions } from "playwright-core"

// The bundle's own arguments switch the browser's web security off and share one process, which would prove less.
const ARGUMENTS = [
  "--headless=shell",
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-first-run",
  "--no-pings"
]

/** Opens the browser; it is closed with the scope. */
export const browser = Effect.acquireRelease(
  Effect.tryPromise(() => process.platform === "linux" ? launchBundled() : launch({ channel: "chrome" })),
  (opened) => Effect.promise(() => opened.close())
)

const launch = (options: LaunchOptions): Promise<Browser> =>
  chromium.launch({ args: ARGUMENTS, headless: true, timeout: 30_000, ...options })

const launchBundled = async (): Promise<Browser> => {
  const executablePath = await bundled.executablePath()
  return launch({ executablePath }).catch(() => launchAfresh(executablePath))
}

/** On a machine without the libraries a browser needs, or after an unpacking that was cut short. */
const launchAfresh = async (executablePath: string): Promise<Browser> => {
  const packed = fileURLToPath(new URL("../bin/al2023.tar.br", import.meta.resolve("@sparticuz/chromium")))
  await rm(executablePath, { force: true })
  await bundled.executablePath()
  await inflate(packed)
  const libraries = join(tmpdir(), "al2023", "lib")
  const fonts = existsSync("/etc/fonts") ? {} : { FONTCONFIG_PATH: join(tmpdir(), "fonts") }
  return launch({ executablePath, env: { ...process.env, ...fonts, LD_LIBRARY_PATH: libraries } })
}
