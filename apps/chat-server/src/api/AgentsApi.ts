/**
 * Who answers: agents and models.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { AgentDocument, AgentProblemDocument, Models } from "../ApiDocuments.ts"
import { about } from "./Describe.ts"

export const AgentsApi = HttpApiGroup.make("agents").add(
  HttpApiEndpoint.get("agents", "/agents", {
    success: Schema.Struct({ agents: Schema.Array(AgentDocument), problems: Schema.Array(AgentProblemDocument) })
  }).annotateMerge(about(
    "The agents of AGENTS.md and of the folder agents/, the default one first, and what is wrong in those files."
  )),
  HttpApiEndpoint.get("models", "/models", { success: Models })
    .annotateMerge(about("Which model providers can be used, and what the others are missing."))
)
