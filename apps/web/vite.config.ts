/** How the page is built: one small bundle, code highlighting and the panels in chunks of their own. */
import { defineConfig, type Rolldown } from "vite"

/** The modules that the page loads before somebody can type: those to which imports lead without a wait between. */
const loadedFirst = (graph: Rolldown.ChunkingContext): ReadonlySet<string> => {
  const found = new Set([`${import.meta.dirname.replaceAll("\\", "/")}/index.html`])
  // What is added meanwhile is visited as well.
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  return found
}

let first: ReadonlySet<string> | null = null

/** Every browser that the page is for takes WOFF2; the older forms of the fonts of formulas are left out. */
const newestFonts = {
  name: "newest-fonts",
  enforce: "pre",
  transform: (code: string, id: string) =>
    id.endsWith("katex.min.css") ? code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, "") : null
} as const

export default defineConfig({
  plugins: [newestFonts],
  root: import.meta.dirname,
  base: "/",
  logLevel: "warn",
  publicDir: "public",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // Browsers of 2024 and later: what they can do themselves, such as light-dark(), is not written out for older ones.
    target: ["chrome123", "firefox125", "safari17.5"],
    // The policy of the page allows no script in the document, and a data: image is no smaller.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One chunk of all that is loaded first packs better than thirty that the panels share with it.
    rolldownOptions: {
      output: {
        // Programs of workers are sent as any other.
        assetFileNames: ({ names }) =>
          `assets/[name]-[hash]${names[0]?.endsWith(".mjs") === true ? ".js" : "[extname]"}`,
        codeSplitting: {
          groups: [{
            debugName: "first",
            name: (id, graph) => (first ??= loadedFirst(graph)).has(id) ? "first" : null
          }]
        }
      }
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000
  },
  // `vite` alone serves the sources while they change; the API is asked of a server that runs beside it.
  server: { host: "127.0.0.1", proxy: { "/api": "http://127.0.0.1:4266" } }
})
