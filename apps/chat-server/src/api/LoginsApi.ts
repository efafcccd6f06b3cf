/** Signing in to remote servers, and out. */
import { ServerStatus } from "@boocode/mcp-registry/Schemas"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, describeName, nullable } from "./Documents.ts"
import { BadRequest, Conflict, McpProblems, NotFound } from "./Problems.ts"

export const Login = Schema.Struct({
  id: Schema.String,
  server: Schema.String,
  state: Schema.Literals(["waiting", "done", "failed", "cancelled"]),
  url: Schema.NullOr(Schema.String).annotate({
    description: "where a person is to go while it waits for one; to be opened by a click, never by a program's shell"
  }),
  returns: Schema.Boolean.annotate({
    description: "whether the browser comes back to this server by itself; else the address it ends at is to be pasted"
  }),
  message: Schema.NullOr(Schema.String).annotate({ description: "why it failed" }),
  hint: Schema.NullOr(Schema.String),
  expiresAt: Schema.String
})
export type Login = typeof Login.Type

/** Nobody began such a login, or it was over long ago. */
export class UnknownLogin extends Schema.TaggedError<UnknownLogin>()("UnknownLogin", { id: Schema.String }) {
  override get message() {
    return `there is no login ${this.id}`
  }
  readonly hint: string = "begin another one: boocode mcp login NAME, or the page"
}

/** It needs no answer any more. */
export class LoginOver extends Schema.TaggedError<LoginOver>()("LoginOver", { state: Login.fields.state }) {
  override get message() {
    return this.state === "waiting" ? "this login has its answer already" : `this login is ${this.state}`
  }
  readonly hint: string = "begin another one if it is still needed"
}

/** The address is none that this login leads back to. It goes on waiting. */
export class WrongCallback extends Schema.TaggedError<WrongCallback>()("WrongCallback", {}) {
  override get message() {
    return "this is not the address that this login leads back to"
  }
  readonly hint: string = "take the whole address from the browser, as it stands there after you said yes"
}

/** Only this server's own address, or one of the machine that the browser runs on, may get what comes back. */
export class WrongRedirect extends Schema.TaggedError<WrongRedirect>()("WrongRedirect", {}) {
  override get message() {
    return "\"redirectUri\" is not an address of the machine that the browser runs on"
  }
  readonly hint: string = "leave it out, or write one such as http://127.0.0.1:8765/oauth/callback"
}

const id = { id: Schema.String }

const Begin = [
  Schema.Struct({
    redirectUri: nullable(Schema.String.check(Schema.isMaxLength(2000))).annotate({
      description:
        "where the browser is to come back to: an http address of the machine it runs on. Left out, this server's own " +
        "/oauth/callback, where it can be reached over https or is on that machine"
    })
  }),
  Schema.Null
] as const

export const LoginsApi = HttpApiGroup.make("logins").add(
  HttpApiEndpoint.post("begin", "/mcp/servers/:name/login", {
    params: describeName,
    payload: Begin,
    success: Login.pipe(HttpApiSchema.status(201)),
    error: McpProblems
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Begins to sign in to a server. Answers once it is known where a person is to go; the login then waits here for 10 " +
        "minutes. A server that needs nobody is `done` at once. A fourth login at a server ends the oldest."
    )),
  HttpApiEndpoint.get("get", "/mcp/logins/:id", { params: id, success: Login, error: [NotFound] })
    .annotateMerge(about("How a login stands. Known for 10 minutes after it began.")),
  HttpApiEndpoint.post("answer", "/mcp/logins/:id", {
    params: id,
    payload: Schema.Struct({ callbackUrl: Schema.String.check(Schema.isMaxLength(20_000)) }),
    success: Login,
    error: [BadRequest, NotFound, Conflict]
  }).annotateMerge(about(
    "Takes the whole address that the browser ended at, for one that could not come back by itself. Answers when the " +
      "login is over, after 10 s as it stands then. 400 for another address: the login goes on waiting."
  )),
  HttpApiEndpoint.delete("cancel", "/mcp/logins/:id", {
    params: id,
    success: HttpApiSchema.NoContent,
    error: [NotFound]
  }).annotateMerge(about("Ends a login.")),
  HttpApiEndpoint.post("logout", "/mcp/servers/:name/logout", {
    params: describeName,
    success: ServerStatus,
    error: McpProblems
  }).annotateMerge(about(
    "Signs out of a server: its tokens are revoked where that is offered, and forgotten in any case."
  ))
)
