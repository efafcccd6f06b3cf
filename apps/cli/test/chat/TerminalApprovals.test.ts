import { type ChatTurn, NO_USAGE, type Part } from "@boocode/chat"
import { McpError, McpErrors } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { boocode, status, tool } from "../support/Scripted.ts"

const WITH_MODEL = { variables: { BOOCODE_MODEL: "openai/some-model" } }

const info: FileSystem.File.Info = {
  type: "File",
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o600,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.zero,
  blksize: Option.none(),
  blocks: Option.none()
}

const approval = (id: string, seq: number, changes: object = {}): Part => ({
  type: "approval",
  seq,
  turn: 1,
  id,
  call: id,
  name: "files_write",
  server: "files",
  tool: "write",
  isTrusted: false,
  args: { path: "a\u001B[2J" },
  annotations: { readOnlyHint: true },
  ...changes
})

const answered = (id: string, seq: number): Part => ({
  type: "approval-answer",
  seq,
  turn: 1,
  id,
  decision: "once",
  reason: null
})

const finish = (seq: number): Part => ({ type: "finish", seq, turn: 1, reason: "stop", usage: NO_USAGE })

const ONE = [approval("p", 1), answered("p", 2), finish(3)]

const answers = (log: ReadonlyArray<string>) => log.filter((line) => line.startsWith("answer"))

describe("chat, about calls that need a yes", () => {
  it.effect("shows the call as it would be made, and takes the answer of the person", () =>
    Effect.gen(function*() {
      const cases = [
        [["y"], { decision: "once" }],
        [["C"], { decision: "chat" }],
        [["always"], { decision: "always" }],
        [["perhaps", "n", " not there "], { decision: "deny", reason: "not there" }],
        [["n", ""], { decision: "deny", reason: null }],
        [[], { decision: "deny" }]
      ] as const
      for (const [typed, expected] of cases) {
        const ended = yield* boocode(["chat", "hello"], { parts: ONE, typed, ...WITH_MODEL })
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.deepStrictEqual(answers(ended.log), [`answer p ${JSON.stringify(expected)}`])
        assert.strictEqual(ended.stdout, "")
        assert.notInclude(ended.stderr, "\u001B")
        assert.include(ended.stderr, "? files_write asks for your yes (write of files, not trusted)")
        assert.include(ended.stderr, "nothing proves it")
      }
    }))

  it.effect("takes digits as well, and sends arguments as a person changed them", () =>
    Effect.gen(function*() {
      const parts = [approval("p", 1, { args: { to: "ann", count: 2, body: "one\ntwo" } }), answered("p", 2), finish(3)]
      const cases = [
        [["1"], { decision: "once" }],
        [["2"], { decision: "chat" }],
        [["3"], { decision: "always" }],
        [
          ["e", "to=bob", "count=3", "nonsense", ""],
          { decision: "once", args: { to: "bob", count: 3, body: "one\ntwo" } }
        ],
        [["e", "to=bob", "n"], { decision: "deny", reason: null }]
      ] as const
      for (const [typed, expected] of cases) {
        const ended = yield* boocode(["chat", "hello"], { parts, typed, ...WITH_MODEL })
        assert.deepStrictEqual(answers(ended.log), [`answer p ${JSON.stringify(expected)}`])
        assert.include(ended.stderr, "    to     ann\n    count  2\n    body   one\n           two\n")
      }
    }))

  it.effect("shows class, rule and the difference to what is there, and takes the rule that a longer yes holds for", () =>
    Effect.gen(function*() {
      const request = {
        class: "writes",
        rule: { text: "ask files_*", source: "data/permissions.jsonc:4" },
        args: { path: "notes/a.md", content: "one\nTWO\nthree\nfour\nfive\nsix\n" },
        before: "one\ntwo\nthree\nfour\nfive\nsix\n",
        annotations: {},
        suggestions: [
          { where: { path: "notes/*" }, text: "files_write where path is notes/*" },
          { where: null, text: "files_write" }
        ]
      }
      const parts = [approval("p", 1, request), answered("p", 2), finish(3)]
      const cases = [
        [["1"], { decision: "once" }],
        [["2", ""], { decision: "chat", where: { path: "notes/*" } }],
        [["h", "1"], { decision: "hour", where: { path: "notes/*" } }],
        [["3", "7", "2"], { decision: "always" }],
        [["always", "path=notes/2026/*"], { decision: "always", where: { path: "notes/2026/*" } }],
        [["3"], { decision: "deny" }]
      ] as const
      for (const [typed, expected] of cases) {
        const ended = yield* boocode(["chat", "hello"], { parts, typed, ...WITH_MODEL })
        assert.deepStrictEqual(answers(ended.log), [`answer p ${JSON.stringify(expected)}`])
        assert.include(
          ended.stderr,
          [
            "  ? files_write asks for your yes (write of files, writes, not trusted)",
            "    path  notes/a.md",
            "      one",
            "    - two",
            "    + TWO",
            "      three",
            "      four",
            "    …",
            "    data/permissions.jsonc:4 says ask files_*",
            "    it writes",
            ""
          ].join("\n")
        )
        assert.strictEqual(ended.stderr.includes("[1] files_write where path is notes/*"), typed[0] !== "1")
      }
    }))

  it.effect("R106: asks about each of two calls of one tool, one question after the other", () =>
    Effect.gen(function*() {
      const parts = [approval("one", 1), approval("two", 2), answered("one", 3), answered("two", 4), finish(5)]
      const ended = yield* boocode(["chat", "hello"], { parts, typed: ["y", "n", "twice is too much"], ...WITH_MODEL })
      assert.deepStrictEqual(answers(ended.log), [
        "answer one {\"decision\":\"once\"}",
        "answer two {\"decision\":\"deny\",\"reason\":\"twice is too much\"}"
      ])
    }))

  it.effect("denies where nobody can be asked, with a reason that says how to allow it", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "hello"], { parts: ONE, ...WITH_MODEL })
      assert.lengthOf(answers(ended.log), 1)
      assert.match(answers(ended.log)[0] ?? "", /"decision":"deny".*no terminal.*--allow files_write/)
    }))

  it.effect("asks nobody about what --allow names, the last pattern that matches deciding", () =>
    Effect.gen(function*() {
      const allowed = ["chat", "hello", "--allow", "files_*", "--allow", "!*_remove"]
      const parts = [
        approval("w", 1),
        approval("r", 2, { name: "files_remove", tool: "remove" }),
        answered("w", 3),
        answered("r", 4),
        finish(5)
      ]
      const ended = yield* boocode(allowed, { parts, ...WITH_MODEL })
      assert.strictEqual(answers(ended.log)[0], "answer w {\"decision\":\"once\"}")
      assert.match(answers(ended.log)[1] ?? "", /^answer r .*"deny"/)
    }))

  it.effect("prints the request with --json, and still takes answers from a terminal alone", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "hello", "--json"], { parts: ONE, stdin: "y\n", ...WITH_MODEL })
      assert.deepStrictEqual(ended.stdout.trim().split("\n").map((line) => JSON.parse(line).type), [
        "approval",
        "approval-answer",
        "finish"
      ])
      assert.match(answers(ended.log)[0] ?? "", /"deny"/)
    }))

  it.effect("takes the question away when somebody else answers it", () =>
    Effect.gen(function*() {
      const result: Part = { type: "error", seq: 3, turn: 1, _tag: "X", message: "m", hint: "h" }
      const parts = [approval("p", 1), result, finish(4)]
      const ended = yield* boocode(["chat", "hello"], { parts, typed: [], ...WITH_MODEL })
      assert.strictEqual(ended.code, 0)
    }))
})

const turn = (number: number, text: string): ChatTurn => ({
  turn: number,
  text,
  agent: "Assistant",
  model: "m",
  createdAt: "",
  state: "ended",
  replacedBy: null,
  attachments: [],
  key: null,
  parts: []
})

describe("chat", () => {
  it.effect("goes on with a chat that is kept, and with the last one", () =>
    Effect.gen(function*() {
      for (const which of [["--continue"], ["--chat", "c"]]) {
        const ended = yield* boocode(["chat", "more", ...which], { parts: [finish(1)], ...WITH_MODEL })
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.deepStrictEqual(ended.log.filter((line) => /^(create|send)/.test(line)), ["send more"])
      }
      const unknown = yield* boocode(["chat", "more", "--chat", "nobody"], WITH_MODEL)
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "no chat has the id nobody")
      assert.strictEqual((yield* boocode(["chat", "more", "--chat", "c", "--continue"], WITH_MODEL)).code, 2)
    }))

  it.effect("puts what is piped in behind the words, also for - in their midst", () =>
    Effect.gen(function*() {
      for (const args of [["explain this"], ["explain", "this", "-"], ["-", "explain this"]]) {
        const ended = yield* boocode(["chat", ...args], {
          parts: [finish(1)],
          stdin: "a log\nof lines\n",
          ...WITH_MODEL
        })
        assert.include(ended.log, "send explain this\n\na log\nof lines\n", args.join(" "))
      }
      const typed = yield* boocode(["chat", "hello"], { parts: [finish(1)], typed: ["not read"], ...WITH_MODEL })
      assert.include(typed.log, "send hello")
    }))

  it.effect("attaches files and images, and says which cannot be read", () =>
    Effect.gen(function*() {
      const files = FileSystem.layerNoop({
        exists: () => Effect.succeed(false),
        stat: (path) => Effect.succeed({ ...info, size: ByteSize.bytes(path.includes("huge") ? 50_000_001 : 7) }),
        readFile: () => Effect.succeed(new Uint8Array(7))
      })
      const ended = yield* boocode(["chat", "what is this", "--image", "a/cat.png"], {
        parts: [finish(1)],
        files,
        ...WITH_MODEL
      })
      assert.include(ended.log, "send what is this +cat.png 7")
      const several = yield* boocode(["chat", "read", "--file", "a/b.csv", "--image", "c.png", "--file", "d.pdf"], {
        parts: [finish(1)],
        files,
        ...WITH_MODEL
      })
      assert.include(several.log, "send read +b.csv 7 +d.pdf 7 +c.png 7")
      const huge = yield* boocode(["chat", "read", "--file", "huge.pdf"], { parts: [finish(1)], files, ...WITH_MODEL })
      assert.strictEqual(huge.code, 2)
      assert.include(huge.stderr, "huge.pdf cannot be attached: it has 50000001 bytes, more than 50000000")
      const missing = yield* boocode(["chat", "what is this", "--image", "no.png"], {
        parts: [finish(1)],
        ...WITH_MODEL
      })
      assert.strictEqual(missing.code, 2)
      assert.include(missing.stderr, "no.png cannot be attached")
    }))

  it.effect("knows commands in a conversation, and goes on after one that is wrong", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["chat", "-i"], {
        parts: [finish(1), { ...finish(2), turn: 2 }],
        tools: [{ ...tool("files", "write"), needsApproval: true }],
        turns: [turn(1, "first words"), { ...turn(2, "last words"), replacedBy: 3 }],
        typed: [
          "/help",
          "/tools",
          "/retry",
          "/export json",
          "/model openai/other",
          "/model",
          "/nonsense",
          "/stop",
          "/new",
          "/files_write {}",
          "\n"
        ],
        ...WITH_MODEL
      })
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.include(ended.stderr, "/retry")
      assert.include(ended.stderr, "files_write  asks first")
      assert.strictEqual(ended.stdout, "json of c\n")
      assert.include(ended.stderr, "model openai/other\n  /model openai/gpt-5\n")
      assert.deepStrictEqual(ended.log.filter((line) => /^(create|send|update)/.test(line)), [
        "create {\"agent\":null,\"model\":null}",
        "send first words for 1",
        "update {\"agent\":null,\"model\":\"openai/other\"}",
        "create {\"agent\":null,\"model\":null}",
        "send /files_write {} to command"
      ])
      assert.match(ended.stderr, /no such command: \/nonsense[^]*\/stop is a command, and no message/)
    }))

  it.effect("says what a server makes of its prompt, and nothing that names no prompt", () =>
    Effect.gen(function*() {
      const reason = new McpErrors.UnknownPrompt({ name: "revue", nearest: ["review"] })
      const ended = yield* boocode(["chat", "-i"], {
        parts: [finish(1), { ...finish(2), turn: 2 }],
        servers: [status("files")],
        offerings: {
          prompt: (server, name, args) =>
            name === "review"
              ? Effect.succeed({
                description: null,
                messages: [{ role: "user", content: { type: "text", text: `Review ${String(args["path"])}.` } }],
                truncated: null
              })
              : Effect.fail(new McpError({ server, reason }))
        },
        typed: ["/files:revue", "/files:review {path", "/filez:review {path", "/files:review {\"path\": \"a.md\"}"],
        ...WITH_MODEL
      })
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(ended.log.filter((line) => line.startsWith("send")), ["send Review a.md."])
      assert.match(
        ended.stderr,
        /it has no prompt called revue[^]*did you mean review\?[^]*not JSON[^]*no such command: \/filez:review/
      )
    }))

  it.effect("tells what was tried again and what the model does not see any more", () =>
    Effect.gen(function*() {
      const parts: ReadonlyArray<Part> = [
        { type: "retry", seq: 1, turn: 1, attempt: 2, limit: 5, delayMillis: 1500, message: "529 overloaded" },
        { type: "compaction", seq: 2, turn: 1, results: 1, turns: 2, tokensBefore: 900, tokensAfter: 300, limit: 800 },
        { ...finish(3), type: "finish", reason: "interrupted", usage: NO_USAGE }
      ]
      const { stderr } = yield* boocode(["chat", "hello"], { parts, ...WITH_MODEL })
      assert.deepStrictEqual(stderr.split("\n").slice(0, 3), [
        "again  529 overloaded; try 2 of 5 in 2 s",
        "the model does not see 1 old result and 2 old turns any more: about 900 tokens became 300, the model takes 800",
        "interrupted: the program ended while it ran"
      ])
    }))
})

describe("chats", () => {
  it.effect("lists, searches, shows, carries and forgets chats, and starts no server for it", () =>
    Effect.gen(function*() {
      const list = yield* boocode(["chats", "list"])
      assert.match(list.stdout, /^c {2}2026-05-0\d \d\d:\d\d {2}Rain in May\n$/)
      const found = yield* boocode(["chats", "search", "rain", "may"])
      assert.include(found.log, "search rain may")
      assert.include(found.stdout, "  it will rain\n")
      const json = yield* boocode(["chats", "list", "--json"])
      assert.strictEqual(JSON.parse(json.stdout).chats[0].id, "c")
      assert.strictEqual((yield* boocode(["chats", "show", "c"])).stdout, "markdown of c\n")
      assert.strictEqual((yield* boocode(["chats", "export", "c", "--format", "json"])).stdout, "json of c\n")
      const imported = yield* boocode(["chats", "import", "-"], { stdin: "{\"a\":1}" })
      assert.include(imported.log, "import json {\"a\":1}")
      assert.strictEqual(imported.stdout, "c  Rain in May\n")
      assert.include((yield* boocode(["chats", "import", "-"], { stdin: "# Hi" })).log, "import markdown # Hi")
      assert.include((yield* boocode(["chats", "delete", "c"])).log, "remove c")
      const unknown = yield* boocode(["chats", "show", "nobody"])
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "no chat has the id nobody")
    }))
})
