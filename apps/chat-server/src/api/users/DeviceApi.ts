/** Routes by which a command logs in with a one-time code, and a person allows it at the page. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about } from "../Documents.ts"
import { BadRequest, NotFound, NotReady, TooMany } from "../Problems.ts"

const text = (most: number) => Schema.String.check(Schema.isMaxLength(most))

const Scopes = Schema.Array(Schema.Literals(["chat", "gateway", "admin"])).check(Schema.isMinLength(1))

const exact = { onExcessProperty: "error" } as const

const code = { code: text(40).annotate({ description: "the code as the command shows it, such as BCDF-GHJK" }) }

/** A command that waits for a person. */
export const WaitingDevice = Schema.Struct({
  device: Schema.String.annotate({ description: "what the machine calls itself; anybody can choose that name" }),
  scopes: Schema.Array(Schema.Literals(["chat", "gateway", "admin"])).annotate({ description: "what its token may do" })
})

const Begun = Schema.Struct({
  deviceCode: Schema.String.annotate({ description: "a secret of the command, with which it asks for its token" }),
  userCode: Schema.String.annotate({ description: "for the person, who types it at `#/device` in the page" }),
  expiresIn: Schema.Finite.annotate({ description: "in seconds" }),
  interval: Schema.Finite.annotate({ description: "how many seconds lie between two questions for the token" })
})

const Outcome = Schema.Struct({
  status: Schema.Literals(["authorization_pending", "slow_down", "access_denied", "expired_token", "done"]),
  token: Schema.optionalKey(Schema.String).annotate({ description: "where the status is `done`: given this once" })
})

export const DeviceApi = HttpApiGroup.make("device").add(
  HttpApiEndpoint.post("begin", "/device", {
    payload: Schema.Struct({ device: text(200), scopes: Scopes }),
    success: Begun.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, TooMany, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about(
      "Begins a login by a code that can be used once, within 10 minutes, as RFC 8628 has it. 429 after 10 of them in a " +
        "minute from one address, 400 on a server of one person."
    )),
  HttpApiEndpoint.post("token", "/device/token", {
    payload: Schema.Struct({ deviceCode: Schema.RedactedFromValue(text(200)) }),
    success: Outcome,
    error: [BadRequest, NotReady]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about(
      "Asks whether a person allowed it. After `slow_down` the interval is 5 s longer; after `access_denied` and " +
        "`expired_token` nothing waits any more."
    )),
  HttpApiEndpoint.get("look", "/me/device/:code", {
    params: code,
    success: WaitingDevice,
    error: [NotFound, TooMany]
  }).annotateMerge(about("Which command waits with a code. 404 for any other code, 429 after 10 of them in a minute.")),
  HttpApiEndpoint.post("decide", "/me/device/:code", {
    params: code,
    payload: Schema.Struct({ allow: Schema.Boolean }),
    success: HttpApiSchema.NoContent,
    error: [NotFound, TooMany]
  })
    .annotate(HttpApi.PayloadParseOptions, exact)
    .annotateMerge(about("Gives that command a token of this person, or denies it. The code is used up."))
)
