/** Agents that are made, changed and taken away. */
import {
  type Agent,
  type AgentConflict,
  type AgentDraft,
  AgentEditor,
  type AgentRefused,
  PersonRegistry,
  SeenRegistries,
  ToolPreview,
  type UnknownAgent,
  type WorkspaceTools
} from "@boocode/chat"
import { McpRegistries } from "@boocode/mcp-registry"
import type { ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { NewAgent } from "../api/AgentEditsApi.ts"
import { ChatApi } from "../api/ChatApi.ts"
import { agentDocument } from "../api/Documents.ts"
import * as Problems from "../api/Problems.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "agentEdits",
  Effect.fnUntraced(function*(handlers) {
    const editor = yield* AgentEditor
    const managed = yield* SeenRegistries.ManagedRegistries
    /** An admin manages every server, also one that is for others. */
    const managing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.mine(effect), McpRegistries, managed)
    const services = yield* Effect.context<McpRegistries | ResultFiles | WorkspaceTools>()
    const shown = (agent: Agent) => Effect.map(editor.whyFixed(agent), (why) => agentDocument(agent, why))
    return handlers.handleAll({
      create: ({ payload }) => Effect.flatMap(Effect.mapError(editor.create(draftOf(payload)), fromChange), shown),
      replace: ({ params, payload }) =>
        Effect.flatMap(Effect.mapError(editor.replace(params.name, draftOf(payload)), fromKnown), shown),
      remove: ({ params }) => Effect.mapError(editor.remove(params.name), fromRemoval),
      preview: ({ payload: { ask = null, tools = null } }) =>
        Effect.mapError(
          Effect.provideContext(managing(ToolPreview.of({ tools, ask })), services),
          Problems.wrongKey
        )
    })
  })
)

const draftOf = ({ name, prompt, ...given }: typeof NewAgent.Type): AgentDraft => ({
  name,
  prompt,
  description: given.description ?? null,
  tools: given.tools ?? null,
  model: given.model ?? null,
  steps: given.steps ?? null,
  temperature: given.temperature ?? null,
  ask: given.ask ?? null,
  code: given.code ?? null,
  for: given.for
})

const fromChange = (error: AgentRefused | AgentConflict) =>
  error._tag === "AgentRefused" ? Problems.wrongKey(error) : Problems.conflict(error.state, error)

const fromKnown = (error: AgentRefused | AgentConflict | UnknownAgent) =>
  error._tag === "UnknownAgent" ? Problems.notFound(error) : fromChange(error)

const fromRemoval = (error: AgentConflict | UnknownAgent) =>
  error._tag === "UnknownAgent" ? Problems.notFound(error) : Problems.conflict(error.state, error)
