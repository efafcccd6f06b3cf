/** Takes in a chat from a file that this server or another exported. */
import { importChat } from "../api/Api.ts"
import { titleOf } from "../chat/ChatMenu.tsx"
import { shell } from "../messages/ShellMessages.ts"
import { placeChat } from "../state/ListedChats.ts"
import { tellError } from "../state/Loading.ts"
import { go } from "../state/Route.ts"
import { dismissBad, tell } from "../state/Toasts.ts"

const ID = "import-chat"

export const chooseChatFile = () => document.getElementById(ID)?.click()

const take = async (given: File | undefined) => {
  if (given === undefined) return
  dismissBad()
  await importChat(given).then((chat) => {
    placeChat(chat)
    go("chat", [chat.id])
    tell({ text: shell.imported(titleOf(chat)) })
  }, tellError)
}

/** The field behind `chooseChatFile`. */
export const ChatImport = () => (
  <input
    id={ID}
    type="file"
    accept=".json,.md,.markdown"
    hidden
    onChange={(event) => {
      const input = event.currentTarget
      void take(input.files?.[0]).then(() => input.value = "")
    }}
  />
)
