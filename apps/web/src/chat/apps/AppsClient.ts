/** The routes of the API about the apps of servers. */
import type * as Apps from "@boocode/chat-server/api/apps/AppsApi"
import { ask, path } from "../../api/Client.ts"

export type AppDocument = typeof Apps.AppDocument.Encoded
export type OpenDocument = Extract<AppDocument, { readonly state: "open" }>

/** The call whose app it is. */
export interface AppPlace {
  readonly chat: string
  readonly call: string
}

/** Once: a call of an app that failed is the app's to make again. */
const post = async <A>({ call, chat }: AppPlace, after: ReadonlyArray<string>, body: unknown): Promise<A> => {
  const response = await ask("POST", path("chats", chat, "calls", call, "app", ...after), {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  }, 0)
  return response.json()
}

export const showApp = (place: AppPlace, how: { readonly accept?: string; readonly direct?: boolean }) =>
  post<AppDocument>(place, [], how)
export const callForApp = (place: AppPlace, tool: string, args: unknown) =>
  post<typeof Apps.AppCallResult.Encoded>(place, ["call"], { tool, args: args ?? {} })
export const readForApp = (place: AppPlace, uri: string) =>
  post<{ readonly contents: ReadonlyArray<unknown> }>(place, ["read"], { uri })
