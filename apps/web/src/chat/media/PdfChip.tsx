/** A PDF of a chat: its name, which opens it. */
import { useSignal } from "@preact/signals"
import { bytes } from "../../messages/Numbers.ts"
import { Icon } from "../../ui/Icon.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import type { PdfViewProps } from "../../ui/pdf/PdfView.tsx"

const PdfView = lazy<PdfViewProps>(() => import("../../ui/pdf/PdfView.tsx").then(({ PdfView: one }) => one), null)

interface PdfChipProps {
  readonly address: string
  readonly name: string
  readonly size: number
  /** A note on how it is read. */
  readonly note?: string | undefined
}

export const PdfChip = ({ address, name, note, size }: PdfChipProps) => {
  const isOpen = useSignal(false)
  return (
    <>
      <button type="button" class="chip" title={note} onClick={() => isOpen.value = true}>
        <Icon name="file" />
        {name}
        <span class="muted">{bytes(size)}</span>
      </button>
      {isOpen.value ? <PdfView address={address} name={name} onClose={() => isOpen.value = false} /> : null}
    </>
  )
}
