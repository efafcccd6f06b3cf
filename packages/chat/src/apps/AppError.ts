/** Why an app of a server is not shown, or may not do something. */
import * as Schema from "effect/Schema"

/** The call has no app. */
export class UnknownApp extends Schema.TaggedError<UnknownApp>()("UnknownApp", { call: Schema.String }) {
  override get message(): string {
    return `the call ${this.call} of this chat has no app`
  }
  readonly hint: string = "only calls of tools that name a ui:// resource have one"
}

/** The server gives no document that can be shown. */
export class UnusableApp extends Schema.TaggedError<UnusableApp>()("UnusableApp", {
  server: Schema.String,
  uri: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `the app ${this.uri} of ${this.server} cannot be shown: ${this.why}`
  }
  readonly hint: string = "the result of the call is shown beside it; the server has to be corrected"
}

/** The app asked for something that it may not have. Nothing was sent. */
export class AppRefused extends Schema.TaggedError<AppRefused>()("AppRefused", {
  server: Schema.String,
  /** The raw name of the tool, or the URI. */
  wanted: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `the app of ${this.server} may not use ${this.wanted}: ${this.why}`
  }
  readonly hint: string = "an app may call the tools of its own server that are for apps, as permissions allow"
}
