/** Tables that a command writes into a document, between two marks: so that no figure there is typed by hand. */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const ROOT = new URL("../../", import.meta.url)

const END = "<!-- the end of it -->"

/** The text with something else between the mark of a command and its end. */
export const between = (text: string, command: string, content: string): string => {
  const mark = `<!-- ${command} -->`
  const begin = text.indexOf(mark)
  const end = text.indexOf(END, begin)
  if (begin < 0 || end < 0) throw new Error(`there is no ${mark} before ${END}`)
  return `${text.slice(0, begin)}${mark}\n\n${content}\n\n${text.slice(end)}`
}

/** Writes it into a document of the repository, and formats that. */
export const write = (name: string, command: string, content: string): void => {
  const file = fileURLToPath(new URL(name, ROOT))
  writeFileSync(file, between(readFileSync(file, "utf8"), command, content))
  spawnSync(fileURLToPath(new URL("node_modules/.bin/dprint", ROOT)), ["fmt", file], { stdio: ["ignore", 2, 2] })
}
