/** The completion of a field: what is offered, which of it is marked, and the keys that choose. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listCommands, listPrompts, listResources } from "../../api/Api.ts"
import type { Command, Prompt, Resource } from "../../api/Types.ts"
import { agents, tools } from "../../state/Catalog.ts"
import { type Choice, type Offer, offers, type Trigger, triggerOf } from "./Completion.ts"
import { withOwn } from "./PageCommands.ts"

export interface Completing {
  readonly trigger: Trigger | null
  readonly offers: ReadonlyArray<Offer>
  /** Those of the servers, as far as they were read. */
  readonly prompts: ReadonlyArray<Prompt>
  readonly marked: number
  readonly mark: (index: number) => void
  /** Looks at the text before the caret. */
  readonly look: (text: string, caret: number) => void
  readonly close: () => void
  readonly choose: (offer: Offer) => void
  /** True when the key was one of completion. */
  readonly onKey: (event: KeyboardEvent) => boolean
}

const KNOWN_FOR = 15_000

/** The server's offers after `/`, read when they are first asked for and again after a while. */
let known: { readonly at: number; readonly commands: ReadonlyArray<Command>; readonly prompts: ReadonlyArray<Prompt> } =
  {
    at: -KNOWN_FOR,
    commands: [],
    prompts: []
  }

const readCommands = async () => {
  if (performance.now() - known.at < KNOWN_FOR) return known
  const [commands, prompts] = await Promise.all([
    // A server that is being restarted offers nothing, and that is no reason for a message.
    listCommands().then((answer) => answer.commands, () => []),
    listPrompts().then((answer) => answer.prompts, () => [])
  ])
  known = { at: performance.now(), commands, prompts }
  return known
}

export const useCompletion = (onChoose: (choice: Choice, trigger: Trigger) => void): Completing => {
  const trigger = useSignal<Trigger | null>(null)
  const marked = useSignal<number | null>(null)
  const commands = useSignal<ReadonlyArray<Command>>(withOwn(known.commands))
  const prompts = useSignal<ReadonlyArray<Prompt>>(known.prompts)
  const resources = useSignal<ReadonlyArray<Resource>>([])
  const kind = trigger.value?.kind ?? null
  const word = trigger.value?.word ?? ""

  useEffect(() => {
    if (kind !== "command") return
    void readCommands().then((answer) => {
      commands.value = withOwn(answer.commands)
      prompts.value = answer.prompts
    })
  }, [kind])

  useEffect(() => {
    if (kind !== "mention") return undefined
    const timer = setTimeout(() => {
      void listResources(word).then((answer) => {
        resources.value = answer.resources
      }, () => {
        resources.value = []
      })
    }, 120)
    return () => clearTimeout(timer)
  }, [kind, word])

  const shown = trigger.value === null ? [] : offers(trigger.value, {
    commands: commands.value,
    prompts: prompts.value,
    tools: tools.value,
    agents: agents.value,
    resources: resources.value
  })
  // A name that is typed out whole is meant, wherever it stands among the names that begin so.
  const whole = shown.findIndex(({ text }) => text === `/${word}`)
  const at = Math.min(marked.value ?? Math.max(0, whole), Math.max(0, shown.length - 1))
  const close = () => {
    trigger.value = null
  }

  const choose = ({ choice }: Offer) => {
    const now = trigger.value
    close()
    if (now !== null) onChoose(choice, now)
  }

  const onKey = (event: KeyboardEvent): boolean => {
    const now = trigger.value
    if (now === null || shown.length === 0) return false
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    const offer = shown[at]
    if (step !== 0) marked.value = (at + step + shown.length) % shown.length
    else if (event.key === "Escape") close()
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && offer !== undefined) {
      // A name that is typed out whole is sent, not completed once more.
      if (event.key === "Enter" && offer.choice.kind === "tool" && offer.text === `/${now.word}`) return false
      choose(offer)
    } else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }

  return {
    trigger: trigger.value,
    offers: shown,
    prompts: prompts.value,
    marked: at,
    mark: (index) => marked.value = index,
    look: (text, caret) => {
      const next = triggerOf(text, caret)
      if (next?.word !== trigger.value?.word || next?.kind !== trigger.value?.kind) marked.value = null
      trigger.value = next
    },
    close,
    choose,
    onKey
  }
}
