/** JSON as a tree: what is inside is made when it is opened, and of long lists the beginning. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"
import "./data.css"

const STEP = 100
const LONGEST = 2000

interface NodeProps {
  readonly name: string | null
  readonly value: unknown
  readonly isOpen: boolean
}

const Leaf = ({ value }: { readonly value: unknown }) => {
  const text = JSON.stringify(value) ?? ""
  return (
    <span class={`json-${value === null ? "null" : typeof value}`}>
      {text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}
    </span>
  )
}

const Named = ({ children, name }: { readonly name: string | null; readonly children: ComponentChildren }) => (
  <>
    {name === null ? null : <span class="json-name">{name}</span>} {children}
  </>
)

const Node = ({ isOpen, name, value }: NodeProps) => {
  const isShown = useSignal(isOpen)
  const most = useSignal(STEP)
  if (typeof value !== "object" || value === null) {
    return (
      <div class="json-leaf">
        <Named name={name}>
          <Leaf value={value} />
        </Named>
      </div>
    )
  }
  const inside = Object.entries(value)
  return (
    <details class="json-node" open={isOpen} onToggle={({ currentTarget }) => isShown.value = currentTarget.open}>
      <summary>
        <Named name={name}>
          <span class="muted">{Array.isArray(value) ? `[${inside.length}]` : `{${inside.length}}`}</span>
        </Named>
      </summary>
      {isShown.value
        ? (
          <div class="json-inside">
            {inside.slice(0, most.value).map(([key, of]) => <Node key={key} name={key} value={of} isOpen={false} />)}
            {inside.length > most.value
              ? <Button isSmall onClick={() => most.value += STEP}>{ui.showMore}</Button>
              : null}
          </div>
        )
        : null}
    </details>
  )
}

export const JsonTree = ({ label, value }: { readonly value: unknown; readonly label: string }) => (
  <div class="json-tree" role="group" aria-label={label} tabIndex={0}>
    <Node name={null} value={value} isOpen />
  </div>
)
