/** A picture in SVG as an address for `<img>`: there it runs no script, follows no link and loads nothing. Pure. */

const LONGEST = 1_000_000

const NAMESPACE = "xmlns=\"http://www.w3.org/2000/svg\""

export interface SvgPicture {
  readonly address: string
  readonly width: number | null
  readonly height: number | null
}

const MOST_PIXELS = 4096

const pixels = (text: string | undefined): number | null => {
  const value = Number(text)
  return text !== undefined && value > 0 ? Math.min(Math.round(value), MOST_PIXELS) : null
}

/** Null where it is no picture, or too large. */
export const svgPicture = (text: string): SvgPicture | null => {
  const root = /<svg\b[^>]*>/i.exec(text)
  if (root === null || text.length > LONGEST || !/<\/svg>\s*$/i.test(text)) return null
  const [tag] = root
  const whole = tag.includes("xmlns=")
    ? text.slice(root.index)
    : text.slice(root.index).replace(/^<svg/i, `<svg ${NAMESPACE}`)
  const [, boxWidth, boxHeight] = /\bviewBox\s*=\s*["'][-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/i.exec(tag) ??
    []
  const own = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']([\\d.]+)(?:px)?["']`, "i").exec(tag)?.[1]
  return {
    address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(whole)}`,
    width: pixels(own("width") ?? boxWidth),
    height: pixels(own("height") ?? boxHeight)
  }
}
