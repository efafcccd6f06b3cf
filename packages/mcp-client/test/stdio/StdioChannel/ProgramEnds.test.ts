import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import * as Channel from "../../../src/contract/Channel.ts"
import { ConnectionLost, type Exited } from "../../../src/errors/McpError.ts"
import { type ExitStatus, ProcessTree, type Program, type ProgramListener, Programs } from "../../../src/index.ts"
import * as StdioChannel from "../../../src/stdio/StdioChannel.ts"
import * as ScriptedChannel from "../../support/ScriptedChannel.ts"
import { config, stdio } from "../../support/ServerConfigs.ts"

const GONE: ExitStatus = { exitCode: 3, signal: null }
const LOST = new ConnectionLost({ detail: "gone" })
const HELLO = { jsonrpc: "2.0", method: "hello" }
const line = (message: object) => new TextEncoder().encode(`${JSON.stringify(message)}\n`)

/** A program whose pipes are the test's, and a channel to it. `alive` is what the process tree finds. */
const opened = Effect.fnUntraced(function*(
  { alive = Effect.succeed(0), at = () => {} }: {
    readonly alive?: Effect.Effect<number>
    /** Is run as soon as the channel listens to the program. */
    readonly at?: (listener: ProgramListener) => void
  } = {}
) {
  const scope = yield* Scope.make()
  const written: Array<string> = []
  const paused: Array<string> = []
  let listener: ProgramListener | null = null
  let isWritable = true
  const program: Program = {
    pid: 7,
    listen: (next) =>
      Effect.sync(() => {
        listener = next
        at(next)
      }),
    write: (text) => {
      written.push(text)
      return true
    },
    isWritable: () => isWritable,
    end: () => {
      isWritable = false
    },
    pause: (pipe) => void paused.push(pipe),
    resume: (pipe) => void paused.splice(paused.indexOf(pipe), 1),
    soon: (work) => work()
  }
  const layer = Layer.mergeAll(
    Layer.succeed(Programs, { start: () => Effect.succeed(program) }),
    Layer.succeed(ProcessTree, {
      mark: Effect.succeed("mark"),
      watch: () => Effect.void,
      note: () => Effect.void,
      alive: () => alive,
      signal: () => Effect.void
    }),
    Layer.succeed(Environment, { variables: {}, files: [], refresh: Effect.void }),
    FileSystem.layerNoop({ exists: () => Effect.succeed(true) }),
    Path.layer
  )
  const channel = yield* StdioChannel.open(config(), stdio(), []).pipe(Scope.provide(scope), Effect.provide(layer))
  const ends: Array<Exited | ConnectionLost> = []
  channel.onClosed((why) => ends.push(why))
  const told = (): ProgramListener => listener ?? assert.fail("nobody listens")
  return { channel, close: Scope.close(scope, Exit.void), ends, paused, program, told, written }
})

describe("How a program ends, as its channel tells", () => {
  it.effect("is told at once of a program that had ended before anybody listened to it (R6, R42)", () =>
    Effect.gen(function*() {
      const { channel, ends } = yield* opened({
        at: (listener) => {
          listener.ended("output")
          listener.ended("errors")
          listener.exited(GONE)
        }
      })
      assert.deepInclude(ends[0], { _tag: "Exited", exitCode: 3 })
      const late: Array<unknown> = []
      channel.onClosed((why) => late.push(why))
      assert.strictEqual(late[0], ends[0])
      assert.strictEqual(yield* Channel.closed(channel), ends[0])
    }))

  it.effect("is told after what it wrote before its end, which may come later (R6)", () =>
    Effect.gen(function*() {
      const { channel, ends, told } = yield* opened()
      const order: Array<string> = []
      channel.listen(() => order.push("message"))
      channel.onClosed(() => order.push("end"))
      told().exited(GONE)
      told().wrote("output", line(HELLO))
      told().ended("output")
      assert.deepStrictEqual([order, ends], [["message"], []])
      told().wrote("errors", new TextEncoder().encode("boom"))
      told().ended("errors")
      assert.deepStrictEqual(order, ["message", "end"])
      assert.deepInclude(ends[0], { stderr: "boom" })
    }))

  it.effect("is told a quarter of a second later where something holds its pipes open (R6)", () =>
    Effect.gen(function*() {
      const { ends, told } = yield* opened()
      told().exited(GONE)
      yield* TestClock.adjust(249)
      assert.lengthOf(ends, 0)
      yield* TestClock.adjust(1)
      assert.deepInclude(ends[0], { _tag: "Exited", exitCode: 3 })
    }))

  it.effect("is told once, and the first reason stays", () =>
    Effect.gen(function*() {
      const { channel, ends, told } = yield* opened()
      told().ended("output")
      yield* TestClock.adjust(750)
      told().ended("errors")
      told().exited(GONE)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(ends.map(({ _tag }) => _tag), ["ConnectionLost"])
      assert.strictEqual(yield* Channel.closed(channel), ends[0])
    }))

  it.effect("is not told to whoever stopped waiting", () =>
    Effect.gen(function*() {
      const { channel, end, waiting } = ScriptedChannel.make()
      for (const wait of [Channel.closed(channel), Channel.orExit(Effect.fail(LOST), channel)]) {
        const fiber = yield* Effect.forkChild(wait, { startImmediately: true })
        assert.strictEqual(waiting(), 1)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(waiting(), 0)
      }
      yield* end(LOST)
      assert.strictEqual(yield* Channel.closed(channel), LOST)
    }))

  it.effect("is not told to whoever left", () =>
    Effect.gen(function*() {
      const { channel, ends, told } = yield* opened()
      const heard: Array<string> = []
      const leave = channel.onClosed(() => heard.push("who left"))
      channel.onClosed(() => {
        heard.push("first")
        channel.onClosed(() => heard.push("within"))
      })
      leave()
      told().exited(GONE)
      yield* TestClock.adjust(250)
      leave()
      assert.deepStrictEqual(heard, ["first", "within"])
      assert.lengthOf(ends, 1)
    }))

  it.effect("fails as unsent what its input does not take any more, and only that (R6)", () =>
    Effect.gen(function*() {
      const { channel, program, told, written } = yield* opened()
      const failed: Array<unknown> = []
      channel.send({ jsonrpc: "2.0", id: 1, method: "a" }, { onFailed: (reason) => failed.push(["a", reason]) })
      // Its input is gone, and nobody has said so yet.
      program.end()
      for (const isAlone of [true, false]) {
        channel.send({ jsonrpc: "2.0", id: 2, method: "b" }, { isAlone, onFailed: (reason) => failed.push(reason) })
      }
      assert.deepStrictEqual(failed, [])
      told().exited(GONE)
      yield* TestClock.adjust(250)
      assert.lengthOf(written, 1)
      assert.lengthOf(failed, 2)
      for (const reason of failed) assert.deepInclude(reason, { _tag: "ConnectionLost", unsent: true })
    }))

  it.effect("runs nothing any more once it is closed, whatever its pipes still tell (R42)", () =>
    Effect.gen(function*() {
      const { channel, close, ends, paused, told } = yield* opened()
      told().exited(GONE)
      yield* close
      for (const pipe of ["output", "errors"] as const) {
        told().wrote(pipe, line(HELLO))
        told().ended(pipe)
      }
      told().deaf()
      told().drained()
      channel.send(HELLO)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([ends, paused], [[], ["errors"]])
    }))

  it.effect("ends what it does in the background also where its processes cannot be looked at", () =>
    Effect.gen(function*() {
      const { close, ends, told } = yield* opened({ alive: Effect.die("no such table") })
      told().exited(GONE)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(close)))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(ends, [])
    }))
})
