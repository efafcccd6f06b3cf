/** The rules of permissions: which there are, changing a person's own file, explaining a call, and running the examples. */
import { Grant } from "@boocode/chat/AllowedTools"
import { Conditions, PermissionRule } from "@boocode/toolkit"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, FileWriteMode, nullable } from "./Documents.ts"
import { BadRequest, Conflict, Forbidden, NotFound, NotReady, WrongPermissions } from "./Problems.ts"

const Names = Schema.NullOr(Schema.Array(Schema.String))

const outcome = Schema.Literals(PermissionRule.OUTCOMES)
const mode = Schema.Literals(PermissionRule.MODES)
const toolClass = Schema.Literals(PermissionRule.CLASSES)

/** A rule. */
export const RuleDocument = Schema.Struct({
  outcome,
  patterns: Schema.Array(Schema.String),
  class: Schema.NullOr(Schema.Array(toolClass)),
  server: Names,
  agent: Names,
  where: Conditions.Where,
  until: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  source: Schema.String.annotate({
    description: "the file and its line, or the settings, agent or entry it comes from"
  }),
  text: Schema.String.annotate({ description: "such as `deny files_* where path is secrets/*`" })
})

const ListedRule = Schema.Struct({
  ...RuleDocument.fields,
  problem: Schema.NullOr(Schema.String).annotate({
    description: "why it is about no tool; null where it is about one, or where that cannot be told now"
  })
})

const FileProblem = Schema.Struct({
  file: Schema.String,
  line: Schema.NullOr(Schema.Int).annotate({ description: "from 1; null when the file could not be read at all" }),
  column: Schema.NullOr(Schema.Int),
  key: Schema.NullOr(Schema.String),
  message: Schema.String,
  hint: Schema.String
})

const Example = Schema.Struct({
  tool: Schema.String,
  args: Schema.JsonObject,
  agent: Schema.NullOr(Schema.String),
  expect: outcome,
  source: Schema.String
})

/** An example that came out in another way. */
export const FailedExample = Schema.Struct({
  ...Example.fields,
  outcome: Schema.NullOr(outcome).annotate({ description: "null when nobody knows the tool" }),
  why: Schema.String
})

/** The outcome of the examples. */
export const ExampleReport = Schema.Struct({
  passed: Schema.Int,
  failed: Schema.Array(FailedExample),
  problems: Schema.Array(FileProblem)
})

/** All that is known of permissions. */
export const Permissions = Schema.Struct({
  file: Schema.String.annotate({ description: "a person's own file" }),
  text: Schema.NullOr(Schema.String).annotate({ description: "what it says now; null when it is not there" }),
  seen: Schema.NullOr(Schema.String).annotate({
    description: "stands for that text in a change; null when it is empty"
  }),
  write: FileWriteMode,
  rules: Schema.Array(ListedRule).annotate({ description: "those of the settings, of agents and of entries included" }),
  grants: Schema.Array(Grant).annotate({ description: "what persons allow in every chat, sorted by name" }),
  problems: Schema.Array(FileProblem),
  examples: Schema.Array(Example)
})

/** The outcome for a call, with its reason. */
export const Explanation = Schema.Struct({
  outcome,
  rule: Schema.NullOr(RuleDocument).annotate({ description: "the rule that decided; null where none did" }),
  source: Schema.String,
  why: Schema.String.annotate({ description: "the reason, in words that go after `because`" }),
  class: toolClass,
  mode: mode.annotate({ description: "the write mode of the call" }),
  applies: Schema.Array(RuleDocument).annotate({ description: "the rules that apply, the strictest first" }),
  others: Schema.Array(Schema.Struct({ rule: RuleDocument, because: Schema.String })).annotate({
    description: "the rules that name the tool and do not apply"
  })
})

export const PermissionsApi = HttpApiGroup.make("permissions").add(
  HttpApiEndpoint.get("list", "/permissions", { success: Permissions }).annotateMerge(about(
    "The rules that decide about calls, where each comes from, and what is wrong with the files. Answers at once."
  )),
  HttpApiEndpoint.put("write", "/permissions", {
    payload: Schema.Struct({
      text: Schema.String.check(Schema.isMaxLength(1_000_000)),
      force: Schema.optionalKey(Schema.Boolean).annotate({ description: "also when an example fails" }),
      seen: nullable(Schema.String).annotate({
        description:
          "`seen` of the text that was changed: 409 with the state `changed` for a file that is another one now"
      })
    }),
    success: Permissions,
    error: [WrongPermissions, Forbidden, Conflict]
  }).annotateMerge(about(
    "Writes a person's own permissions.jsonc and runs its examples before. 400 with the place for a file that is wrong, " +
      "and with `failed` when examples fail; then nothing is written. Where others reach the server, hooks are not changed."
  )),
  HttpApiEndpoint.post("explain", "/permissions/explain", {
    payload: Schema.Struct({
      tool: Schema.String.annotate({ description: "its name for models" }),
      args: Schema.JsonObject,
      agent: nullable(Schema.String).annotate({
        description: "who calls; null for the agent of the chat, without a chat for one that no rule names"
      }),
      chat: nullable(Schema.String).annotate({
        description: "in which chat: its write mode, what was allowed in it and what was turned off"
      })
    }),
    success: Explanation,
    error: [BadRequest, Forbidden, NotFound, NotReady]
  }).annotateMerge(about("The decision about a call, and why. Nothing is called, and hooks are not run.")),
  HttpApiEndpoint.post("test", "/permissions/test", {
    success: ExampleReport
  }).annotateMerge(about("Runs the examples of the files, without what persons allowed."))
)
