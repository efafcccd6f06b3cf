/**
 * Mermaid, in a frame of the sandbox: source in, SVG out. A script that a diagram makes run there reaches neither the page nor the
 * network, and its SVG is shown as an image. One frame draws all diagrams of the page, one after the other.
 */
import script from "@mermaid-js/tiny/dist/mermaid.tiny.js?url"
import { artifact as words } from "../../messages/chat/ArtifactMessages.ts"
import { ui } from "../../messages/UiMessages.ts"
import { isFrom, keepDocument, sandboxOf, watchReach } from "./PreviewFrame.tsx"

/** Longer sources draw a picture that nobody reads, for seconds. */
const LONGEST = 20_000
const LONGEST_SVG = 2_000_000
/** How long the library may take to come, and one drawing. */
const PATIENCE = { ready: 30_000, drawing: 8000 }
const MOST_KEPT = 60

interface Theme {
  readonly isDark: boolean
  /** The variables of Mermaid's theme `base`, as colours that it can read. */
  readonly variables: Readonly<Record<string, string>>
}

/** The library comes from the page, which has it from its own server: the sandbox reaches nobody. */
const DOCUMENT = `<!doctype html><html><head><meta charset="utf-8"><title>Diagrams</title></head><body><script>
let count = 0
const load = (code) => {
  const script = document.createElement("script")
  script.textContent = code
  document.head.append(script)
}
const draw = async ({ id, source, theme }) => {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      theme: "base",
      darkMode: theme.isDark,
      themeVariables: theme.variables,
      fontFamily: theme.variables.fontFamily,
      maxTextSize: ${LONGEST},
      maxEdges: 400,
      suppressErrorRendering: true
    })
    const { svg } = await mermaid.render("diagram" + (count += 1), source)
    parent.postMessage({ id, svg }, "*")
  } catch (error) {
    parent.postMessage({ id, problem: String(error && error.message || error) }, "*")
  }
}
addEventListener("message", ({ data, source }) => {
  if (source !== parent) return
  if (typeof data.library === "string") load(data.library)
  else if (typeof data.source === "string") draw(data)
})
parent.postMessage({ isReady: true }, "*")
</script></body></html>`

interface Renderer {
  readonly draw: (source: string, theme: Theme) => Promise<string>
  readonly close: () => void
}

const within = <A>(millis: number, work: Promise<A>): Promise<A> => {
  const { promise, reject, resolve } = Promise.withResolvers<A>()
  const timer = setTimeout(() => reject(new Error(words.tooLong)), millis)
  work.then(resolve, reject)
  return promise.finally(() => clearTimeout(timer))
}

const textOf = (response: Response): Promise<string> =>
  response.ok ? response.text() : Promise.reject(new Error(ui.notLoaded))

const start = async (direct: boolean): Promise<Renderer> => {
  const [framed, library] = await Promise.all([keepDocument({ html: DOCUMENT, direct }), fetch(script).then(textOf)])
  const frame = document.createElement("iframe")
  frame.className = "diagram-sandbox"
  frame.tabIndex = -1
  frame.setAttribute("aria-hidden", "true")
  frame.setAttribute("sandbox", sandboxOf(framed))
  frame.src = framed.url
  const ready = Promise.withResolvers<"ready" | "unreached">()
  const waiting = new Map<string, { readonly done: (svg: string) => void; readonly failed: (error: Error) => void }>()
  const onMessage = (event: MessageEvent) => {
    if (!isFrom(event, frame, framed)) return
    const { id, isReady, problem, svg } = Object(event.data)
    if (isReady === true) ready.resolve("ready")
    const one = waiting.get(id)
    waiting.delete(id)
    if (typeof svg === "string" && svg.length <= LONGEST_SVG) one?.done(svg)
    else one?.failed(new Error(typeof problem === "string" ? problem.slice(0, 500) : words.tooLarge))
  }
  const unwatch = watchReach(frame, framed, () => ready.resolve("unreached"))
  addEventListener("message", onMessage)
  const close = () => {
    removeEventListener("message", onMessage)
    unwatch()
    frame.remove()
  }
  document.body.append(frame)
  try {
    if (await within(PATIENCE.ready, ready.promise) === "unreached") {
      close()
      return await start(true)
    }
  } catch (error) {
    close()
    throw error
  }
  const tell = (message: unknown) => frame.contentWindow?.postMessage(message, framed.origin ?? "*")
  tell({ library })
  let count = 0
  return {
    close,
    draw: (source, theme) => {
      const id = `drawing${count += 1}`
      const { promise, reject, resolve } = Promise.withResolvers<string>()
      waiting.set(id, { done: resolve, failed: reject })
      tell({ id, source, theme })
      return within(PATIENCE.drawing, promise).finally(() => waiting.delete(id))
    }
  }
}

let renderer: Promise<Renderer> | null = null

/** The next drawing waits for it. */
let last: Promise<unknown> = Promise.resolve()

const kept = new Map<string, string>()

const drawNow = async (source: string, theme: Theme): Promise<string> => {
  renderer ??= start(false)
  const mine = renderer
  try {
    return await (await mine).draw(source, theme)
  } catch (error) {
    // One that hangs does not answer again; one that did not come may the next time.
    if (!(error instanceof Error) || error.message === words.tooLong || !(await isThere(mine))) {
      renderer = null
      void mine.then(({ close }) => close(), () => {})
    }
    throw error
  }
}

const isThere = (one: Promise<Renderer>) => one.then(() => true, () => false)

/** The SVG of a diagram. Rejects with what is wrong with it. */
export const drawDiagram = async (source: string, theme: Theme): Promise<string> => {
  if (source.length > LONGEST) throw new Error(words.tooLarge)
  const key = `${theme.isDark} ${source}`
  const found = kept.get(key)
  if (found !== undefined) return found
  const drawing = last.then(() => drawNow(source, theme))
  last = drawing.catch(() => {})
  const svg = await drawing
  kept.set(key, svg)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
  return svg
}
