import { McpError, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import { Permissions } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as OwnCall from "../../src/asking/OwnCall.ts"
import { OwnWrites } from "../../src/journal/OwnWrites.ts"
import { CallHooks } from "../../src/permissions/CallHooks.ts"
import { PermissionFiles } from "../../src/permissions/PermissionFiles.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import { CurrentUser, FIRST } from "../../src/users/CurrentUser.ts"
import * as Scripted from "../support/Scripted.ts"

const READER = Scripted.mcpTool("files", "read")
const WRITER = {
  ...Scripted.mcpTool("files", "write"),
  class: "writes" as const,
  needsApproval: true,
  target: { path: "path", read: "read", folders: [Redacted.make("/")] }
}

/** The folder `/notes` is a link. */
const linked = FileSystem.layerNoop({
  realPath: (path) => Effect.succeed(path.replace(/^\/notes\//, "/secret/"))
})

const unknown = (name: string) =>
  new McpError({ server: null, reason: new McpErrors.UnknownTool({ name, nearest: [] }) })

/** Gives what was called, or the tag of the error, and what reached a tool. */
const called = (
  permissions: string,
  name: string,
  { args = {}, isApproved = false }: { readonly args?: unknown; readonly isApproved?: boolean } = {}
) =>
  Effect.gen(function*() {
    const sent = new Array<string>()
    const world = Layer.mergeAll(
      Layer.mock(McpRegistry, {
        servers: Effect.succeed([Scripted.status("files", "ready")]),
        writers: Effect.succeed([WRITER]),
        tool: (asked) => asked === READER.name ? Effect.succeed(READER) : Effect.fail(unknown(asked)),
        callTool: (tool, given, options) =>
          Effect.sync(() => {
            sent.push(`${tool.name} ${JSON.stringify(given)}${options?.writes === true ? " writes" : ""}`)
            return { isError: false, content: [{ type: "text", text: "done" }], structuredContent: null, millis: 1 }
          })
      }),
      WorkspaceTools.layerOf(
        [Scripted.tool("grep")],
        [{ ...Scripted.tool("delete"), server: null, class: "destroys" as const }]
      ),
      Scripted.files(),
      Layer.succeed(CurrentUser, FIRST),
      Path.layer,
      Layer.provide(PermissionFiles.layer, Permissions.layerTest(permissions))
    )
    const outcome = yield* OwnCall.call(name, args, { isApproved }).pipe(
      Effect.map(({ text }) => text),
      Effect.catch((error) => Effect.succeed(error._tag === "McpError" ? error.reason._tag : error._tag)),
      Effect.provide(Layer.provideMerge(linked, world))
    )
    return [outcome, ...sent]
  })

/** What a call noted as a person's own write, of tool and outcome; `how` is the answer of the server. */
const noted = (permissions: string, name: string, isApproved: boolean, how: "done" | "error" | "silent" = "done") =>
  Effect.gen(function*() {
    const lines = new Array<string>()
    const disk = FileSystem.layerNoop({
      stat: () => Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "stat" })),
      writeFileString: (path, line, options) =>
        Effect.sync(() => void lines.push(`${path} ${options?.flag} ${options?.mode?.toString(8)} ${line}`))
    })
    const unknown = new McpError({ server: "files", reason: new McpErrors.OutcomeUnknown({ tool: "write", why: "" }) })
    const answer = { isError: how === "error", content: [], structuredContent: null, millis: 1 }
    const world = Layer.mergeAll(
      Layer.mock(McpRegistry, {
        servers: Effect.succeed([]),
        writers: Effect.succeed([{ ...WRITER, target: null }]),
        tool: () => Effect.succeed(READER),
        callTool: () => how === "silent" ? Effect.fail(unknown) : Effect.succeed(answer)
      }),
      WorkspaceTools.layerOf([], [{ ...Scripted.tool("delete"), server: null, class: "destroys" as const }]),
      Scripted.files(),
      Layer.succeed(CurrentUser, FIRST),
      Path.layer,
      Layer.provide(OwnWrites.layerFile("/state/own-writes.jsonl"), disk),
      Layer.provide(PermissionFiles.layer, Permissions.layerTest(permissions))
    )
    yield* Effect.ignore(
      Effect.provide(OwnCall.call(name, { a: 1 }, { isApproved }), Layer.provideMerge(linked, world))
    )
    return lines
  })

describe("OwnCall", () => {
  it.effect("leaves a line for each call that writes, with its arguments, outcome, and who let it be made", () =>
    Effect.gen(function*() {
      const [line = "", ...others] = yield* noted("{}", "files_write", true)
      assert.deepStrictEqual([line.slice(0, line.indexOf("{")), others], ["/state/own-writes.jsonl a 600 ", []])
      assert.isTrue(line.endsWith("}\n"))
      assert.deepStrictEqual(JSON.parse(line.slice(line.indexOf("{"))), {
        at: "1970-01-01T00:00:00.000Z",
        name: "files_write",
        server: "files",
        class: "writes",
        args: { a: 1 },
        outcome: "done",
        allowedBy: "person",
        source: "a person's yes to this call"
      })
      assert.include((yield* noted("{}", "files_write", true, "error"))[0], "\"outcome\":\"failed\"")
      assert.include((yield* noted("{}", "files_write", true, "silent"))[0], "\"outcome\":\"unknown\"")
      const rule = JSON.stringify({ write: "rules", rules: [{ allow: "delete" }] })
      assert.include(
        (yield* noted(rule, "delete", false))[0],
        "\"allowedBy\":\"rule\",\"source\":\"permissions.jsonc:1\""
      )
      assert.deepStrictEqual(yield* noted("{}", "files_write", false), [])
      assert.deepStrictEqual(yield* noted("{}", "files_read", true), [])
    }))

  it.effect("calls what reads at once, and what asks models too: the call is the person's yes", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* called("{}", "files_read"), ["done", "files_read {}"])
      assert.deepStrictEqual(yield* called("{ \"rules\": [{ \"ask\": \"*\" }] }", "grep"), ["grep ran"])
    }))

  it.effect("calls what writes after a yes to this call only, of a server and built in", () =>
    Effect.gen(function*() {
      for (const write of ["off", "ask", "rules"]) {
        const permissions = JSON.stringify({ write })
        assert.deepStrictEqual(yield* called(permissions, "files_write"), ["YesNeeded"])
        assert.deepStrictEqual(yield* called(permissions, "delete"), ["YesNeeded"])
        assert.deepStrictEqual(yield* called(permissions, "files_write", { isApproved: true }), [
          "done",
          "files_write {} writes"
        ])
        assert.deepStrictEqual(yield* called(permissions, "delete", { isApproved: true }), ["delete ran"])
      }
    }))

  it.effect("makes no call that a rule denies, with its conditions, and makes the others", () =>
    Effect.gen(function*() {
      const permissions = JSON.stringify({ rules: [{ deny: "files_*", where: { path: "secret/*" } }] })
      const secret = { args: { path: "secret/a" }, isApproved: true }
      assert.deepStrictEqual(yield* called(permissions, "files_write", secret), ["CallDenied"])
      assert.deepStrictEqual(yield* called(permissions, "files_read", secret), ["CallDenied"])
      assert.deepStrictEqual(yield* called(permissions, "files_read", { args: { path: "a" } }), [
        "done",
        "files_read {\"path\":\"a\"}"
      ])
    }))

  it.effect("follows the links of a declared path for what denies and for what allows, as for models", () =>
    Effect.gen(function*() {
      const denying = JSON.stringify({ rules: [{ deny: "files_*", where: { path: "/secret/*" } }] })
      const behind = { args: { path: "/notes/a" } }
      assert.deepStrictEqual(yield* called(denying, "files_write", { ...behind, isApproved: true }), ["CallDenied"])
      const allowing = JSON.stringify({ write: "ask", rules: [{ allow: "files_*", where: { path: "/notes/*" } }] })
      assert.deepStrictEqual(yield* called(allowing, "files_write", behind), ["YesNeeded"])
    }))

  it.effect("takes a rule that allows the call for a yes, while write mode is not off", () =>
    Effect.gen(function*() {
      const allowing = (write: string) =>
        JSON.stringify({ write, rules: [{ allow: "files_write", where: { path: "notes/*" } }] })
      const note = { args: { path: "notes/a" } }
      assert.deepStrictEqual(yield* called(allowing("rules"), "files_write", note), [
        "done",
        "files_write {\"path\":\"notes/a\"} writes"
      ])
      assert.deepStrictEqual(yield* called(allowing("rules"), "files_write", { args: { path: "b" } }), ["YesNeeded"])
      assert.deepStrictEqual(yield* called(allowing("off"), "files_write", note), ["YesNeeded"])
    }))

  it.effect("asks hooks: one that denies makes no call, one that asks takes an allowance back", () =>
    Effect.gen(function*() {
      const permissions = JSON.stringify({
        write: "ask",
        rules: [{ allow: "files_write" }],
        hooks: [{ command: ["look"] }]
      })
      const hooked = (outcome: "deny" | "ask" | null, name: string) =>
        Effect.provideService(called(permissions, name), CallHooks, {
          ask: ({ source }, { tool }) =>
            Effect.succeed(outcome === null ? null : { outcome, reason: `not ${tool}`, source })
        })
      assert.deepStrictEqual(yield* hooked("deny", "files_read"), ["CallDenied"])
      assert.deepStrictEqual(yield* hooked("ask", "files_read"), ["done", "files_read {}"])
      assert.deepStrictEqual(yield* hooked("ask", "files_write"), ["YesNeeded"])
      assert.deepStrictEqual(yield* hooked(null, "files_write"), ["done", "files_write {} writes"])
    }))

  it.effect("needs a yes while a file of rules cannot be understood", () =>
    Effect.gen(function*() {
      const broken = "{ \"write\": \"ask\", \"rules\": [{ \"allow\": \"*\" }], \"rlues\": [] }"
      assert.deepStrictEqual(yield* called(broken, "files_write"), ["YesNeeded"])
      assert.deepStrictEqual(yield* called(broken, "files_read"), ["done", "files_read {}"])
    }))

  it.effect("fails for a name that nobody has, and for arguments that cannot be used", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* called("{}", "files_raed"), ["UnknownTool"])
      assert.deepStrictEqual(yield* called("{}", "files_write", { args: "[1]", isApproved: true }), [
        "InvalidArguments"
      ])
    }))
})
