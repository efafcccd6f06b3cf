/** A line of a diff, with its sign. */
import { ui } from "../../messages/UiMessages.ts"
import "./diff.css"

type Kind = "same" | "removed" | "added"

const SIGNS: Readonly<Record<Kind, string>> = { same: " ", removed: "−", added: "+" }

export const DiffLineView = ({ kind, text }: { readonly kind: Kind; readonly text: string }) => (
  <div class={`diff-line ${kind}`}>
    <span class="diff-sign" aria-hidden="true">{SIGNS[kind]}</span>
    {kind === "same"
      ? null
      : <span class="visually-hidden">{kind === "added" ? ui.lineAdded : ui.lineRemoved}{" "}</span>}
    <span>{text === "" ? "\u00A0" : text}</span>
  </div>
)
