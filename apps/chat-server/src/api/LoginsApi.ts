/**
 * Signing in to remote servers, and out.
 */
import { ServerStatus } from "@boocode/mcp-registry/Schemas"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { BadRequest, Conflict, McpProblems, NotFound } from "../ApiErrors.ts"
import { Login } from "../Login.ts"
import { about, name, nullable } from "./Describe.ts"

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
    params: name,
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
    params: name,
    success: ServerStatus,
    error: McpProblems
  }).annotateMerge(about(
    "Signs out of a server: its tokens are revoked where that is offered, and forgotten in any case."
  ))
)
