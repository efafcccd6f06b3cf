/** A picture in SVG or a diagram in Mermaid, drawn where it stands. Until it is whole, and where it cannot be drawn, it is code. */
import { useSignal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { artifact as words } from "../../messages/chat/ArtifactMessages.ts"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { onTheme, themeOf } from "../apps/HostContext.ts"
import { drawDiagram } from "./DiagramRenderer.ts"
import { diagramColours } from "./DiagramTheme.ts"
import { svgPicture } from "./SvgPicture.ts"
import "./artifacts.css"

interface SourceProps {
  readonly text: string
  readonly name: string
}

const Broken = (
  { language, text, why }: { readonly text: string; readonly why: string; readonly language: string }
) => (
  <div class="drawing-broken">
    <p class="muted small">{why}</p>
    <CodeBlock code={text} language={language} title={language} />
  </div>
)

export const Picture = ({ name, text }: SourceProps) => {
  const isBroken = useSignal(false)
  useEffect(() => {
    isBroken.value = false
  }, [text])
  const picture = svgPicture(text)
  if (picture === null || isBroken.value) return <Broken text={text} language="xml" why={words.pictureBroken} />
  const { address, height, width } = picture
  return (
    <div class="drawing">
      <img
        src={address}
        alt={words.pictureOf(name)}
        {...(width === null || height === null ? {} : { width, height })}
        onError={() => isBroken.value = true}
      />
    </div>
  )
}

type Drawn = { readonly svg: string } | { readonly problem: string } | null

export const Diagram = ({ name, text }: SourceProps) => {
  const [drawn, setDrawn] = useState<Drawn>(null)
  const theme = useSignal(themeOf())
  useEffect(() => onTheme(() => theme.value = themeOf()), [])
  useEffect(() => {
    let isWanted = true
    const take = (next: Drawn) => isWanted && setDrawn(next)
    drawDiagram(text, { isDark: theme.value === "dark", variables: diagramColours() }).then(
      (svg) => take({ svg }),
      (error) => take({ problem: error instanceof Error ? error.message : String(error) })
    )
    return () => {
      isWanted = false
    }
  }, [text, theme.value])
  if (drawn === null) {
    return (
      <div class="drawing waiting">
        <Spinner label={words.drawing} />
      </div>
    )
  }
  const picture = "svg" in drawn ? svgPicture(drawn.svg) : null
  if (picture === null) {
    const [why = ""] = "problem" in drawn ? drawn.problem.split("\n", 1) : [words.pictureBroken]
    return <Broken text={text} language="mermaid" why={`${words.notDrawn}: ${why}`} />
  }
  const { address, height, width } = picture
  return (
    <div class="drawing">
      <img
        src={address}
        alt={words.diagramOf(name)}
        {...(width === null || height === null ? {} : { width, height })}
      />
    </div>
  )
}
