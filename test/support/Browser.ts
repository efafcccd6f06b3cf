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

/**
 * The browser of this process: to start one takes a second of a processor, and a person's own data is that of a context,
 * which each test has for itself. Playwright ends it with the process.
 */
export const browser = Effect.promise(async () => {
  const opened = await shared.opened
  if (opened?.isConnected() === true) return opened
  shared.opened = process.platform === "linux" ? launchBundled() : launch({ channel: "chrome" })
  return shared.opened
})

const shared: { opened: Promise<Browser> | null } = { opened: null }

/** How the server of Playwright is told to open the same browser, once that was opened here. */
export const forPlaywright = Effect.promise(async () =>
  process.platform === "linux"
    ? { args: ["--executable-path", await bundled.executablePath()], env: libraries() }
    : { args: ["--browser", "chrome"], env: {} }
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
  return launch({ executablePath, env: { ...process.env, ...libraries() } })
}

/** What the bundle unpacks for a machine without them. */
const libraries = (): Readonly<Record<string, string>> => ({
  ...existsSync("/etc/fonts") ? {} : { FONTCONFIG_PATH: join(tmpdir(), "fonts") },
  LD_LIBRARY_PATH: join(tmpdir(), "al2023", "lib")
})
