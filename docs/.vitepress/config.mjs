/** How VitePress makes the site of these pages: `pnpm run docs`. */
import { existsSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { anchorOf } from "./Anchor.ts"
import { sidebar } from "./Sidebar.ts"

const reference = fileURLToPath(new URL("../reference/@boocode", import.meta.url))

/** One link for each package: its page lists the rest of it. */
const packages = existsSync(reference) ? readdirSync(reference) : []

/** @type {import("vitepress").UserConfig} */
export default {
  title: "BooCode",
  description: "A chat server for your own machine, whose agents use the tools of many MCP servers",
  head: [["link", { rel: "icon", href: "/icon.svg" }]],
  srcExclude: ["node_modules/**"],
  vite: {
    // The icon of the page.
    publicDir: fileURLToPath(new URL("../../apps/web/public", import.meta.url)),
    // The index of the search is larger than what a page should load, and is loaded by the search alone.
    build: { chunkSizeWarningLimit: 4000 }
  },
  markdown: { anchor: { slugify: anchorOf } },
  themeConfig: {
    search: {
      provider: "local",
      // What a guide says comes before what the reference says.
      options: {
        miniSearch: { searchOptions: { boostDocument: (page) => page.startsWith("/reference/") ? 0.1 : 1 } }
      }
    },
    outline: [2, 3],
    nav: [{ text: "Five minutes", link: "/start" }, { text: "Reference", link: "/reference/" }],
    sidebar: [
      ...sidebar,
      {
        text: "Reference",
        collapsed: true,
        items: packages.map((name) => ({ text: name, link: `/reference/@boocode/${name}/` }))
      }
    ]
  }
}
