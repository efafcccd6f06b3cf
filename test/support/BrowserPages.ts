/**
 * Pages of one browser, which tests take in turn. In a page that was used before, the same page of a server costs half: its
 * code is compiled already. What cannot be taken back from a page, such as an init script, is for a page that its test closes.
 */
import * as Effect from "effect/Effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"

/** Those that no test has, each in a context of its own, by the options of that. */
const idle = new Map<string, Array<Page>>()

/** An empty page of a context that holds nothing, until the scope closes. A context that lets service workers in serves once. */
export const opened = (browser: Browser, options: BrowserContextOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => take(browser, options)),
    (page) => Effect.promise(() => giveBack(page, options))
  )

const take = async (browser: Browser, options: BrowserContextOptions): Promise<Page> => {
  const used = idle.get(JSON.stringify(options))?.pop()
  return used?.context().browser()?.isConnected() === true
    ? used
    : browser.newContext(options).then((context) => context.newPage())
}

const giveBack = async (page: Page, options: BrowserContextOptions) => {
  const context = page.context()
  const isOver = page.isClosed() || options.serviceWorkers === "allow"
  if (isOver || !await emptied(page, options).then(() => true, () => false)) return context.close()
  const key = JSON.stringify(options)
  idle.set(key, [...idle.get(key) ?? [], page])
}

const emptied = async (page: Page, { colorScheme, reducedMotion, viewport }: BrowserContextOptions) => {
  const context = page.context()
  page.removeAllListeners()
  await Promise.all(context.pages().filter((other) => other !== page).map((other) => other.close()))
  await Promise.all([page.unrouteAll({ behavior: "ignoreErrors" }), context.unrouteAll({ behavior: "ignoreErrors" })])
  const { origin } = new URL(page.url())
  await page.evaluate("sessionStorage.clear()")
  await page.goto("about:blank")
  const session = await context.newCDPSession(page)
  // What a page writes when it is left is gone, too.
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" })
  await session.send("Page.resetNavigationHistory")
  await session.detach()
  await Promise.all([context.clearCookies(), context.clearPermissions()])
  await page.emulateMedia({
    media: null,
    colorScheme: colorScheme ?? "light",
    reducedMotion: reducedMotion ?? "no-preference"
  })
  if (viewport) await page.setViewportSize(viewport)
  await page.mouse.move(-1, -1)
}
