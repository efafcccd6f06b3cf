/** Pages as the pictures show them: fonts from npm, a clock that stands still, no motion, and nothing of the machine. */
import * as Effect from "effect/Effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import * as Deadline from "../support/Deadline.ts"
import { on } from "../support/PageStage.ts"
import * as Fonts from "./Fonts.ts"
import * as FrozenClock from "./FrozenClock.ts"

export const THEMES = ["light", "dark"] as const
export type Theme = typeof THEMES[number]

/** A desk, a small window, and a phone. */
export const SIZES = [[1440, 900], [1024, 768], [390, 844]] as const
export type Size = typeof SIZES[number]

export interface Scene {
  readonly browser: Browser
  readonly url: string
  readonly dataDir: string
  /** What a person who is signed in sends. */
  readonly cookie?: { readonly name: string; readonly value: string }
}

/** A page of a context of its own at this address. */
export const open = Effect.fnUntraced(
  function*({ browser, cookie, url }: Scene, path: string, options: BrowserContextOptions = {}) {
    const context = yield* Effect.acquireRelease(
      on(() =>
        browser.newContext({
          bypassCSP: true,
          locale: "en-GB",
          timezoneId: "UTC",
          reducedMotion: "reduce",
          viewport: { width: 1440, height: 900 },
          ...options
        })
      ),
      (context) => on(() => context.close())
    )
    yield* on(() => Fonts.install(context))
    if (cookie !== undefined) yield* on(() => context.addCookies([{ ...cookie, url }]))
    const page = yield* on(() => context.newPage())
    yield* on(() => page.clock.setFixedTime(FrozenClock.NOW))
    page.setDefaultTimeout(Deadline.WAIT_MILLIS)
    yield* on(() => page.goto(url + path))
    return page
  }
)

/** What differs from machine to machine, and what the pictures show in its place. */
const STEADY = (dataDir: string) => [
  [dataDir, "/home/ann/boocode"],
  [process.execPath, "/usr/bin/node"],
  [process.cwd(), "/home/ann/code"]
]

const steady = (dataDir: string) =>
  `(() => {
    const pairs = ${JSON.stringify(STEADY(dataDir))}
    const of = (text) => pairs.reduce((all, [from, to]) => all.replaceAll(from, to), text)
      .replace(/127\\.0\\.0\\.1:\\d+/g, "127.0.0.1:4266")
      .replace(/\\d[\\d.,]* ?(?:ms|s|毫秒|秒|ミリ秒)(?![\\p{L}\\d])/gu, "140 ms")
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const isProcess = /^\\d{3,}$/.test(node.data) && node.parentElement.matches(".server-about > div:last-child dd")
      const text = isProcess ? "4711" : of(node.data)
      if (text !== node.data) node.data = text
    }
    for (const field of document.querySelectorAll("input, textarea")) {
      const text = of(field.value)
      if (text !== field.value) field.value = text
    }
  })()`

const RESTED =
  "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))))"

/** The page at this size in this theme. */
export const look = async (page: Page, [width, height]: readonly [number, number], colorScheme: Theme) => {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
  await page.setViewportSize({ width, height })
  await page.evaluate(RESTED)
}

/** A PNG of the page as it stands. */
export const take = async (page: Page, dataDir: string) => {
  await page.evaluate(steady(dataDir))
  await page.evaluate(RESTED)
  return page.screenshot({ animations: "disabled", caret: "hide", scale: "css" })
}
