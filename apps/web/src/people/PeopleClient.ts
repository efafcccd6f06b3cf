/** The routes about people that the page uses. */
import type * as Usage from "@boocode/chat-server/api/users/UsageApi"
import type * as Users from "@boocode/chat-server/api/users/UsersApi"
import type * as UserModel from "@boocode/chat/CurrentUser"
import { get, patch, path, post, put, remove } from "../api/Client.ts"
import { chosen, keep as keepLanguage } from "../language/Language.ts"
import { forgetDrafts } from "../state/offline/KeptDrafts.ts"
import { forgetPage } from "../state/offline/Worker.ts"
import { setTheme, theme } from "../ui/Theme.ts"

export type OwnUsageReport = typeof Usage.UsageReport.Encoded
export type Person = typeof UserModel.User.Encoded
export type KnownPerson = typeof Users.KnownUser.Encoded
export type Invitation = typeof Users.Invitation.Encoded
export type SignInWays = typeof Users.SignInWays.Encoded
export type Session = typeof Users.Session.Encoded
export type Token = typeof Users.Token.Encoded
export type Secret = typeof Users.Secret.Encoded
export type Scope = Token["scopes"][number]

export interface Me {
  /** False on a server of one person. */
  readonly users: boolean
  readonly user: Person
  readonly admin: boolean
}

export const getMe = () => get<Me>("me")
export const getWays = () => get<SignInWays>("session")
export const signIn = (name: string, password: string) => post<null>("session", { name, password })
/** Nothing of the person stays in the browser but its look: the answer has it forget the rest, as far as it follows. */
export const signOut = async () => {
  await post<null>("logout")
  forgetDrafts()
  await forgetPage()
  setTheme(theme.value)
  keepLanguage(chosen)
}
export const loginWithToken = (token: string) => post<null>("login", { token })
export const getInvitation = (token: string) =>
  get<{ readonly name: string; readonly until: string }>(path("invitations", token))
export const acceptInvitation = (token: string, password: string | null) =>
  post<null>(path("invitations", token), { password })

export const listPeople = () => get<{ readonly users: ReadonlyArray<KnownPerson> }>("users")
export const addPerson = (name: string, role: Person["role"], groups: ReadonlyArray<string>) =>
  post<Invitation>("users", { name, role, groups })
export const changePerson = (id: string, role: Person["role"]) => patch<Person>(path("users", id), { role })
export const invitePerson = (id: string) => post<Invitation>(path("users", id, "invitation"))
export const removePerson = (id: string) => remove(path("users", id))

export const listSessions = () => get<{ readonly sessions: ReadonlyArray<Session> }>("me/sessions")
export const endSession = (id: string) => remove(path("me", "sessions", id))
export const listTokens = () => get<{ readonly tokens: ReadonlyArray<Token> }>("me/tokens")
export const addToken = (name: string, scopes: ReadonlyArray<Scope>) =>
  post<Token & { readonly token: string }>("me/tokens", { name, scopes })
export const removeToken = (id: string) => remove(path("me", "tokens", id))
export interface OwnShare {
  readonly id: string
  readonly chat: string
  readonly created: string
  readonly title: string
}

export const getUsage = () => get<OwnUsageReport>("me/usage")
export const listShares = () => get<{ readonly shares: ReadonlyArray<OwnShare> }>("shares")
export const takeBack = (chat: string) => remove(path("chats", chat, "share"))
export const listSecrets = () => get<{ readonly secrets: ReadonlyArray<Secret> }>("me/secrets")
export const putSecret = (name: string, value: string) => put<Secret>(path("me", "secrets", name), { value })
export const removeSecret = (name: string) => remove(path("me", "secrets", name))
export const changePassword = (before: string, password: string) => put<null>("me/password", { before, password })
