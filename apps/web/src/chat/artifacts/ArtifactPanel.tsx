/** The place beside the chat, on a narrow page over it: one artifact in its versions, shown or as its source. */
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { artifact as words } from "../../messages/chat/ArtifactMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Copy } from "../../ui/code/Copy.tsx"
import { saveText } from "../../ui/files/Saving.ts"
import { Segments } from "../../ui/forms/Segments.tsx"
import { VersionSwitch } from "../../ui/lists/VersionSwitch.tsx"
import type { OpenChat } from "../open/OpenChat.ts"
import { Markdown } from "../text/Markdown.tsx"
import { fileName } from "./Artifact.ts"
import { Diagram, Picture } from "./Drawing.tsx"
import type { Artifact } from "./Lineage.ts"
import { artifactsOf } from "./OpenArtifact.ts"
import { PreviewFrame } from "./PreviewFrame.tsx"
import { shownArtifact } from "./ShownArtifact.ts"
import "./artifacts.css"

type View = "preview" | "source"

/** The source as it grows; its end stays in sight until somebody scrolls. */
const Source = ({ artifact: { isOpen, kind, language, text } }: { readonly artifact: Artifact }) => {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = place.current
    if (isOpen && box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < 200) {
      box.scrollTop = box.scrollHeight
    }
  }, [text])
  return (
    <div class="artifact-source" ref={place}>
      <CodeBlock code={text} language={kind === "svg" ? "xml" : language} isOpen={isOpen} label={words.source} />
    </div>
  )
}

const Outside = ({ text }: { readonly text: string }) =>
  /<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc\s*=\s*["']?(?:https?:)?\/\/|<link\b[^>]*\shref\s*=\s*["']?(?:https?:)?\/\//i
      .test(text)
    ? <p class="artifact-note muted small">{words.nothingOutside}</p>
    : null

const Shown = ({ artifact: { kind, text }, name }: { readonly artifact: Artifact; readonly name: string }) => {
  switch (kind) {
    case "html":
      return (
        <>
          <Outside text={text} />
          <PreviewFrame html={text} title={words.panel(name)} />
        </>
      )
    case "svg":
      return (
        <div class="artifact-picture" role="group" aria-label={words.preview} tabIndex={0}>
          <Picture text={text} name={name} />
        </div>
      )
    case "mermaid":
      return (
        <div class="artifact-picture" role="group" aria-label={words.preview} tabIndex={0}>
          <Diagram text={text} name={name} />
        </div>
      )
    case "markdown":
      return (
        <div class="artifact-document" role="group" aria-label={words.preview} tabIndex={0}>
          <Markdown text={text} />
        </div>
      )
    case "code":
      return null
  }
}

export const ArtifactPanel = ({ chat }: { readonly chat: OpenChat }) => {
  const chosen = useSignal<View>("preview")
  const panel = useRef<HTMLElement>(null)
  const shown = shownArtifact.value
  const versions = artifactsOf(chat).find((all) => all.some(({ key }) => key === shown?.key)) ?? []
  const close = () => {
    shownArtifact.value = null
  }

  // The focus goes in as it opens, and back to where it came from.
  useLayoutEffect(() => {
    const before = document.activeElement
    panel.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  // A chat whose answers were taken back may have it no more.
  useEffect(() => {
    if (shown !== null && versions.length === 0) close()
  }, [versions.length])

  const at = Math.min(shown?.version ?? versions.length - 1, versions.length - 1)
  const artifact = versions[at]
  if (shown === null || artifact === undefined) return null
  const { isOpen, kind, language, text } = artifact
  const name = artifact.name?.text ?? words.kind[kind]
  // Half of a page is none yet, nor is half of a picture.
  const canShow = kind !== "code" && (!isOpen || kind === "markdown")
  const view = canShow ? chosen.value : "source"
  return (
    <aside
      ref={panel}
      class="artifact"
      tabIndex={-1}
      aria-label={words.panel(name)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return
        event.preventDefault()
        close()
      }}
    >
      <header class="artifact-head">
        <h2 title={name}>{name}</h2>
        <VersionSwitch
          label={words.versions}
          at={at}
          of={versions.length}
          onChange={(next) => shownArtifact.value = { ...shown, version: next === versions.length - 1 ? null : next }}
        />
        <Copy text={() => text} label={words.copy} />
        <Button
          kind="plain"
          isSmall
          icon="download"
          label={words.download}
          onClick={() => saveText(text, fileName(kind, language, artifact.name))}
        />
        <Button kind="plain" isSmall icon="close" label={words.close} onClick={close} />
      </header>
      {kind === "code"
        ? null
        : (
          <div class="artifact-views">
            <Segments
              label={words.views}
              options={[["preview", words.preview], ["source", words.source]]}
              value={view}
              onChange={(next) => chosen.value = next}
            />
            {isOpen ? <span class="muted small">{words.writing(text.split("\n").length)}</span> : null}
          </div>
        )}
      <div class="artifact-body">
        {view === "preview"
          ? <Shown key={artifact.key} artifact={artifact} name={name} />
          : <Source artifact={artifact} />}
      </div>
    </aside>
  )
}
