/** Logins that are under way, by server. They go on while the person looks at another part of the page. */
import { signal } from "@preact/signals"
import { Problem } from "../../api/Client.ts"
import type { Login } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { tell } from "../../state/Toasts.ts"
import { cancelLogin, getLogin, login, pasteLogin } from "../ServersClient.ts"

export const logins = signal<ReadonlyMap<string, Login>>(new Map())

/** The person is mostly in another tab meanwhile. */
const EVERY_MILLIS = 1500

const isUnderWay = ({ id, server }: Login): boolean => logins.value.get(server)?.id === id

const forget = (server: string) => {
  logins.value = new Map([...logins.value].filter(([name]) => name !== server))
}

/** One that is done or was cancelled is over; one that failed stays with its words until it is tried again. */
const place = (found: Login) => {
  if (found.state === "waiting" || found.state === "failed") {
    logins.value = new Map(logins.value).set(found.server, found)
    return
  }
  forget(found.server)
  if (found.state === "done") tell({ text: texts.loggedInTo(found.server) })
}

const follow = (begun: Login) => {
  setTimeout(() => {
    if (!isUnderWay(begun) || logins.value.get(begun.server)?.state !== "waiting") return
    getLogin(begun.id).then((found) => {
      if (isUnderWay(begun)) place(found)
    }, (error) => {
      // A server that started anew knows nothing of it; one that is away comes back.
      if (isUnderWay(begun) && error instanceof Problem && error.status === 404) forget(begun.server)
    }).finally(() => follow(begun))
  }, EVERY_MILLIS)
}

/** Begins one; fails with what the server says. */
export const begin = async (server: string): Promise<void> => {
  forget(server)
  const begun = await login(server)
  place(begun)
  if (begun.state === "waiting") follow(begun)
}

/** The address at which the browser ended, where it cannot come back by itself. */
export const paste = async (waiting: Login, address: string): Promise<void> =>
  place(await pasteLogin(waiting.id, address))

/** Also of one that failed, which only forgets it. */
export const giveUp = async ({ id, server, state }: Login): Promise<void> => {
  forget(server)
  if (state === "waiting") await cancelLogin(id)
}
