/** The palette: chats by their words, and everything that can be gone to or done, in one list. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listChats } from "../api/Api.ts"
import type { ListedChat } from "../api/Types.ts"
import { titleOf } from "../chat/ChatMenu.tsx"
import { shell } from "../messages/ShellMessages.ts"
import { tools } from "../state/Catalog.ts"
import { newChat } from "../state/Drawer.tsx"
import { isHelpOpen, isPaletteOpen } from "../state/Keys.ts"
import { chats } from "../state/ListedChats.ts"
import { serverList } from "../state/Live.ts"
import { tellError } from "../state/Loading.ts"
import { go, type Place } from "../state/Route.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { type Pickable, Picker } from "../ui/lists/Picker.tsx"
import { setTheme } from "../ui/Theme.ts"
import { chooseChatFile } from "./ChatImport.tsx"

interface Entry extends Pickable {
  readonly act: () => void
}

const command = (text: string, act: () => void): Entry => ({
  key: `do ${text}`,
  text,
  group: shell.groups.commands,
  act
})

const way = (text: string, place: Place): Entry => ({
  key: `go ${place}`,
  text,
  group: shell.groups.places,
  act: () => go(place)
})

const COMMANDS: ReadonlyArray<Entry> = [
  command(shell.newChat, newChat),
  command(shell.importChat, chooseChatFile),
  command(shell.shortcuts, () => isHelpOpen.value = true),
  command(shell.themes.light, () => setTheme("light")),
  command(shell.themes.dark, () => setTheme("dark")),
  command(shell.themes.system, () => setTheme("system"))
]

const WAYS: ReadonlyArray<Entry> = [
  way(shell.servers, "servers"),
  way(shell.tools, "tools"),
  way(shell.agents, "agents"),
  way(shell.settings, "settings")
]

/** So many of the last chats stand there before anything is typed. */
const LAST = 6
/** So many tools at most: a list of thousands helps nobody. */
const MOST = 30

const chatEntry = (chat: Pick<ListedChat, "id" | "title"> & Partial<ListedChat>, word: string): Entry => ({
  key: `chat ${chat.id}`,
  text: titleOf(chat),
  group: shell.groups.chats,
  // What the server found fits, wherever the words stand.
  words: word,
  ...(chat.excerpt === null || chat.excerpt === undefined ? {} : { about: chat.excerpt }),
  act: () => go("chat", [chat.id])
})

const useFound = (word: string) => {
  const found = useSignal<ReadonlyArray<ListedChat>>([])
  useEffect(() => {
    if (word === "") {
      found.value = []
      return undefined
    }
    const abort = new AbortController()
    const timer = setTimeout(() => {
      listChats(word, abort.signal).then((answer) => {
        found.value = answer.chats
      }, (error) => abort.signal.aborted || tellError(error))
    }, 150)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [word])
  return found.value
}

const Inside = () => {
  const word = useSignal("")
  const found = useFound(word.value)
  const close = () => isPaletteOpen.value = false
  const isSearching = word.value !== ""
  const shownChats = isSearching ? found.slice(0, MOST) : (chats.value ?? []).slice(0, LAST)
  const servers = !isSearching ? [] : serverList.value.map(({ name }): Entry => ({
    key: `server ${name}`,
    text: name,
    group: shell.groups.servers,
    act: () => go("servers", [name])
  }))
  const sought = word.value.toLowerCase()
  const someTools = !isSearching ? [] : tools.value
    .filter(({ name, title }) => `${name} ${title ?? ""}`.toLowerCase().includes(sought)).slice(0, MOST)
    .map(({ name, title }): Entry => ({
      key: `tool ${name}`,
      text: name,
      group: shell.groups.tools,
      ...(title === null ? {} : { about: title }),
      act: () => go("tools", [name])
    }))
  return (
    <Dialog title={shell.palette} isBare onClose={close}>
      <Picker
        label={shell.palette}
        placeholder={shell.paletteHint}
        options={[
          ...shownChats.map((chat) => chatEntry(chat, word.value)),
          ...COMMANDS,
          ...WAYS,
          ...servers,
          ...someTools
        ]}
        onWord={(next) => word.value = next}
        onClose={close}
        onChoose={({ act }) => {
          close()
          act()
        }}
      />
    </Dialog>
  )
}

export const Palette = () => isPaletteOpen.value ? <Inside /> : null
