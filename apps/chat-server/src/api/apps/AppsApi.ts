/** The apps of servers in a chat (MCP Apps): their documents, and what they ask of their own server. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "../Documents.ts"
import { Internal, McpProblems, TooLarge } from "../Problems.ts"

const Origins = Schema.Array(Schema.String)

/** The origins that an app may reach. */
export const AppReach = Schema.Struct({ connect: Origins, load: Origins, frame: Origins, clipboard: Schema.Boolean })

const OfApp = {
  server: Schema.String,
  uri: Schema.String,
  /** The raw name of the tool whose result it shows, its title, and its schema. */
  tool: Schema.NullOr(Schema.Struct({
    name: Schema.String,
    title: Schema.NullOr(Schema.String),
    description: Schema.NullOr(Schema.String),
    inputSchema: Schema.JsonObject
  })),
  reach: AppReach
}

const AppFrame = {
  /** The address to frame, good for one page. */
  url: Schema.String,
  /** The origin of that address; null where it is this server's, and the document is in a sandbox by its policy alone. */
  origin: Schema.NullOr(Schema.String)
}

/** An app that the person has to be asked about, or one that can be framed. */
export const AppDocument = Schema.Union([
  Schema.Struct({
    state: Schema.Literal("ask"),
    ...OfApp,
    /** It was shown before, and is another one now. */
    isChanged: Schema.Boolean,
    /** For `accept`: the document and the policy that the yes is about. */
    print: Schema.String
  }),
  Schema.Struct({
    state: Schema.Literal("open"),
    ...OfApp,
    ...AppFrame,
    /** The `allow` of the frame. */
    allow: Schema.String,
    prefersBorder: Schema.NullOr(Schema.Boolean)
  })
])

/** The answer to a call of an app, as its server gave it. */
export const AppCallResult = Schema.Struct({
  content: Schema.Array(Schema.JsonObject),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.Boolean,
  _meta: Schema.optionalKey(Schema.JsonObject)
})

/** Where a document can be framed. */
export const Preview = Schema.Struct({ url: AppFrame.url, origin: AppFrame.origin })

const params = { id: Schema.String, call: Schema.String.annotate({ description: "the id of the tool call" }) }

export const AppsApi = HttpApiGroup.make("apps").add(
  HttpApiEndpoint.post("show", "/chats/:id/calls/:call/app", {
    params,
    payload: [
      Schema.Struct({
        accept: Schema.optionalKey(Schema.String).annotate({
          description: "a person's yes to the app of this `print`, which is kept until the app changes"
        }),
        direct: Schema.optionalKey(Schema.Boolean).annotate({
          description: "the browser does not reach the port of the apps"
        })
      }),
      Schema.Null
    ],
    success: AppDocument,
    error: [...McpProblems, Internal]
  }).annotateMerge(about(
    "The app of a tool call. An app that the person never saw, or that is another one now, is `ask` until it is accepted."
  )),
  HttpApiEndpoint.post("call", "/chats/:id/calls/:call/app/call", {
    params,
    payload: Schema.Struct({
      tool: Schema.String.annotate({ description: "the name that its server has for it" }),
      args: Schema.optionalKey(Schema.Json)
    }),
    success: AppCallResult,
    error: McpProblems
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Calls a tool of the app's own server for the app, as permissions allow: the person may be asked first. 403 " +
        "`AppRefused` for a tool that is not for apps, or that must not be called."
    )),
  HttpApiEndpoint.post("read", "/chats/:id/calls/:call/app/read", {
    params,
    payload: Schema.Struct({ uri: Schema.String }),
    success: Schema.Struct({ contents: Schema.Array(Schema.JsonObject) }),
    error: McpProblems
  }).annotateMerge(about("Reads a resource of the app's own server for the app.")),
  HttpApiEndpoint.post("preview", "/previews", {
    payload: Schema.Struct({
      html: Schema.String,
      direct: Schema.optionalKey(Schema.Boolean).annotate({
        description: "the browser does not reach the port of the apps"
      })
    }),
    success: Preview,
    error: [TooLarge]
  }).annotateMerge(about(
    "Keeps a document that somebody wrote in a chat, for a frame of the page. It is served as apps are, and reaches nothing. " +
      "413 `PreviewTooLarge` for more than 1 MB of it."
  ))
)
