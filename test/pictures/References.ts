/** The reference pictures: lossless WebP files of at most 256 colours, and how far a new picture may differ from one. */
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import sharp from "sharp"
import { browser } from "../support/Browser.ts"

const ROOT = fileURLToPath(new URL("./references", import.meta.url))

/** `pnpm pictures` writes the references anew instead of comparing with them. */
export const IS_RENEWING = process.env["BOOCODE_PICTURES"] === "renew"

/** How far a channel may be off before a pixel counts as another: what a palette and another processor make of an edge. */
const CHANNEL = 40

/** How many pixels may be others. A word that moves by a pixel has more. */
const PIXELS = 24

const fileOf = (name: string) => join(ROOT, `${name}.webp`)

const pixelsOf = async (bytes: Buffer | string) => {
  const { data, info } = await sharp(bytes).flatten({ background: "#ffffff" }).removeAlpha().raw().toBuffer({
    resolveWithObject: true
  })
  return { data, width: info.width, height: info.height }
}

/** Keeps a picture as the reference of this name. */
const keep = async (name: string, png: Buffer) => {
  const palette = await sharp(png).png({ palette: true, colours: 64, dither: 0 }).toBuffer()
  mkdirSync(dirname(fileOf(name)), { recursive: true })
  writeFileSync(fileOf(name), await sharp(palette).webp({ lossless: true, effort: 6 }).toBuffer())
}

const differing = (one: Buffer, other: Buffer, width: number) => {
  const at: Array<number> = []
  for (let index = 0; index < one.length; index += 3) {
    const off = Math.max(
      Math.abs((one[index] ?? 0) - (other[index] ?? 0)),
      Math.abs((one[index + 1] ?? 0) - (other[index + 1] ?? 0)),
      Math.abs((one[index + 2] ?? 0) - (other[index + 2] ?? 0))
    )
    if (off > CHANNEL) at.push(index / 3)
  }
  const rows = at.map((pixel) => Math.floor(pixel / width))
  const columns = at.map((pixel) => pixel % width)
  return { count: at.length, box: [Math.min(...columns), rows[0], Math.max(...columns), rows.at(-1)] }
}

/** How a picture differs from its reference; null where it does not. While renewing it becomes the reference where it does. */
export const difference = async (name: string, png: Buffer): Promise<string | null> => {
  const found = await compared(name, png)
  if (found === null || !IS_RENEWING) return found
  await keep(name, png)
  return null
}

const compared = async (name: string, png: Buffer): Promise<string | null> => {
  if (!existsSync(fileOf(name))) return `${name} has no reference`
  const [kept, taken] = await Promise.all([pixelsOf(fileOf(name)), pixelsOf(png)])
  if (kept.width !== taken.width || kept.height !== taken.height) return `${name} has another size`
  const { box, count } = differing(kept.data, taken.data, taken.width)
  return count <= PIXELS ? null : `${name} differs in ${count} pixels, within ${box.join(", ")}`
}

/** What the page is drawn with where the references are made: the browser, and the processor's family. */
const MADE_WITH = join(ROOT, "made-with.json")

/**
 * Whether this machine draws as the one that made the references: the same browser with the fonts of npm. Elsewhere every pixel of
 * every letter may be another, and nothing is compared: the test says so on the standard output.
 */
export const isComparable = Effect.map(browser, (opened) => {
  const here = { browser: `Chromium ${opened.version()}`, system: `${process.platform} ${process.arch}` }
  if (IS_RENEWING) {
    mkdirSync(ROOT, { recursive: true })
    writeFileSync(MADE_WITH, `${JSON.stringify(here, null, 2)}\n`)
    return true
  }
  const made = JSON.parse(readFileSync(MADE_WITH, "utf8"))
  if (made.browser === here.browser && made.system === here.system) return true
  console.log(
    `NOT COMPARED: the reference pictures were made with ${made.browser} on ${made.system}; this is ${here.browser} on ${here.system}.`
  )
  return false
})
