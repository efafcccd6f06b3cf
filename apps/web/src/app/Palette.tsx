/** The palette: places in chats by their words, and everything that can be gone to or done, in one list. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { searchChats } from "../api/Api.ts"
import type { ChatSummary, SearchHit } from "../api/Types.ts"
import { titleOf } from "../chat/ChatMenu.tsx"
import { agentChoice, modelChoice } from "../chat/composer/Pickers.tsx"
import { goTo } from "../chat/WantedPlace.ts"
import { keys, shell } from "../messages/ShellMessages.ts"
import { tools } from "../state/Catalog.ts"
import { chatActions } from "../state/ChatActions.ts"
import { palette } from "../state/Keys.ts"
import { chats } from "../state/ListedChats.ts"
import { serverList } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { go } from "../state/Route.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { Picker } from "../ui/lists/Picker.tsx"
import { commands, type Entry, ways } from "./PaletteCommands.ts"

/** So many of the last chats stand there before anything is typed. */
const LAST = 6
/** So many tools at most: a list of thousands helps nobody. */
const MOST = 30

const chatEntry = (chat: ChatSummary): Entry => ({
  key: `chat ${chat.id}`,
  text: titleOf(chat),
  group: shell.groups.chats,
  act: () => go("chat", [chat.id])
})

const hitEntry = (hit: SearchHit, word: string): Entry => ({
  key: `hit ${hit.chat} ${hit.turn} ${hit.role}`,
  group: shell.groups.chats,
  // A hit of the server fits, wherever the words stand.
  words: word,
  ...(hit.role === "title" ? { text: hit.excerpt } : { text: titleOf(hit), about: hit.excerpt }),
  marks: hit.marks,
  act: () => goTo(hit)
})

const useFound = (word: string) => {
  const found = useSignal<ReadonlyArray<SearchHit>>([])
  useEffect(() => {
    if (word === "") {
      found.value = []
      return undefined
    }
    const abort = new AbortController()
    const timer = setTimeout(() => {
      searchChats(word, abort.signal).then((answer) => {
        found.value = answer.hits
      }, (error) => abort.signal.aborted || tellError(error))
    }, 150)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [word])
  return found.value
}

const serverEntries = (): ReadonlyArray<Entry> =>
  serverList.value.map(({ name }) => ({
    key: `server ${name}`,
    text: name,
    group: shell.groups.servers,
    act: () => go("servers", [name])
  }))

const toolEntries = (word: string): ReadonlyArray<Entry> =>
  tools.value.filter(({ name, title }) => `${name} ${title ?? ""}`.toLowerCase().includes(word.toLowerCase()))
    .slice(0, MOST)
    .map(({ name, title }) => ({
      key: `tool ${name}`,
      text: name,
      group: shell.groups.tools,
      ...(title === null ? {} : { about: title }),
      act: () => go("tools", [name])
    }))

const close = () => palette.value = null

const Everything = () => {
  const word = useSignal("")
  const found = useFound(word.value)
  const options = word.value === ""
    ? [...(chats.value ?? []).slice(0, LAST).map(chatEntry), ...commands(), ...ways()]
    : [
      ...commands(),
      ...ways(),
      ...serverEntries(),
      ...found.map((hit) => hitEntry(hit, word.value)),
      ...toolEntries(word.value)
    ]
  return (
    <Picker
      label={shell.palette}
      placeholder={shell.paletteHint}
      options={options}
      onWord={(next) => word.value = next}
      onClose={close}
      onChoose={({ act, opens }) => {
        if (opens === undefined) close()
        act()
      }}
    />
  )
}

/** Chooses who answers the chat that is shown. */
const Step = ({ of }: { readonly of: "model" | "agent" }) => {
  const actions = chatActions.value
  const choice = actions === null
    ? null
    : of === "agent"
    ? agentChoice({ value: actions.agent, onChange: actions.onAgent })
    : modelChoice({ agent: actions.agent, value: actions.model, onChange: actions.onModel })
  if (choice === null) return null
  return (
    <Picker
      {...choice}
      onClose={close}
      onChoose={(option) => {
        close()
        choice.onChoose(option)
      }}
    />
  )
}

const titles = () => ({ all: shell.palette, model: keys.model, agent: keys.agent })

export const Palette = () => {
  const step = palette.value
  if (step === null) return null
  return (
    <Dialog key={step} title={titles()[step]} isBare onClose={close}>
      {step === "all" ? <Everything /> : <Step of={step} />}
    </Dialog>
  )
}
