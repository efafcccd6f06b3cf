/** Copies a text, and says so for a moment. */
import { useEffect, useState } from "preact/hooks"
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"

interface CopyProps {
  readonly text: () => string
  readonly label?: string
}

/** Without a secure context (a server on another host, over HTTP) only the old way is there. */
const copy = async (text: string): Promise<boolean> => {
  if (window.isSecureContext) return navigator.clipboard.writeText(text).then(() => true, () => false)
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  const isDone = document.execCommand("copy")
  area.remove()
  return isDone
}

export const Copy = ({ label = ui.copy, text }: CopyProps) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <Button
      kind="plain"
      isSmall
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? ui.copied : label}
      onClick={() => void copy(text()).then(setCopied)}
    />
  )
}
