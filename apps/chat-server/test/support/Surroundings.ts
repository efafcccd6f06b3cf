/** What surrounds the chats of a test: models, configuration and kept results, which say nothing. */
import { LanguageModels, ModelFacts } from "@boocode/language-models"
import { Environment, InvalidFile, McpConfig } from "@boocode/mcp-config"
import { ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ModelProviders } from "../../src/settings/ModelProviders.ts"
import * as Standing from "./Standing.ts"

const scriptedModels = Layer.succeed(LanguageModels, {
  providers: Effect.succeed([
    { provider: "openai", ready: false, missing: "set OPENAI_API_KEY", example: "openai/gpt-5" }
  ]),
  model: () => Effect.die("no test asks for a model"),
  facts: () => Effect.succeed({ ...ModelFacts.UNKNOWN, learn: () => Effect.void }),
  suggested: () => Effect.succeed([]),
  listed: () => Effect.succeed([])
})

/** The providers of an empty environment, which never change. */
export const models = Layer.effect(
  ModelProviders,
  Effect.map(ModelProviders, (providers) => ModelProviders.of({ ...providers, changes: Stream.empty }))
).pipe(
  Layer.provide(ModelProviders.layer),
  Layer.provide([Standing.folder, Environment.layer({}), Standing.files(new Map())]),
  Layer.merge(scriptedModels)
)

/** One file of servers, which is no JSON. */
export const config = McpConfig.layerTest({
  servers: [],
  sources: [{
    file: "data/mcp.json",
    scope: "data",
    state: "invalid",
    hidden: [],
    error: new InvalidFile({ file: "data/mcp.json", line: 3, column: 5, detail: "this is not JSON" })
  }],
  warnings: []
})

const nothing = () => Effect.succeed(null)
/** Nothing is kept of long results. */
export const files = Layer.succeed(ResultFiles, { write: nothing, keep: nothing, read: nothing, bytes: nothing })
