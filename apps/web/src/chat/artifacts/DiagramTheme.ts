/** The colours of the page for Mermaid, which reads nothing but hexadecimal ones. */

const COLOURS = {
  background: "--paper",
  primaryColor: "--accent-quiet",
  primaryTextColor: "--ink",
  primaryBorderColor: "--accent",
  secondaryColor: "--paper-3",
  secondaryTextColor: "--ink",
  secondaryBorderColor: "--edge",
  tertiaryColor: "--paper-2",
  tertiaryTextColor: "--ink",
  tertiaryBorderColor: "--line",
  lineColor: "--ink-2",
  textColor: "--ink",
  mainBkg: "--accent-quiet",
  nodeBorder: "--accent",
  clusterBkg: "--paper-2",
  clusterBorder: "--line",
  edgeLabelBackground: "--paper",
  titleColor: "--ink",
  noteBkgColor: "--warn-quiet",
  noteTextColor: "--ink",
  noteBorderColor: "--warn",
  actorBkg: "--accent-quiet",
  actorBorder: "--accent",
  actorTextColor: "--ink",
  signalColor: "--ink-2",
  signalTextColor: "--ink",
  labelBoxBkgColor: "--paper-3",
  labelBoxBorderColor: "--edge",
  labelTextColor: "--ink",
  loopTextColor: "--ink",
  activationBkgColor: "--paper-3",
  activationBorderColor: "--edge",
  pie1: "--accent",
  pie2: "--code-number",
  pie3: "--code-string",
  pie4: "--code-type",
  pie5: "--code-keyword",
  pie6: "--ink-3",
  pieStrokeColor: "--paper",
  pieOuterStrokeColor: "--line",
  pieSectionTextColor: "--paper",
  pieTitleTextColor: "--ink",
  pieLegendTextColor: "--ink"
} as const

/** A colour as a canvas shows it. */
const hexOf = (context: CanvasRenderingContext2D, colour: string): string => {
  context.clearRect(0, 0, 1, 1)
  context.fillStyle = colour
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`
}

export const diagramColours = (): Readonly<Record<string, string>> => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  const probe = document.body.appendChild(document.createElement("i"))
  probe.hidden = true
  const style = getComputedStyle(probe)
  const colours = Object.entries(COLOURS).map(([name, own]) => {
    probe.style.color = `var(${own})`
    return [name, context === null ? style.color : hexOf(context, style.color)] as const
  })
  const fontFamily = style.getPropertyValue("--font").trim()
  probe.remove()
  return { ...Object.fromEntries(colours), fontFamily, fontSize: "14px", dropShadow: "none", pieOpacity: "1" }
}
