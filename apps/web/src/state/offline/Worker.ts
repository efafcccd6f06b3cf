/** The worker that keeps the page itself in this browser, so that it opens without a server and can be installed. */

/** The files that this page has loaded: it needs them again. */
const loaded = (): ReadonlyArray<string> =>
  performance.getEntriesByType("resource").flatMap(({ name }) => {
    const { origin, pathname } = new URL(name)
    return origin === location.origin && pathname.startsWith("/assets/") ? [pathname] : []
  })

/** Browsers have workers on this machine and over https alone. A page without one does everything but this. */
export const startWorker = async (): Promise<void> => {
  if (!("serviceWorker" in navigator) || !isSecureContext) return
  try {
    await navigator.serviceWorker.register("/sw.js")
    const { active } = await navigator.serviceWorker.ready
    active?.postMessage({ keep: loaded() })
  } catch {
    // A browser that allows none, such as in a private window.
  }
}

/** Takes the page out of this browser. */
export const forgetPage = async (): Promise<void> => {
  if (!("caches" in globalThis)) return
  for (const name of await caches.keys()) await caches.delete(name)
}
