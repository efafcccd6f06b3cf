/** How the page is built: one small bundle, code highlighting and the panels in chunks of their own. */
import { defineConfig } from "vite"

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
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000
  },
  // `vite` alone serves the sources while they change; the API is asked of a server that runs beside it.
  server: { host: "127.0.0.1", proxy: { "/api": "http://127.0.0.1:4266" } }
})
