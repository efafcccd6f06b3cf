/**
 * Logging in where the server wants a token.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about } from "./Describe.ts"

export const AccessApi = HttpApiGroup.make("access").add(
  HttpApiEndpoint.post("login", "/login", {
    payload: Schema.Struct({ token: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000))) }),
    success: HttpApiSchema.NoContent
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Sets the cookie `boocode_session` for who knows the token; it is good for 30 days. 401 for a wrong token, 429 after " +
        "more than 10 of them in a minute. Where nobody needs a token it does nothing."
    )),
  HttpApiEndpoint.post("logout", "/logout", { success: HttpApiSchema.NoContent })
    .annotateMerge(about("Ends the session of the cookie, here and in the browser."))
)
