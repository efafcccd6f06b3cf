/** A picture in SVG or a diagram in Mermaid, drawn where it stands. Until it is whole, and where it cannot be drawn, it is code. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { artifact as words } from "../../messages/chat/ArtifactMessages.ts"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { onTheme, themeOf } from "../apps/HostContext.ts"
import { drawDiagram } from "./DiagramRenderer.ts"
import { diagramColours } from "./DiagramTheme.ts"
import { type SvgPicture, svgPicture } from "./SvgPicture.ts"
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

interface DrawnProps {
  readonly picture: SvgPicture
  readonly alt: string
  /** It is made no smaller than this part of its width: it scrolls then. */
  readonly least?: number
  readonly onBroken?: () => void
}

const Drawn = ({ alt, least = 0, onBroken, picture: { address, height, width } }: DrawnProps) => (
  <div class="drawing" role="group" aria-label={alt} tabIndex={0}>
    <img
      src={address}
      alt={alt}
      {...(width === null || height === null ? {} : { width, height })}
      {...(width === null || least === 0 ? {} : { style: { minWidth: `${Math.round(width * least)}px` } })}
      {...(onBroken === undefined ? {} : { onError: onBroken })}
    />
  </div>
)

/** Words in a diagram are 14 px high. */
const READABLE = 0.75

export const Picture = ({ name, text }: SourceProps) => {
  const isBroken = useSignal(false)
  useEffect(() => {
    isBroken.value = false
  }, [text])
  const picture = svgPicture(text)
  if (picture === null || isBroken.value) return <Broken text={text} language="xml" why={words.pictureBroken} />
  return <Drawn picture={picture} alt={words.pictureOf(name)} onBroken={() => isBroken.value = true} />
}

type Outcome = { readonly svg: string } | { readonly problem: string } | null

export const Diagram = ({ name, text }: SourceProps) => {
  const [drawn, setDrawn] = useState<Outcome>(null)
  const theme = useSignal(themeOf())
  useEffect(() => onTheme(() => theme.value = themeOf()), [])
  const place = useRef<HTMLDivElement>(null)
  const isNear = useSignal(false)
  // Those of a long chat are drawn as somebody comes to them.
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) isNear.value = true
    }, { rootMargin: "100%" })
    watch.observe(current)
    return () => watch.disconnect()
  }, [])
  useEffect(() => {
    if (!isNear.value) return undefined
    let isWanted = true
    const take = (next: Outcome) => isWanted && setDrawn(next)
    drawDiagram(text, { isDark: theme.value === "dark", variables: diagramColours() }).then(
      (svg) => take({ svg }),
      (error) => take({ problem: error instanceof Error ? error.message : String(error) })
    )
    return () => {
      isWanted = false
    }
  }, [text, theme.value, isNear.value])
  if (drawn === null) {
    return (
      <div class="drawing waiting" ref={place}>
        <Spinner label={words.drawing} />
      </div>
    )
  }
  const picture = "svg" in drawn ? svgPicture(drawn.svg) : null
  if (picture === null) {
    const [why = ""] = "problem" in drawn ? drawn.problem.split("\n", 1) : [words.pictureBroken]
    return <Broken text={text} language="mermaid" why={`${words.notDrawn}: ${why}`} />
  }
  return <Drawn picture={picture} alt={words.diagramOf(name)} least={READABLE} />
}
