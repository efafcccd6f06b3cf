/** The actions for a server: one main action, the others in a menu; and in words the refused one. */
import { type Signal, useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import { type Refusal, words as wordsOf } from "../api/Client.ts"
import type { ServerStatus } from "../api/Types.ts"
import { entry as entries } from "../messages/EntryMessages.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import { isAdmin } from "../state/people/Me.ts"
import { address, go } from "../state/Route.ts"
import { groupOf } from "../state/ServerGroups.ts"
import { Button } from "../ui/Button.tsx"
import type { IconName } from "../ui/Icon.tsx"
import type { MenuItem } from "../ui/lists/Menu.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { act, type Verb } from "./ServersClient.ts"
import { mayBeOfProject, verbs } from "./StateWords.ts"

const ICONS: Readonly<Record<Verb, IconName>> = {
  start: "play",
  stop: "stop",
  restart: "retry",
  refresh: "download",
  enable: "power",
  disable: "power"
}

/** Why a server did not come up is said by its state already. */
const isTold = ({ message }: Refusal, { error }: ServerStatus): boolean =>
  error !== null && (message.includes(error.message) || error.message.includes(message))

/** The server that was acted on last, which keeps the focus when its row moves to another group. */
let acted: string | null = null

export interface Doing {
  readonly verb: Signal<Verb | null>
  /** The refusal, unless the state says so itself. */
  readonly refused: Refusal | null
  readonly press: (verb: Verb) => Promise<void>
}

export const useDoing = (status: ServerStatus): Doing => {
  const verb = useSignal<Verb | null>(null)
  const refused = useSignal<Refusal | null>(null)
  const { name } = status
  const group = groupOf(status)
  useLayoutEffect(() => {
    if (acted !== name || document.activeElement !== document.body) return
    document.getElementById(actionsId(name))?.querySelector<HTMLElement>("button")?.focus()
  }, [group])
  const press = async (next: Verb) => {
    acted = name
    verb.value = next
    refused.value = null
    await act(name, next).catch((error) => {
      refused.value = wordsOf(error)
    })
    // Another one may have been pressed meanwhile: a slow start can be stopped.
    if (verb.value === next) verb.value = null
  }
  return {
    verb,
    refused: refused.value !== null && !isTold(refused.value, status) ? refused.value : null,
    press
  }
}

export const actionsId = (name: string) => `actions-${name}`

/** The main action of a state, where it has one. */
export const MainAction = ({ doing, status }: { readonly doing: Doing; readonly status: ServerStatus }) => {
  const { main } = verbs(status)
  const now = doing.verb.value
  if (!isAdmin.value) return null
  if (main === null) {
    return now === null || status.state === "connecting" ? null : <Spinner label={words.verbs[now].doing} />
  }
  const { doing: progress, text } = words.verbs[main]
  const isDoing = now === main
  return (
    <Button
      aria-label={words.verbOf(text, status.name)}
      aria-disabled={isDoing}
      onClick={() => isDoing || void doing.press(main)}
    >
      {isDoing ? <Spinner label={progress} /> : null}
      {text}
    </Button>
  )
}

interface MenuOptions {
  readonly isInList: boolean
  readonly onRemove: () => void
}

/** Everything else, what is gone for good last. */
export const menuItems = (
  status: ServerStatus,
  { press }: Doing,
  { isInList, onRemove }: MenuOptions
): ReadonlyArray<MenuItem> => {
  const details: ReadonlyArray<MenuItem> = isInList
    ? [{ text: words.details, icon: "server", act: () => go("servers", [status.name]) }]
    : []
  return isAdmin.value ?
    [
      ...verbs(status).more.map((verb): MenuItem => ({
        text: words.verbs[verb].text,
        icon: ICONS[verb],
        label: words.verbOf(words.verbs[verb].text, status.name),
        act: () => void press(verb)
      })),
      ...(isInList
        ? [
          {
            text: entries.edit,
            icon: "edit",
            label: entries.editOf(status.name),
            act: () => edit(status.name)
          } as const
        ]
        : []),
      ...details,
      ...(isInList
        ? [{ text: words.log, icon: "book", act: () => go("servers", [status.name, "log"]) } as const]
        : []),
      ...(mayBeOfProject(status)
        ? []
        : [{ text: words.remove, icon: "trash", isDangerous: true, act: onRemove } as const])
    ] :
    details
}

const edit = (name: string) => go("servers", [name, "edit"])

/** Where the entry is what is wrong, editing it is the thing to do. */
export const EditLink = ({ name }: { readonly name: string }) => (
  <Button
    aria-label={entries.editOf(name)}
    onClick={() => edit(name)}
  >
    {entries.edit}
  </Button>
)

export const detailsOf = (name: string) => address("servers", name)
