/** The apps of servers in a chat: each is found by its call, so that a page can choose neither its server nor its document. */
import {
  Agents,
  AppCall,
  AppDocument,
  type AppErrors,
  ChatApp,
  Chats,
  type ChatStoreFailed,
  CurrentUser,
  PersonRegistry,
  type UnknownAgent,
  type UnknownChat,
  type WorkspaceTools
} from "@boocode/chat"
import type { StateFileError } from "@boocode/mcp-client/StateFile"
import { type McpError, type McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import { type ResultFiles, Utf8 } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import { allowOf } from "../../apps/AppDocuments.ts"
import * as AppHost from "../../apps/AppHost.ts"
import { AppPins, printOf } from "../../apps/AppPins.ts"
import * as AppPolicy from "../../apps/AppPolicy.ts"
import { Settings } from "../../settings/Settings.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "apps",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents
    const chats = yield* Chats
    const host = yield* AppHost.AppHost
    const pins = yield* AppPins
    const { approvals } = yield* Settings
    const services = yield* Effect.context<
      FileSystem.FileSystem | McpRegistries | Path.Path | ResultFiles | WorkspaceTools
    >()
    const asMine = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideContext(PersonRegistry.mine(effect), services)
    const appOf = Effect.fnUntraced(function*({ call, id }: { readonly id: string; readonly call: string }) {
      return yield* ChatApp.of(yield* chats.get(id), call, yield* chats.draft(id, call))
    })

    const show = Effect.fnUntraced(function*(
      place: { readonly id: string; readonly call: string },
      { accept, direct = false }: { readonly accept?: string | undefined; readonly direct?: boolean | undefined }
    ) {
      const app = yield* appOf(place)
      const { html, ui } = yield* AppDocument.read(app)
      const policy = AppPolicy.of(ui, host.names)
      const print = printOf(html, policy)
      const pinned = { owner: (yield* CurrentUser).id, server: app.server, uri: app.uri }
      const about = { server: app.server, uri: app.uri, tool: yield* toolOf(app), reach: policy }
      const standing = yield* pins.standing(pinned, print)
      if (standing !== "seen" && accept !== print) {
        return { state: "ask" as const, ...about, isChanged: standing === "changed", print }
      }
      if (standing !== "seen") yield* pins.pin(pinned, print)
      const page = yield* pageOf
      const border = ui["prefersBorder"]
      return {
        state: "open" as const,
        ...about,
        ...yield* host.show({ html, policy, page, isDirect: direct }),
        allow: allowOf(policy),
        prefersBorder: typeof border === "boolean" ? border : null
      }
    }, asMine)

    const call = Effect.fnUntraced(
      function*(
        place: { readonly id: string; readonly call: string },
        { args, tool }: { readonly tool: string; readonly args?: unknown }
      ) {
        const app = yield* appOf(place)
        const agent = yield* agents.agent(app.chat.agent)
        const result = yield* AppCall.call(app, { tool, args, agent, ask: approvals.ask })
        const { content, isError, meta, structuredContent } = result
        return {
          content,
          isError,
          ...structuredContent === null ? {} : { structuredContent },
          ...meta === undefined ? {} : { _meta: meta }
        }
      },
      asMine
    )

    const read = Effect.fnUntraced(
      function*(place: { readonly id: string; readonly call: string }, uri: string) {
        const app = yield* appOf(place)
        const contents = yield* McpRegistry.use((registry) =>
          registry.readResource(app.server, uri, { asWritten: true })
        )
        return {
          contents: contents.map(({ blob, mimeType, passed, text, uri }) => ({
            uri,
            ...mimeType === null ? {} : { mimeType },
            ...blob === null ? { text: text ?? "" } : { blob },
            ...passed
          }))
        }
      },
      asMine
    )

    const preview = Effect.fnUntraced(function*(
      { direct = false, html }: { readonly html: string; readonly direct?: boolean | undefined }
    ) {
      const bytes = Utf8.byteLength(html)
      if (bytes > MOST_PREVIEWED) return yield* new PreviewTooLarge({ bytes })
      return yield* host.show({ html, policy: AppPolicy.of({}, []), page: yield* pageOf, isDirect: direct })
    })

    return handlers.handleAll({
      show: ({ params, payload }) => Effect.mapError(show(params, payload ?? {}), problemOf),
      call: ({ params, payload }) => Effect.mapError(call(params, payload), problemOf),
      read: ({ params, payload }) => Effect.mapError(read(params, payload.uri), problemOf),
      preview: ({ payload }) => Effect.mapError(preview(payload), (error) => Problems.tooLarge(error))
    })
  })
)

/** A page keeps several of them in memory. */
const MOST_PREVIEWED = 1_000_000

class PreviewTooLarge extends Schema.TaggedError<PreviewTooLarge>()("PreviewTooLarge", { bytes: Schema.Int }) {
  readonly hint: string = "save it, and open it with a browser"
  override get message(): string {
    return `the document has ${this.bytes} bytes, and a preview shows at most ${MOST_PREVIEWED}`
  }
}

/** The tool whose result the app shows, as it is now; null where the server has it no more. */
const toolOf = ({ name, server }: ChatApp.ChatApp) =>
  Effect.map(
    McpRegistry.use(({ tools, writers }) => Effect.all([tools, writers])),
    (lists) => {
      const found = lists.flat().find((one) => one.server === server && one.name === name)
      if (found === undefined) return null
      const { description, inputSchema, title, tool } = found
      return { name: tool, title, description, inputSchema }
    }
  )

/** The origin of the page that asks. A browser says it with each POST. */
const pageOf = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => URL.parse(headers["origin"] ?? `http://${headers["host"] ?? "127.0.0.1"}`)?.origin ?? "null"
)

type Failure =
  | AppErrors.UnknownApp
  | AppErrors.UnusableApp
  | AppErrors.AppRefused
  | McpError
  | UnknownAgent
  | UnknownChat
  | ChatStoreFailed

const problemOf = (error: Failure | StateFileError): Problems.McpProblem | ReturnType<typeof Problems.internal> => {
  switch (error._tag) {
    case "McpError":
      return Problems.fromMcp(error)
    case "AppRefused":
      return Problems.forbidden(error)
    case "UnusableApp":
      return Problems.badGateway(error)
    case "StateFileError":
      return Problems.internal({
        _tag: "AppNotKept",
        message: error.message,
        hint: "see whether the state folder can be written"
      })
    case "UnknownApp":
    case "UnknownAgent":
      return Problems.notFound(error)
    default:
      return Problems.fromKnownChat(error)
  }
}

/** The documents that this server's own port sends, to anybody who has the address. */
export const documentLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { document } = yield* AppHost.AppHost
  yield* router.add(
    "GET",
    `${AppHost.PATH}/:id`,
    Effect.gen(function*() {
      const { id = "" } = yield* HttpRouter.params
      const found = yield* document(id)
      return found === null
        ? HttpServerResponse.text("There is nothing here.\n", { status: 404 })
        : HttpServerResponse.text(found.html, {
          contentType: AppHost.HEADERS["content-type"],
          headers: { ...AppHost.HEADERS, "content-security-policy": found.policy }
        })
    })
  )
}))
