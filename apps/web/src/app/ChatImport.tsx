/** Takes in a chat from a file that this server or another exported, or all conversations of another program's export. */
import { importChat } from "../api/Api.ts"
import { titleOf } from "../chat/ChatMenu.tsx"
import { shell } from "../messages/ShellMessages.ts"
import { chats, placeChat } from "../state/ListedChats.ts"
import { tellError } from "../state/Loading.ts"
import { go } from "../state/Route.ts"
import { dismissBad, tell } from "../state/Toasts.ts"

const ID = "import-chat"

export const chooseChatFile = () => document.getElementById(ID)?.click()

const take = async (given: File | undefined) => {
  if (given === undefined) return
  dismissBad()
  const start = await given.slice(0, 100).text()
  const isZip = start.startsWith("PK")
  if (isZip || /^\s*\[/.test(start)) return takeAll(given, isZip).catch(tellError)
  const known = new Set(chats.value?.map(({ id }) => id))
  await importChat(given).then((chat) => {
    placeChat(chat)
    go("chat", [chat.id])
    tell({ text: known.has(chat.id) ? shell.there(titleOf(chat)) : shell.imported(titleOf(chat)) })
  }, tellError)
}

const takeAll = async (given: File, isZip: boolean) => {
  const { importAll } = await import("./ExportedChats.ts")
  const done = await importAll(given, isZip)
  tell({ text: shell.importedAll(done), hint: done.why, isBad: done.imported + done.present === 0 })
}

/** The field behind `chooseChatFile`. */
export const ChatImport = () => (
  <input
    id={ID}
    type="file"
    accept=".json,.md,.markdown,.zip"
    hidden
    onChange={(event) => {
      const input = event.currentTarget
      void take(input.files?.[0]).then(() => input.value = "")
    }}
  />
)
