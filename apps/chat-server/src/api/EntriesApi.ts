/** The entries of MCP servers: read, edited, tried, understood from what is pasted, and imported. */
import { LogLine, ServerStatus } from "@boocode/mcp-registry/Schemas"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, describeName, Names, ToolDocument } from "./Documents.ts"
import { EntryProblems } from "./Problems.ts"

const MASK = "••••••••"

const Name = Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(200))
const Text = Schema.String.check(Schema.isMaxLength(1024 * 1024))

/** An entry in a request: one of both. */
const Given = {
  text: Schema.optionalKey(Text).annotate({
    description:
      `the entry as it is to be written, comments and trailing commas welcome; "${MASK}" at its place keeps ` +
      "the hidden value that stands there"
  }),
  entry: Schema.optionalKey(Schema.JsonObject).annotate({
    description: "in place of a text: what the entry is to say; comments beside keys that stay are kept"
  })
}

export const EntryKey = Schema.Struct({
  key: Schema.String,
  type: Schema.Literals(["text", "texts", "map", "flag", "count", "duration", "choice", "object"]),
  about: Schema.String,
  choices: Schema.NullOr(Schema.Array(Schema.String)),
  transport: Schema.NullOr(Schema.Literals(["stdio", "http"])).annotate({
    description: "the servers that have this key; null for all"
  })
})

export const EntryDocument = Schema.Struct({
  name: Schema.String,
  file: Schema.String.annotate({ description: "the declaring file, as a person would name it" }),
  line: Schema.NullOr(Schema.Int).annotate({ description: "where the entry begins in it" }),
  editable: Schema.Boolean,
  why: Schema.NullOr(Schema.String).annotate({ description: "why it cannot be edited here; null when it can" }),
  text: Schema.NullOr(Schema.String).annotate({
    description:
      `the entry as it is written, comments included; secrets are "${MASK}". null where it has no text of ours`
  }),
  entry: Schema.NullOr(Schema.JsonObject).annotate({ description: "what the text says" }),
  seen: Schema.NullOr(Schema.String).annotate({
    description: "a hash of the text, to be sent with a change of it; null without a text"
  }),
  keys: Schema.Array(EntryKey).annotate({ description: "every key that an entry may have" })
})

export const TrialDocument = Schema.Struct({
  server: ServerStatus,
  tools: Schema.Array(ToolDocument),
  log: Schema.Array(LogLine),
  millis: Schema.Finite.annotate({ description: "until it was ready, or failed" })
})

const Advice = { message: Schema.String, hint: Schema.String }

export const PastedDocument = Schema.Struct({
  servers: Schema.Array(Schema.Struct({
    name: Schema.String.annotate({ description: "as the text has it, else made of the command or the address" }),
    entry: Schema.JsonObject,
    text: Schema.String.annotate({ description: "the entry as it would be written" }),
    warnings: Schema.Array(Schema.Struct({
      ...Advice,
      key: Schema.NullOr(Schema.String).annotate({ description: "for instance `args[1]`; null for the whole entry" })
    })),
    refused: Schema.NullOr(Schema.Struct(Advice)).annotate({ description: "why it can never work; null when it may" }),
    taken: Schema.Boolean.annotate({ description: "true when a server has this name, which is no untouched example" })
  })),
  shape: Schema.NullOr(Schema.String).annotate({
    description:
      "`mcpServers`, `entry`, `command`, `url`, `package`, `link`, `claude-command` (also codex, gemini, boocode) " +
      "or the name of another application's shape; null where nothing was understood"
  }),
  problems: Schema.Array(Schema.Struct({
    ...Advice,
    line: Schema.NullOr(Schema.Int),
    column: Schema.NullOr(Schema.Int)
  })),
  published: Schema.NullOr(Schema.String).annotate({
    description: "the server of the MCP registry that a link names: `GET /api/registry/servers/NAME` shows it"
  })
})

const Note = Schema.Struct({
  line: Schema.Int,
  column: Schema.Int,
  key: Schema.String,
  detail: Schema.String,
  matters: Schema.Boolean.annotate({ description: "false for labels and the like" })
})

const Scope = Schema.Literals(["data", "project", "user"])

export const Connections = Schema.Struct({
  clients: Schema.Array(Schema.Struct({
    id: Schema.String.annotate({ description: "what `boocode connect` takes" }),
    title: Schema.String,
    file: Schema.NullOr(Schema.String),
    found: Schema.Boolean.annotate({ description: "whether the application seems to be on this machine" }),
    profile: Schema.NullOr(Schema.String).annotate({ description: "null while it is not connected" }),
    servers: Schema.Int.annotate({ description: "its other servers that are on" }),
    problem: Schema.NullOr(Schema.String).annotate({ description: "why its file cannot be read" })
  })),
  flags: Schema.Array(Schema.String).annotate({ description: "what `boocode connect` needs to mean this data folder" }),
  entry: Schema.JsonObject.annotate({ description: "a file as most applications read it" })
})

export const ImportReport = Schema.Struct({
  target: Schema.Struct({ source: Schema.String, scope: Schema.Union([Scope, Schema.Literal("command-line")]) }),
  isWritten: Schema.Boolean,
  sources: Schema.Array(Schema.Struct({
    application: Schema.NullOr(Schema.String),
    file: Schema.String,
    scope: Schema.NullOr(Scope),
    shape: Schema.String,
    servers: Schema.Array(Schema.Struct({
      name: Schema.String,
      outcome: Schema.Literals(["added", "changed", "unchanged", "skipped"]),
      written: Schema.Boolean.annotate({ description: "whether it is written, or with `dryRun` would be" }),
      enabled: Schema.Boolean,
      held: Schema.Boolean.annotate({ description: "written disabled, because its file is a project's" }),
      transport: Schema.NullOr(Schema.Literals(["stdio", "streamableHttp", "sse"])),
      command: Schema.NullOr(Schema.String),
      args: Schema.NullOr(Schema.Array(Schema.String)),
      url: Schema.NullOr(Schema.String),
      hasHeadersHelper: Schema.Boolean,
      differences: Names.annotate({ description: "the keys that differ from the existing entry" }),
      notes: Schema.Array(Note)
    })),
    notes: Schema.Array(Note),
    error: Schema.NullOr(Schema.Struct({ _tag: Schema.String, ...Advice }))
  })),
  warnings: Schema.Array(Schema.String),
  hints: Schema.Array(Schema.String)
})

/** A misspelt key of the request must not be taken for nothing. */
const STRICT = { onExcessProperty: "error" } as const

export const EntriesApi = HttpApiGroup.make("entries").add(
  HttpApiEndpoint.get("entry", "/mcp/servers/:name/entry", {
    params: describeName,
    success: EntryDocument,
    error: EntryProblems
  }).annotateMerge(about("The entry of a server as its file has it, without secrets, and the keys that it may have.")),
  HttpApiEndpoint.put("setEntry", "/mcp/servers/:name/entry", {
    params: describeName,
    payload: Schema.Struct({
      ...Given,
      newName: Schema.optionalKey(Name),
      seen: Schema.optionalKey(Schema.String).annotate({
        description: "`seen` of the entry that was looked at; 409 with the state `changed` when it is another one now"
      })
    }),
    success: ServerStatus,
    error: EntryProblems
  })
    .annotate(HttpApi.PayloadParseOptions, STRICT)
    .annotateMerge(about(
      "Changes the entry of a server in the file that declares it, and applies it; answers when the server is ready or " +
        "failed. Every other byte of the file stays. 400 says where the text is wrong. A hidden value stays bound to the " +
        "address it was written for. Where others reach this server, 403 for what `POST /api/mcp/servers` refuses, with the " +
        "command line that does it on the machine itself; keys that stay as they are pass."
    )),
  HttpApiEndpoint.post("try", "/mcp/try", {
    payload: Schema.Struct({ name: Name, ...Given }),
    success: TrialDocument,
    error: EntryProblems
  })
    .annotate(HttpApi.PayloadParseOptions, STRICT)
    .annotateMerge(about(
      "Starts the server of an entry, also of one that is disabled or does not exist yet, 30 s at most (3 minutes if it may be downloading), and ends it. Nothing " +
        "is written. A server that fails is 200, with why in `server.error`. The same 400 and 403 as for changing an entry."
    )),
  HttpApiEndpoint.post("read", "/mcp/read", {
    payload: Schema.Struct({ text: Text }),
    success: PastedDocument
  })
    .annotate(HttpApi.PayloadParseOptions, STRICT)
    .annotateMerge(about(
      "Reads a pasted text: JSON of a README, another application's file (TOML and YAML too), a command line, " +
        "`claude mcp add …` and its likes, an address, a link of an _Install_ button. Starts and writes nothing."
    )),
  HttpApiEndpoint.put("variables", "/mcp/servers/:name/variables", {
    params: describeName,
    payload: Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(100_000))),
    success: ServerStatus,
    error: EntryProblems
  }).annotateMerge(about(
    "Writes values for variables that the entry of a server names into `.env` of the data folder, which only its owner may " +
      "read, and starts the server anew. 403 where others reach this server."
  )),
  HttpApiEndpoint.get("connections", "/mcp/connections", { success: Connections }).annotateMerge(about(
    "The applications of this machine that can use BooCode as their one MCP server, whether each is connected, and the entry " +
      "for any other. Changes nothing: `boocode connect` does, on the machine itself."
  )),
  HttpApiEndpoint.get("imports", "/mcp/imports", { success: ImportReport, error: EntryProblems }).annotateMerge(about(
    "The servers that other applications of this machine have, and what importing each application would do."
  )),
  HttpApiEndpoint.post("import", "/mcp/imports", {
    payload: Schema.Struct({
      source: Schema.optionalKey(Schema.String).annotate({
        description: "an application, such as `cursor`; where nobody else reaches this server also a file"
      }),
      text: Schema.optionalKey(Text).annotate({ description: "in place of a source: what `POST /api/mcp/read` reads" }),
      names: Schema.optionalKey(Names).annotate({ description: "only these servers" }),
      force: Schema.optionalKey(Schema.Boolean).annotate({ description: "replaces servers that are there and differ" }),
      dryRun: Schema.optionalKey(Schema.Boolean)
    }),
    success: ImportReport,
    error: EntryProblems
  })
    .annotate(HttpApi.PayloadParseOptions, STRICT)
    .annotateMerge(about(
      "Writes servers of another application, or of a text, into the data file and starts them: the same report as " +
        "`boocode mcp import --json`. An example as it was shipped gives way. Where others reach this server, only what " +
        "`POST /api/mcp/servers` takes."
    ))
)
