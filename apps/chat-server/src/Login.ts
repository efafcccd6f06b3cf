/**
 * One login at a remote server as a person follows it, and why one cannot be answered.
 */
import * as Schema from "effect/Schema"

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
  get hint() {
    return "begin another one"
  }
}

/** It needs no answer any more. */
export class LoginOver extends Schema.TaggedError<LoginOver>()("LoginOver", { state: Login.fields.state }) {
  override get message() {
    return this.state === "waiting" ? "this login has its answer already" : `this login is ${this.state}`
  }
  get hint() {
    return "begin another one if it is still needed"
  }
}

/** The address is none that this login leads back to. It goes on waiting. */
export class WrongCallback extends Schema.TaggedError<WrongCallback>()("WrongCallback", {}) {
  override get message() {
    return "this is not the address that this login leads back to"
  }
  get hint() {
    return "take the whole address from the browser, as it stands there after you said yes"
  }
}

/** Only this server's own address, or one of the machine that the browser runs on, may get what comes back. */
export class WrongRedirect extends Schema.TaggedError<WrongRedirect>()("WrongRedirect", {}) {
  override get message() {
    return "\"redirectUri\" is not an address of the machine that the browser runs on"
  }
  get hint() {
    return "leave it out, or write one such as http://127.0.0.1:8765/oauth/callback"
  }
}
