// Keeps the page itself, and nothing else, so that it opens without a server. What the API, an app or a file of a chat
// answers is never kept: such requests do not come here.
const CACHE = "boocode-page"

/** A server that is there but does not answer: then the page comes from here. */
const PATIENCE_MILLIS = 4000

/** Files beside the page that are asked for anew each time. */
const FILES = ["/theme.js", "/icon.svg", "/icon-waiting.svg", "/icon-192.png", "/manifest.webmanifest"]

const isKept = (response) => response.ok && response.type === "basic" && !response.redirected

/** The names of scripts and styles have a hash: a page that names others is a new version, and what was kept is of no use. */
const keepPage = async (response) => {
  const cache = await caches.open(CACHE)
  const html = await response.clone().text()
  const before = await cache.match("/")
  if (before !== undefined && await before.text() === html) return
  for (const request of await cache.keys()) await cache.delete(request)
  await cache.put("/", response)
  const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  await keepFiles([...assets, ...FILES])
}

const keepFiles = async (paths) => {
  const cache = await caches.open(CACHE)
  for (const path of paths) {
    if (await cache.match(path) !== undefined) continue
    const response = await fetch(path).catch(() => null)
    if (response !== null && isKept(response)) await cache.put(path, response)
  }
}

const within = (asked, millis) =>
  Promise.race([asked, new Promise((_, refuse) => setTimeout(() => refuse(new Error("no answer")), millis))])

/** The page of the server where it answers, else the one that is kept. */
const page = async (event) => {
  const asked = fetch(event.request)
  try {
    const response = await within(asked, PATIENCE_MILLIS)
    if (isKept(response)) event.waitUntil(keepPage(response.clone()))
    // A proxy says so while the server behind it is away.
    if (response.status < 502 || response.status > 504) return response
  } catch {
    // Then the page that is kept.
  }
  return await (await caches.open(CACHE)).match("/") ?? asked
}

const file = async ({ request }) => {
  const cache = await caches.open(CACHE)
  const { pathname } = new URL(request.url)
  const kept = await cache.match(pathname)
  if (pathname.startsWith("/assets/")) {
    if (kept !== undefined) return kept
    const response = await fetch(request)
    if (isKept(response)) await cache.put(pathname, response.clone())
    return response
  }
  return within(fetch(request), PATIENCE_MILLIS).catch((error) => kept ?? Promise.reject(error))
}

addEventListener("install", (event) => {
  skipWaiting()
  event.waitUntil(fetch("/", { cache: "no-cache" }).then((response) => isKept(response) ? keepPage(response) : null))
})

addEventListener("activate", (event) => event.waitUntil(clients.claim()))

addEventListener("message", (event) => {
  const { keep } = event.data ?? {}
  if (!Array.isArray(keep)) return
  event.waitUntil(keepFiles(keep.filter((path) => typeof path === "string" && path.startsWith("/assets/"))))
})

addEventListener("fetch", (event) => {
  const { method, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== "GET" || origin !== location.origin) return
  if (pathname === "/") event.respondWith(page(event))
  else if (pathname.startsWith("/assets/") || FILES.includes(pathname)) event.respondWith(file(event))
})
