/**
 * What runs here and where it keeps things.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "./Describe.ts"

export const AboutDocument = Schema.Struct({
  version: Schema.String.annotate({ description: "of BooCode" }),
  node: Schema.String,
  storage: Schema.Struct({
    kind: Schema.Literals(["sqlite", "postgres", "memory"]),
    name: Schema.String.annotate({ description: "its file, or its address without user and password" })
  }),
  data: Schema.String.annotate({ description: "the folder with configuration, agents and workspace" }),
  state: Schema.String.annotate({ description: "the folder with chats, results and what was allowed" })
})

export const AboutApi = HttpApiGroup.make("about").add(
  HttpApiEndpoint.get("about", "/about", { success: AboutDocument })
    .annotateMerge(about("The version that runs, and where it keeps chats and configuration."))
)
