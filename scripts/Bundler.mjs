/**
 * The bundler, which comes with the one of the page.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "./Built.mjs"

export const bundler = () => {
  const vite = createRequire(join(root, "apps", "web", "package.json")).resolve("vite")
  return import(pathToFileURL(createRequire(vite).resolve("rolldown")))
}
