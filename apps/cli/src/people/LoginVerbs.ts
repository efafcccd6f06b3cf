/** `login` and `logout`: the token with which commands on this machine act at a server elsewhere. */
import { isSecure } from "@boocode/mcp-client/Text"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Backend } from "../backend/Backend.ts"
import { plainly, Remote } from "../backend/Remote.ts"
import { atServer } from "../backend/VerbContext.ts"
import { ADDRESS, address, optionalArgument, RemoteToken, switchFlag, verb } from "../options/Options.ts"
import { Failed, Usage } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"
import * as SecretInput from "../terminal/SecretInput.ts"
import * as CodeLogin from "./CodeLogin.ts"

const url = Argument.String("URL").pipe(
  Argument.withDescription("The address of the server, such as https://chat.example"),
  Argument.filterMap(address, () => ADDRESS)
)

const as = (token: Redacted.Redacted<string>) => Effect.provideService(RemoteToken, token)

const admin = switchFlag("admin", "Ask for a token that may do what admins may")

export const login = Command.make(
  "login",
  { url, admin },
  ({ admin: isAdmin, url }) =>
    verb(Effect.fnUntraced(function*({ json }) {
      if (!isSecure(url)) return yield* unsafe(url)
      const { logins } = yield* Backend
      const { inputIsTerminal } = yield* Output
      const byCode = inputIsTerminal ? atServer(url)(CodeLogin.token(url, isAdmin)) : Effect.succeed(null)
      const token = (yield* RemoteToken) ?? (yield* byCode) ?? (yield* typed(url))
      // Before it is kept: a wrong token is told now, and not by a later command.
      const { admin, user, users } = yield* Remote.use(({ api, quick }) => quick(api.me.get())).pipe(
        Effect.mapError(plainly),
        atServer(url),
        as(token)
      )
      yield* logins.keep(url, token)
      const { document, lines } = yield* Output
      if (json) return yield* document({ url, users, user, admin })
      const who = users ? `you are ${oneLine(user.name)} at ${plain(url)}` : `the token opens ${plain(url)}`
      yield* lines([`${who}; commands with --url ${plain(url)} use it`])
    }))
).pipe(
  Command.withDescription(
    "Log in to a server elsewhere: you type a code at its page; or the token is read from standard input, and tried"
  ),
  Command.withExamples([
    { command: "boocode login https://chat.example", description: "Shows the address and the code" },
    { command: "boocode login https://chat.example < FILE", description: "With a token from Your account in its page" }
  ])
)

export const logout = Command.make(
  "logout",
  { url: optionalArgument(url) },
  ({ url }) =>
    verb(Effect.fnUntraced(function*({ json }) {
      const { logins } = yield* Backend
      const known = yield* logins.addresses
      const [only] = known
      if (only === undefined || (url !== null && !known.includes(url))) return yield* notLoggedIn(url)
      if (url === null && known.length > 1) return yield* several(known)
      const which = url ?? only
      const token = yield* logins.forget(which)
      const { document, lines, notePaint, notes } = yield* Output
      const end = Remote.use(({ api, quick }) => quick(api.access.logout())).pipe(
        Effect.mapError(plainly),
        atServer(which)
      )
      const left = token === null ? LOCKED : yield* Effect.match(as(token)(end), {
        onSuccess: () => null,
        // Somebody took it back before.
        onFailure: ({ message, tag }) => tag === "WrongToken" ? null : message
      })
      if (left !== null) {
        yield* notes([
          `${notePaint.careful("warning")}  the token still opens the server: ${plain(left)}`,
          notePaint.dim("  take it back under Your account in the page")
        ])
      }
      yield* json ? document({ url: which, takenBack: left === null }) : lines([`signed out of ${plain(which)}`])
    }))
).pipe(Command.withDescription("Forget the token for a server elsewhere, and take it back there"))

const typed = Effect.fnUntraced(function*(url: string) {
  const { inputIsTerminal, notes } = yield* Output
  if (inputIsTerminal) yield* notes([`Make a token with the scope chat under Your account at ${plain(url)}`])
  const token = yield* SecretInput.read("Token (not shown) ")
  if (token === "") return yield* NOTHING
  return /^[\x21-\x7e]+$/.test(token) ? Redacted.make(token) : yield* NO_TOKEN
})

const NOTHING = new Usage({
  message: "standard input holds no token, so nothing was kept",
  hint: "run it in a terminal, or pipe the token in: boocode login URL < FILE"
})

const NO_TOKEN = new Usage({
  message: "that is no token: it has spaces, lines or characters that no token has",
  hint: "copy the token alone"
})

const LOCKED = "what was kept could not be opened"

const unsafe = (url: string) =>
  new Failed({
    tag: "InsecureLogin",
    message: `${plain(url)} is plain http, over which others on the way could read the token`,
    hint: "use the https address of the server; http is for servers of this machine"
  })

const notLoggedIn = (url: string | null) =>
  new Failed({
    tag: "NotLoggedIn",
    message: url === null ? "no token is kept for any server" : `no token is kept for ${plain(url)}`,
    hint: "boocode login URL keeps one"
  })

const several = (known: ReadonlyArray<string>) =>
  new Usage({
    message: `tokens are kept for several servers: ${known.map(plain).join(", ")}`,
    hint: "name one: boocode logout URL"
  })
