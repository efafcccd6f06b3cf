/** Routes about people: who makes a request, how they sign in, their sessions and tokens, and who there is. */
import { User } from "@boocode/chat/CurrentUser"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about } from "../Documents.ts"
import { BadRequest, Conflict, Forbidden, NotFound, NotReady, TooMany, Unauthorized } from "../Problems.ts"

const Time = Schema.String.annotate({ description: "ISO 8601, in UTC" })

const text = (most: number) => Schema.String.check(Schema.isMaxLength(most))

const Password = Schema.RedactedFromValue(text(1000))

const NewPassword = Schema.RedactedFromValue(text(1000).check(Schema.isMinLength(10))).annotate({
  description: "10 characters or more"
})

/** How a browser can sign in, for a page that knows nobody yet. */
export const SignInWays = Schema.Struct({
  users: Schema.Boolean.annotate({ description: "whether people sign in as themselves" }),
  signedIn: Schema.Boolean,
  provider: Schema.NullOr(Schema.String).annotate({
    description: "the words of a button that leads to /oauth/sign-in; null without an identity provider"
  }),
  token: Schema.Boolean.annotate({ description: "whether this server has a token, with which its owner logs in" }),
  safe: Schema.Boolean.annotate({ description: "false over plain http, where nobody can sign in" })
})

const exact = { onExcessProperty: "error" } as const

export const SignInApi = HttpApiGroup.make("signIn").add(
  HttpApiEndpoint.get("ways", "/session", { success: SignInWays, error: [NotReady] })
    .annotateMerge(about("How people sign in here, and whether this browser did.")),
  HttpApiEndpoint.post("signIn", "/session", {
    payload: Schema.Struct({ name: text(200), password: Password }),
    success: HttpApiSchema.NoContent,
    error: [Unauthorized, Forbidden, TooMany, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about(
      "Takes a name and a password, and sets the cookie of a session, which ends when it was not used for 30 days. 401 for " +
        "a wrong one, 429 after 10 of them in a minute, 403 over plain http. `POST /api/logout` ends it."
    )),
  HttpApiEndpoint.get("invitation", "/invitations/:token", {
    params: { token: text(200) },
    success: Schema.Struct({ name: Schema.String, until: Time }),
    error: [NotFound, NotReady]
  }).annotateMerge(about("The person that an invitation is for, and when it ends. 404 when it was used or ended.")),
  HttpApiEndpoint.post("accept", "/invitations/:token", {
    params: { token: text(200) },
    payload: Schema.Struct({
      password: Schema.NullOr(NewPassword).annotate({ description: "null keeps only this browser signed in" })
    }),
    success: HttpApiSchema.NoContent,
    error: [NotFound, Forbidden, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about("Uses an invitation up: sets a password or none, and begins a session. 403 over plain http."))
)

export const Session = Schema.Struct({
  id: Schema.String,
  device: Schema.String.annotate({ description: "what the browser calls itself" }),
  created: Time,
  lastUsed: Time,
  current: Schema.Boolean.annotate({ description: "true for the session of this request" })
})

const Scopes = Schema.Array(Schema.Literals(["chat", "gateway", "admin"])).check(Schema.isMinLength(1))

export const Token = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  scopes: Scopes.annotate({
    description: "`chat` for what a member may, `gateway` for the tools at /mcp, `admin` for what an admin may besides"
  }),
  created: Time,
  lastUsed: Schema.NullOr(Time)
})

const id = { id: text(100) }

const secret = {
  name: text(100).annotate({ description: "the NAME of `${user:NAME}` in an entry" })
}

export const Secret = Schema.Struct({ name: Schema.String, updated: Time })

export const MeApi = HttpApiGroup.make("me").add(
  HttpApiEndpoint.get("get", "/me", {
    success: Schema.Struct({
      users: Schema.Boolean.annotate({ description: "false on a server of one person, who has no name" }),
      user: User,
      admin: Schema.Boolean.annotate({ description: "whether this request may change what holds for everyone" })
    }),
    error: [NotReady]
  }).annotateMerge(about("The person who makes this request, and whether they may act as an admin.")),
  HttpApiEndpoint.put("password", "/me/password", {
    payload: Schema.Struct({ password: NewPassword, before: Password }),
    success: HttpApiSchema.NoContent,
    error: [Unauthorized, Forbidden, TooMany, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about(
      "Sets a new password in the place of `before`, and ends all sessions but a new one of this browser. A person without one asks " +
        "for a new invitation."
    )),
  HttpApiEndpoint.get("sessions", "/me/sessions", {
    success: Schema.Struct({ sessions: Schema.Array(Session) }),
    error: [NotReady]
  }).annotateMerge(about("Where this person is signed in, the last used first.")),
  HttpApiEndpoint.delete("endSession", "/me/sessions/:id", {
    params: id,
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about("Signs that browser out.")),
  HttpApiEndpoint.get("tokens", "/me/tokens", {
    success: Schema.Struct({ tokens: Schema.Array(Token) }),
    error: [NotReady]
  }).annotateMerge(about("The tokens with which programs act for this person, sorted by name.")),
  HttpApiEndpoint.post("addToken", "/me/tokens", {
    payload: Schema.Struct({ name: text(64), scopes: Scopes }),
    success: Schema.Struct({
      ...Token.fields,
      token: Schema.String.annotate({ description: "shown this once; its hash alone is kept" })
    }).pipe(HttpApiSchema.status(201)),
    error: [BadRequest, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about("Makes a token for a program, such as the command line on another machine.")),
  HttpApiEndpoint.delete("removeToken", "/me/tokens/:id", {
    params: id,
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about("Takes a token back. It lets nobody in from then on.")),
  HttpApiEndpoint.get("secrets", "/me/secrets", {
    success: Schema.Struct({ secrets: Schema.Array(Secret) }),
    error: [NotReady]
  }).annotateMerge(about(
    "The names of the values that this person gave for `${user:NAME}` in entries, and since when they are kept. No answer " +
      "has a value."
  )),
  HttpApiEndpoint.put("setSecret", "/me/secrets/:name", {
    params: secret,
    payload: Schema.Struct({ value: Schema.RedactedFromValue(text(10_000)) }),
    success: Secret,
    error: [BadRequest, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about(
      "Keeps a value, sealed, in place of the one before. Servers of entries that use it start for this person, or start anew."
    )),
  HttpApiEndpoint.delete("removeSecret", "/me/secrets/:name", {
    params: secret,
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about("Forgets a value, and ends this person's servers that use it."))
)

export const KnownUser = Schema.Struct({
  ...User.fields,
  created: Time,
  hasPassword: Schema.Boolean,
  isFromProvider: Schema.Boolean.annotate({ description: "an identity provider or a proxy says who they are" }),
  invitedUntil: Schema.NullOr(Time).annotate({ description: "null when no invitation waits for them" }),
  lastSeen: Schema.NullOr(Time).annotate({ description: "when a browser of theirs last asked for something" })
})

export const Invitation = Schema.Struct({
  user: User,
  link: Schema.String.annotate({ description: "where they come in; shown this once" }),
  until: Time
})

const name = { name: text(200).annotate({ description: "the person's name, or their id" }) }

const groups = Schema.Array(text(100)).check(Schema.isMaxLength(100))

export const UsersApi = HttpApiGroup.make("users").add(
  HttpApiEndpoint.get("list", "/users", {
    success: Schema.Struct({ users: Schema.Array(KnownUser) }),
    error: [NotReady]
  }).annotateMerge(about("The people of this server, sorted by name; none on a server of one person.")),
  HttpApiEndpoint.post("add", "/users", {
    payload: Schema.Struct({
      name: text(200),
      role: Schema.optionalKey(User.fields.role).annotate({ description: "`member` unless given" }),
      groups: Schema.optionalKey(groups)
    }),
    success: Invitation.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about(
      "Adds a person, and gives the link with which they come in within 7 days. The first one is an admin and gets the " +
        "chats there are; from then on everyone signs in."
    )),
  HttpApiEndpoint.patch("change", "/users/:name", {
    params: name,
    payload: Schema.Struct({ role: Schema.optionalKey(User.fields.role), groups: Schema.optionalKey(groups) }),
    success: User,
    error: [NotFound, Conflict, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about("Changes the role or the groups of a person. 409 for the last admin, who stays one.")),
  HttpApiEndpoint.delete("remove", "/users/:name", {
    params: name,
    success: HttpApiSchema.NoContent,
    error: [NotFound, Conflict, NotReady]
  }).annotateMerge(about("Removes a person, their sessions and their tokens. 409 for the last admin.")),
  HttpApiEndpoint.post("invite", "/users/:name/invitation", {
    params: name,
    success: Invitation,
    error: [NotFound, NotReady]
  }).annotateMerge(about("A new link for a person, who can set a new password with it. It ends the link before."))
)
