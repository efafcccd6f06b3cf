/**
 * Whether the server answers.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Health } from "../ApiDocuments.ts"
import { NotReady } from "../ApiErrors.ts"
import { about } from "./Describe.ts"

export const HealthApi = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", {
    query: {
      nonce: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
      ready: Schema.optionalKey(Schema.String).annotate({
        description:
          "503 unless `status` is ok: for who decides where requests go. MCP servers that connect do not count"
      })
    },
    success: Health,
    error: [NotReady]
  })
    .annotateMerge(about("Whether the server answers, and how its MCP servers are."))
)
