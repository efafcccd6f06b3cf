/** A PDF page by page: going on and back, larger and smaller, its text to select. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { pdf as words } from "../../messages/chat/PdfMessages.ts"
import { percent } from "../../messages/Numbers.ts"
import { Button } from "../Button.tsx"
import { Dialog } from "../Dialog.tsx"
import { Icon } from "../Icon.tsx"
import { Notice } from "../Notice.tsx"
import { Spinner } from "../Spinner.tsx"
import { type DrawnPage, type OpenPdf, openPdf, type PdfFault, PdfRefused } from "./OpenPdf.ts"
import "./pdf.css"

export interface PdfViewProps {
  readonly address: string
  readonly name: string
  readonly onClose: () => void
}

const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3] as const
const WHOLE = ZOOMS.indexOf(1)

const faultOf = (error: unknown): PdfFault => error instanceof PdfRefused ? error.fault : "missing"

const put = (place: HTMLElement, { canvas, height, scale, text, width }: DrawnPage, label: string) => {
  for (const element of [canvas, text]) {
    element.style.width = `${width}px`
    element.style.height = `${height}px`
  }
  canvas.setAttribute("aria-hidden", "true")
  text.className = "pdf-text"
  text.setAttribute("role", "group")
  text.setAttribute("aria-label", label)
  text.style.setProperty("--total-scale-factor", `${scale}`)
  place.replaceChildren(canvas, text)
}

export const PdfView = ({ address, name, onClose }: PdfViewProps) => {
  const open = useSignal<OpenPdf | null>(null)
  const fault = useSignal<PdfFault | null>(null)
  const page = useSignal(1)
  const zoom = useSignal(WHOLE)
  const isDrawing = useSignal(true)
  const sheet = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const leave = new AbortController()
    const fail = (error: unknown) => {
      if (!leave.signal.aborted) fault.value = faultOf(error)
    }
    openPdf(address, leave.signal).then((pdf) => open.value = pdf, fail)
    return () => leave.abort()
  }, [address])

  useEffect(() => {
    const leave = new AbortController()
    const place = sheet.current
    if (open.value === null || place === null) return undefined
    isDrawing.value = true
    const width = (place.parentElement?.clientWidth ?? place.clientWidth) * (ZOOMS[zoom.value] ?? 1)
    open.value.draw(page.value, width, leave.signal).then((drawn) => {
      if (leave.signal.aborted) return
      isDrawing.value = false
      put(place, drawn, words.pageText(page.value))
    }, (error: unknown) => {
      if (!leave.signal.aborted) fault.value = faultOf(error)
    })
    return () => leave.abort()
  }, [open.value, page.value, zoom.value])

  const pages = open.value?.pages ?? 0
  return (
    <Dialog title={name} onClose={onClose} isWide>
      <div class="pdf-bar">
        <Button
          kind="plain"
          icon="left"
          label={words.earlier}
          disabled={page.value <= 1}
          onClick={() => page.value--}
        />
        <span class="pdf-page" role="status">{pages === 0 ? "" : words.page(page.value, pages)}</span>
        <Button
          kind="plain"
          icon="right"
          label={words.later}
          disabled={page.value >= pages}
          onClick={() => page.value++}
        />
        <Button
          kind="plain"
          icon="minus"
          label={words.smaller}
          disabled={zoom.value === 0}
          onClick={() => zoom.value--}
        />
        <span class="muted" title={words.zoomed(percent(ZOOMS[zoom.value] ?? 1))}>
          {percent(ZOOMS[zoom.value] ?? 1)}
        </span>
        <Button
          kind="plain"
          icon="plus"
          label={words.larger}
          disabled={zoom.value === ZOOMS.length - 1}
          onClick={() => zoom.value++}
        />
        <a class="button plain pdf-save" href={address} download={name}>
          <Icon name="download" />
          {words.save}
        </a>
      </div>
      {fault.value === null ? null : <Notice tone="bad">{words.faults[fault.value]}</Notice>}
      <div class="pdf-room" tabIndex={0} aria-busy={isDrawing.value && fault.value === null}>
        {isDrawing.value && fault.value === null ? <Spinner label={words.opening} /> : null}
        <div ref={sheet} class="pdf-sheet" hidden={fault.value !== null} />
      </div>
    </Dialog>
  )
}
