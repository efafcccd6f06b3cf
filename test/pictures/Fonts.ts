/** The fonts of the pictures come from npm, so that a machine's own do not matter. The page itself ships none. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { BrowserContext } from "playwright-core"

const require = createRequire(import.meta.url)

/** By the name that stands in the addresses. The page names the first two before all others. */
const FONTS = ["inter", "jetbrains-mono", "noto-sans-sc", "noto-sans-jp"].map((name) =>
  [name, dirname(require.resolve(`@fontsource-variable/${name}/package.json`))] as const
)

const faces = FONTS.map(([name, folder]) =>
  readFileSync(join(folder, "index.css"), "utf8").replaceAll("url(./files/", `url(/test-fonts/${name}/`)
).join("\n")

const CJK = `"Noto Sans SC Variable", "Noto Sans JP Variable"`

const css = `${faces}
:root { --font: "Inter Variable", ${CJK}; --mono: "JetBrains Mono Variable", ${CJK} }
:root:lang(ja) { --font: "Inter Variable", "Noto Sans JP Variable", "Noto Sans SC Variable" }`

/** Puts the fonts into every page of a context that was made with `bypassCSP`. */
export const install = async (context: BrowserContext) => {
  await context.route("**/test-fonts/**", (route) => {
    const [, , name, file = ""] = new URL(route.request().url()).pathname.split("/")
    const folder = FONTS.find(([known]) => known === name)?.[1] ?? ""
    return route.fulfill({ path: join(folder, "files", file), contentType: "font/woff2" })
  })
  await context.addInitScript(`document.addEventListener("readystatechange", () => {
    if (document.getElementById("test-fonts") !== null) return
    const style = document.createElement("style")
    style.id = "test-fonts"
    style.textContent = ${JSON.stringify(css)}
    document.head.append(style)
  })`)
}
