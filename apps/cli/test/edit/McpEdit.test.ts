import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import { boocode, json } from "../support/Scripted.ts"

const DATA = "/data/mcp.json"
const PROJECT = "/repo/.mcp.json"
const USER = "/home/.config/boocode/mcp.json"
/** How a person calls it. */
const OWN = "~/.config/boocode/mcp.json"

const file = (servers: Readonly<Record<string, unknown>>) => JSON.stringify({ mcpServers: servers }, null, 2)

/** A machine: its files, and a command line run on them by somebody who stands in /repo/sub. */
const machine = (files: Readonly<Record<string, string | { readonly link: string }>>) => {
  const memory = new MemoryFiles({ "/repo/.git/HEAD": "", "/repo/sub/x": "", ...files })
  const run = (args: ReadonlyArray<string>, stdin = "", data: string | null = DATA) =>
    boocode(["mcp", ...args], {
      files: Layer.succeed(FileSystem.FileSystem, memory.view()),
      variables: { INIT_CWD: "/repo/sub" },
      scopes: { dataFile: data, projectFrom: "/repo/sub", home: "/home" },
      stdin
    })
  const servers = (path = DATA) => JSON.parse(memory.text(path) ?? "{}").mcpServers
  return { memory, run, servers }
}

/** As a new data folder has it. */
const EXAMPLE = {
  type: "streamableHttp",
  url: "https://mcp.context7.com/mcp",
  headers: { "X-API-Key": "${CONTEXT7_API_KEY:-}" },
  enabled: false
}

const EMPTY = { [DATA]: file({}) }

describe("mcp writes", () => {
  it.effect("offers the writing tools of a server in its file, and takes that back", () =>
    Effect.gen(function*() {
      const { memory, run, servers } = machine({ [DATA]: file({ memory: { command: "x", lazy: true } }) })
      const before = memory.text(DATA)
      const asked = yield* run(["writes", "memory", "ask"])
      assert.strictEqual(
        asked.stdout,
        "the writing tools of memory are offered, each call with your yes: /data/mcp.json (data)\n"
      )
      assert.deepStrictEqual(servers().memory, { command: "x", lazy: true, writes: "ask" })
      assert.include(
        (yield* run(["writes", "memory", "ask"])).stdout,
        "memory is offering its writing tools already in"
      )
      const off = yield* run(["writes", "memory", "off", "--json"])
      assert.strictEqual(Object(json(off.stdout)).servers[0].change, "writes-off")
      assert.strictEqual(memory.text(DATA), before)
      assert.include(
        (yield* run(["writes", "memory", "off"])).stdout,
        "memory is keeping its writing tools off already"
      )
      assert.strictEqual((yield* run(["writes", "memry", "ask"])).code, 1)
      assert.strictEqual((yield* run(["writes", "memory", "rules"])).code, 2)
    }))

  it.effect("refuses a file of the project, and a scope beside an address", () =>
    Effect.gen(function*() {
      const { memory, run } = machine({ [PROJECT]: file({ theirs: { command: "x" } }) })
      const before = memory.text(PROJECT)
      const refused = yield* run(["writes", "theirs", "ask", "--json"], "", null)
      assert.strictEqual(refused.code, 1)
      assert.deepStrictEqual(json(refused.stdout), {
        error: {
          _tag: "OtherScope",
          message: "theirs is in /repo/.mcp.json of the project, which cannot offer writing tools",
          hint: "write the entry into a file of your own, with \"writes\": \"ask\""
        }
      })
      assert.strictEqual(memory.text(PROJECT), before)
      const both = yield* run(["writes", "theirs", "ask", "--scope", "data", "--url", "http://127.0.0.1:1"])
      assert.strictEqual(both.code, 2)
    }))
})

describe("mcp add", () => {
  it.effect("takes the link of an Install button in the place of a name, and says of a damaged one that it is", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      const config = btoa(JSON.stringify({ command: "npx", args: ["-y", "n-mcp"] }))
      const link = `cursor://anysphere.cursor-deeplink/mcp/install?name=n&config=${config}`
      assert.strictEqual((yield* run(["add", link])).code, 0)
      assert.deepStrictEqual(servers().n, { command: "npx", args: ["-y", "n-mcp"] })
      const damaged = yield* run(["add", link.slice(0, -20)])
      assert.deepStrictEqual([damaged.code, damaged.stderr.includes("this link is damaged")], [2, true])
      const named = yield* run(["add", "vscode:mcp/by-name/io.github.acme/weather"])
      assert.include(named.stderr, "boocode mcp install io.github.acme/weather")
    }))

  it.effect("writes an entry for a program, as it was given", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      const given = ["--env", "A=b=c", "--env", "T=${T:-1}", "--cwd", "/srv", "--timeout", "5s", "--startup-timeout"]
      const ended = yield* run(["add", "files", ...given, "1 minute", "--", "npx", "-y", "server", "--json", "--", "x"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.strictEqual(ended.stdout, "added files to /data/mcp.json (data)\n")
      assert.strictEqual(ended.stderr, "")
      assert.deepStrictEqual(servers(), {
        files: {
          command: "npx",
          args: ["-y", "server", "--json", "--", "x"],
          env: { A: "b=c", T: "${T:-1}" },
          cwd: "/srv",
          startupTimeout: "1 minute",
          timeout: "5 seconds"
        }
      })
    }))

  it.effect("writes an entry for an address, with its type for other applications, and prints one document", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      const ended = yield* run([
        ...["add", "docs", "--url", "https://docs.example/mcp", "--header", "X-Team:  blue: green"],
        ...["--disabled", "--json"]
      ])
      assert.deepStrictEqual(json(ended.stdout), {
        source: DATA,
        scope: "data",
        linkedTo: null,
        servers: [{
          name: "docs",
          change: "added",
          now: { source: DATA, scope: "data", enabled: false, needsApproval: false },
          below: [],
          warnings: []
        }],
        warnings: []
      })
      assert.deepStrictEqual(servers().docs, {
        type: "http",
        url: "https://docs.example/mcp",
        headers: { "X-Team": "blue: green" },
        enabled: false
      })
      yield* run(["add", "old", "--url", "https://old.example/sse", "--type", "sse"])
      assert.deepStrictEqual(servers().old, { type: "sse", url: "https://old.example/sse" })
    }))

  it.effect("never overwrites an entry unless it is told to", () =>
    Effect.gen(function*() {
      const { memory, run, servers } = machine({ [DATA]: file({ a: { command: "old", args: ["1"] }, z: {} }) })
      const before = memory.text(DATA)
      const refused = yield* run(["add", "a", "--json", "--", "new"])
      assert.strictEqual(refused.code, 1)
      assert.deepStrictEqual(json(refused.stdout), {
        error: {
          _tag: "NameTaken",
          message: "a is already in /data/mcp.json, at 3:5",
          hint: "--force replaces it; boocode mcp get a shows it"
        }
      })
      const several = yield* run(["add", "--from-json", "{\"b\":{\"command\":\"b\"},\"a\":{\"command\":\"new\"}}"])
      assert.strictEqual(several.code, 1)
      assert.strictEqual(memory.text(DATA), before)
      const forced = yield* run(["add", "a", "--force", "--", "new"])
      assert.strictEqual(forced.stdout, "replaced a in /data/mcp.json (data)\n")
      assert.deepStrictEqual(servers(), { a: { command: "new" }, z: {} })
      const again = yield* run(["add", "a", "--force", "--", "new"])
      assert.strictEqual(again.stdout, "a stays as it was in /data/mcp.json (data)\n")
    }))

  it.effect("takes what a README shows: whole, by name, one entry, or from standard input", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      const whole = "{ \"mcpServers\": { \"a\": { \"command\": \"x\" }, \"b\": { \"url\": \"https://b.example\" } } }"
      const ended = yield* run(["add", "--from-json", whole])
      assert.strictEqual(ended.stdout, "added a to /data/mcp.json (data)\nadded b to /data/mcp.json (data)\n")
      yield* run(["add", "--from-json", "\"c\": { \"command\": \"x\" },"])
      yield* run(
        ["add", "d", "--disabled", "--from-json", "-"],
        "{ \"command\": \"x\", \"disabled\": false } // see below"
      )
      yield* run(["add", "e", "--from-json", "{ \"other\": { \"command\": \"y\" } }"])
      yield* run(["add", "b", "--scope", "user", "--from-json", whole])
      assert.deepStrictEqual(servers(), {
        a: { command: "x" },
        b: { url: "https://b.example" },
        c: { command: "x" },
        d: { command: "x", enabled: false },
        e: { command: "y" }
      })
      assert.deepStrictEqual(servers(USER), { b: { url: "https://b.example" } })
    }))

  it.effect("takes what another application's README shows, and says what has no place here", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      const text =
        "{\"servers\":{\"v\":{\"command\":\"x\",\"env\":{\"T\":\"${input:tok}\"}}},\"inputs\":[{\"id\":\"tok\"}]}"
      const ended = yield* run(["add", "--from-json", "-"], text)
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.strictEqual(servers().v.command, "x")
      assert.match(ended.stderr, /warning .*env\.T.*TOK/)
    }))

  it.effect("answers a command line that makes no sense with exit 2 and writes nothing", () =>
    Effect.gen(function*() {
      const { memory, run } = machine(EMPTY)
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [[], "no name"],
        [["a"], "neither a command nor an address"],
        [["a", "https://CANARY.example/mcp"], "the command is an address"],
        [["a", "--url", "https://a", "--", "x"], "a command and --url together"],
        [["a", "--url", "https://a", "--env", "A=b"], "--env is for"],
        [["a", "--url", "https://a", "--cwd", "."], "--cwd is for"],
        [["a", "--header", "A: b", "--", "x"], "--header is for"],
        [["a", "--env", "CANARY", "--", "x"], "--env needs NAME=VALUE"],
        [["a", "--url", "https://a", "--header", "CANARY"], "--header needs"],
        [["a", "--type", "websocket", "--", "x"], "websocket"],
        [["a", "--scope", "global", "--", "x"], "global"],
        [["--from-json", "{ \"command\": \"x\" }"], "no name for it"],
        [["c", "--from-json", "{ \"a\": {}, \"b\": {} }"], "none is called c"],
        [["a", "--from-json", "{ oops }"], "line 1, column 3"],
        [["a", "--from-json", "{}", "--env", "A=b"], "--from-json says all"],
        [["a", "--config", "/x.json", "--scope", "user", "--", "x"], "--config names the file"]
      ]
      for (const [args, words] of cases) {
        const ended = yield* run(["add", ...args, "--json"].toSorted((_, b) => b === "--json" ? 1 : 0))
        assert.strictEqual(ended.code, 2, args.join(" "))
        assert.strictEqual(ended.stdout, "")
        assert.include(ended.stderr, words)
        assert.notInclude(ended.stderr, "CANARY")
      }
      assert.strictEqual(memory.text(DATA), EMPTY[DATA])
    }))

  it.effect("writes no entry that could never work, and says why (R66, R67)", () =>
    Effect.gen(function*() {
      const { memory, run } = machine(EMPTY)
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["a", "--url", "CANARY"], "mcpServers.a.url: this is not an address"],
        [["a", "--type", "sse", "--", "x"], "mcpServers.a.url: this type needs a url"],
        [["a", "--env", "A=${env:CANARY_NAME}", "--", "x"], "mcpServers.a.env.A"],
        [["a", "--from-json", "{ \"command\": \"x\", \"url\": \"https://a\" }"], "\"command\" and \"url\" together"],
        [["a", "--", "cd /srv && npx server"], "needs a shell"],
        [["a", "--url", "ws://localhost/mcp"], "ws: is not a way"],
        [["a", "--", "npm", "install", "-g", "server"], "installs something"]
      ]
      for (const [args, words] of cases) {
        const ended = yield* run(["add", ...args])
        assert.strictEqual(ended.code, 1, args.join(" "))
        assert.include(ended.stderr, words)
        assert.include(ended.stderr, "nothing was written")
      }
      assert.strictEqual(memory.text(DATA), EMPTY[DATA])
    }))

  it.effect("splits a command that is one word, and warns about an argument that is two", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      const split = yield* run(["add", "a", "--", "npx -y 'some server'"])
      assert.strictEqual(split.code, 0, split.stderr)
      assert.deepStrictEqual(servers().a, { command: "npx", args: ["-y", "some server"] })
      assert.include(split.stderr, "a: \"command\" was 3 words")
      const two = yield* run(["add", "b", "--", "npx", "-y server", "--json"])
      assert.deepStrictEqual(servers().b.args, ["-y server", "--json"])
      assert.include(two.stderr, "args[0] is two arguments in one: -y")
      const script = yield* run(["add", "c", "--", "sh", "-c", "cd /srv && npx server"])
      assert.deepStrictEqual([script.code, script.stderr], [0, ""])
    }))

  it.effect("takes the place of an example that nobody changed", () =>
    Effect.gen(function*() {
      const { run, servers } = machine({ [DATA]: file({ context7: EXAMPLE }) })
      const ended = yield* run(["add", "context7", "--", "npx", "context7"])
      assert.strictEqual(ended.stdout, "replaced context7 in /data/mcp.json (data)\n")
      assert.deepStrictEqual(servers().context7, { command: "npx", args: ["context7"] })
      assert.strictEqual((yield* run(["add", "context7", "--", "other"])).code, 1)
    }))

  it.effect("warns about an unknown key and a variable that is not set, with the place in the file (R65, R66)", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      const entry = { command: "x", enviroment: { A: "b" }, cwd: "${NOT_SET}" }
      const ended = yield* run(["add", "a", "--from-json", JSON.stringify(entry)])
      assert.strictEqual(ended.code, 0)
      assert.deepStrictEqual(servers().a, entry)
      assert.match(ended.stderr, /\/data\/mcp\.json:5:7: mcpServers\.a\.enviroment: unknown key.*mean env/)
      assert.match(ended.stderr, /mcpServers\.a\.cwd needs the variable NOT_SET/)
    }))

  it.effect("prints no value of a variable or header, only how to keep it out of the file (R75)", () =>
    Effect.gen(function*() {
      const { memory, run } = machine(EMPTY)
      const program = ["a-b", "--env", "API_KEY=CANARY1", "--env", "PLAIN=CANARY2", "--env", "K=${KEY}", "--", "x"]
      const address = ["w", "--url", "https://w.example", "--header", "Authorization: Bearer CANARY3"]
      for (
        const args of [program, address, ["a-b", "--from-json", JSON.stringify({ command: 1, env: { A: "CANARY4" } })]]
      ) {
        for (const form of [[], ["--json"], ["--force"], ["--log-level", "trace"]]) {
          const ended = yield* run(["add", ...form, ...args])
          assert.notInclude(ended.stdout + ended.stderr, "CANARY")
        }
      }
      assert.include(memory.text(DATA), "CANARY1")
      const told = yield* run(["add", "--force", ...program])
      assert.include(told.stderr, "the value of API_KEY is in /data/mcp.json now; '${API_KEY}' takes it")
      assert.notMatch(told.stderr, /PLAIN|value of K /)
      const header = yield* run(["add", "--force", ...address])
      assert.include(header.stderr, "'Bearer ${W_TOKEN}'")
    }))

  it.effect("goes to the data file; where there is none to the person's own; where asked otherwise there", () =>
    Effect.gen(function*() {
      const { memory, run, servers } = machine({})
      yield* run(["add", "a", "--", "x"])
      assert.deepStrictEqual(servers(USER), { a: { command: "x" } })
      yield* run(["add", "b", "--data", "/data", "--", "x"])
      assert.deepStrictEqual(servers(), { b: { command: "x" } })
      yield* run(["add", "c", "--", "x"])
      assert.deepStrictEqual(Object.keys(servers()), ["b", "c"])
      const project = yield* run(["add", "d", "--scope", "project", "--", "x"])
      assert.deepStrictEqual(Object.keys(servers(PROJECT)), ["d"])
      assert.include(project.stdout, "does not start until it is approved")
      memory.write("/repo/sub/.mcprc", "{ \"k\": { \"command\": \"kode\" } }")
      yield* run(["add", "e", "--scope", "project", "--", "x"])
      assert.deepStrictEqual(JSON.parse(memory.text("/repo/sub/.mcprc") ?? ""), {
        k: { command: "kode" },
        e: { command: "x" }
      })
      yield* run(["add", "f", "--config", "/one.json", "--", "x"], "", "/one.json")
      assert.deepStrictEqual(servers("/one.json"), { f: { command: "x" } })
    }))

  it.effect("says what the entry hides, and when it is hidden itself", () =>
    Effect.gen(function*() {
      const { run } = machine({ [DATA]: file({ a: { command: "1" } }), [USER]: file({ a: {}, b: { command: "2" } }) })
      const hidden = yield* run(["add", "a", "--scope", "project", "--", "x"])
      assert.include(hidden.stdout, "not in use: a is the one of /data/mcp.json (data), which comes first")
      const hides = yield* run(["add", "b", "--", "x"])
      assert.include(hides.stdout, "hides the one of ~/.config/boocode/mcp.json (user)")
    }))

  it.effect("writes paths for the folder of the file that were given from where the person stands", () =>
    Effect.gen(function*() {
      const { run, servers } = machine(EMPTY)
      yield* run(["add", "a", "--scope", "project", "--cwd", "../tools", "--", "npx"])
      yield* run(["add", "b", "--scope", "project", "--", "./run.sh", "./left/alone"])
      yield* run(["add", "c", "--scope", "project", "--cwd", ".", "--", "../run.sh"])
      yield* run(["add", "d", "--cwd", "here", "--", "npx"])
      yield* run(["add", "e", "--cwd", "${ROOT:-/x}", "--", "npx"])
      assert.strictEqual(servers(PROJECT).a.cwd, "./tools")
      assert.deepStrictEqual(servers(PROJECT).b, { command: "./sub/run.sh", args: ["./left/alone"] })
      assert.deepStrictEqual(servers(PROJECT).c, { command: "/repo/run.sh", cwd: "./sub" })
      assert.strictEqual(servers().d.cwd, "/repo/sub/here")
      assert.strictEqual(servers().e.cwd, "${ROOT:-/x}")
    }))

  it.effect("leaves another application's file alone, and a broken one, with what to do", () =>
    Effect.gen(function*() {
      const vscode = "{ \"servers\": { \"v\": { \"command\": \"x\" } } }"
      const { memory, run } = machine({ ...EMPTY, [PROJECT]: vscode, [USER]: "{\n  oops" })
      for (const args of [["add", "a", "--scope", "project", "--", "x"], ["remove", "v"], ["disable", "v"]]) {
        const ended = yield* run(args)
        assert.strictEqual(ended.code, 1)
        assert.match(ended.stderr, /another application \(vscode\), so it is not edited\n +boocode mcp import/)
      }
      assert.strictEqual(memory.text(PROJECT), vscode)
      const broken = yield* run(["add", "a", "--scope", "user", "--json", "--", "x"])
      assert.strictEqual(broken.code, 1)
      assert.include(broken.stdout, "\"InvalidFile\"")
      assert.include(broken.stdout, `${OWN}:2:3: `)
      // A mistake in another file is a warning, and does not prevent the edit.
      const fine = yield* run(["add", "a", "--", "x"])
      assert.strictEqual(fine.code, 0)
      assert.include(fine.stderr, `${OWN}:2:3: `)
    }))
})

describe("mcp remove", () => {
  const three = () =>
    machine({
      [DATA]: file({ a: { command: "data" }, b: { command: "data" } }),
      [PROJECT]: file({ a: { command: "project" } }),
      [USER]: file({ a: { command: "user", enabled: false }, u: { command: "user" }, notes: {} })
    })

  it.effect("names the file, says whose it is, and what shows through afterwards", () =>
    Effect.gen(function*() {
      const { run, servers } = three()
      const first = yield* run(["remove", "a", "--json"])
      assert.deepStrictEqual(json(first.stdout), {
        source: DATA,
        scope: "data",
        linkedTo: null,
        servers: [{
          name: "a",
          change: "removed",
          now: { source: PROJECT, scope: "project", enabled: true, needsApproval: true },
          below: [{ source: PROJECT, scope: "project" }, { source: OWN, scope: "user" }],
          warnings: []
        }],
        warnings: []
      })
      assert.deepStrictEqual(servers(), { b: { command: "data" } })
      const second = yield* run(["remove", "a"])
      assert.deepStrictEqual(second.stdout.split("\n"), [
        `removed a from ${PROJECT} (project)`,
        `  a is now the one of ${OWN} (user), which is disabled`,
        "  the file is the project's: others who work in it lose the server too",
        ""
      ])
      const third = yield* run(["remove", "a"])
      assert.deepStrictEqual(third.stdout.split("\n"), [
        `removed a from ${OWN} (user)`,
        "  no server is called a any more",
        ""
      ])
    }))

  it.effect("removes from the scope that is asked for, and says where a server is that is in another", () =>
    Effect.gen(function*() {
      const { run, servers } = three()
      const user = yield* run(["remove", "a", "--scope", "user"])
      assert.include(user.stdout, `  a is now the one of ${DATA} (data)`)
      assert.deepStrictEqual(servers(USER), { u: { command: "user" }, notes: {} })
      const other = yield* run(["remove", "u", "--scope", "data", "--json"])
      assert.strictEqual(other.code, 1)
      assert.deepStrictEqual(json(other.stdout), {
        error: {
          _tag: "OtherScope",
          message: "no data file has u",
          hint: `it is in ${OWN} (--scope user)`
        }
      })
    }))

  it.effect("names the nearest server, or the file that may hold it and cannot be read", () =>
    Effect.gen(function*() {
      const { memory, run } = three()
      const unknown = yield* run(["remove", "notess", "--json"])
      assert.strictEqual(unknown.code, 1)
      assert.deepStrictEqual(json(unknown.stdout), {
        error: { _tag: "UnknownServer", message: "no server is called notess", hint: "did you mean notes?" }
      })
      memory.write(PROJECT, "{ oops }")
      const broken = yield* run(["remove", "uu"])
      assert.include(broken.stderr, `${PROJECT}:1:3: `)
    }))

  it.effect("keeps to a data file that was named and is not there", () =>
    Effect.gen(function*() {
      const memory = new MemoryFiles({ [USER]: file({ u: { command: "user" } }) })
      const ended = yield* boocode(["mcp", "remove", "u"], {
        files: Layer.succeed(FileSystem.FileSystem, memory.view()),
        scopes: { dataFile: DATA, dataFileIsNamed: true, projectFrom: null, home: "/home" }
      })
      assert.strictEqual(ended.code, 1)
      assert.include(ended.stderr, `it is in ${OWN} (--scope user)`)
    }))

  it.effect("says which file a link leads to", () =>
    Effect.gen(function*() {
      const { memory, run } = machine({ [DATA]: { link: "../far.json" }, "/far.json": file({ a: {}, b: {} }) })
      const ended = yield* run(["remove", "a"])
      assert.include(ended.stdout, "removed a from /data/mcp.json (data), a link to /far.json")
      assert.strictEqual(memory.nodes.get(DATA)?.kind, "link")
    }))
})

describe("mcp enable and disable", () => {
  it.effect("switch the entry that counts, with the key it has, and say when nothing changes", () =>
    Effect.gen(function*() {
      const { memory, run, servers } = machine({
        [DATA]: file({ a: { command: "x" }, b: { command: "x", disabled: true } }),
        [USER]: file({ a: { command: "user" } })
      })
      assert.strictEqual((yield* run(["disable", "a"])).stdout.split("\n")[0], "disabled a in /data/mcp.json (data)")
      assert.strictEqual((yield* run(["enable", "b"])).stdout, "enabled b in /data/mcp.json (data)\n")
      assert.deepStrictEqual(servers(), {
        a: { command: "x", enabled: false },
        b: { command: "x", disabled: false }
      })
      const before = memory.text(DATA)
      const again = yield* run(["disable", "a", "--json"])
      assert.strictEqual(again.code, 0)
      assert.include(again.stdout, "\"change\":\"unchanged\"")
      const words = yield* run(["disable", "a"])
      assert.strictEqual(words.stdout.split("\n")[0], "a is disabled already in /data/mcp.json (data)")
      assert.strictEqual(memory.text(DATA), before)
      const hidden = yield* run(["disable", "a", "--scope", "user"])
      assert.include(hidden.stdout, "not in use: a is the one of /data/mcp.json (data)")
      assert.deepStrictEqual(servers(USER).a, { command: "user", enabled: false })
    }))
})
