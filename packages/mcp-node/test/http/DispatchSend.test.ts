import { assert, describe, it } from "@effect/vitest"
import { Buffer } from "node:buffer"
import { randomBytes } from "node:crypto"
import { promisify } from "node:util"
import * as Zlib from "node:zlib"
import { Agent, Dispatcher } from "undici"
import * as DispatchSend from "../../src/http/DispatchSend.ts"

/** A dispatcher without a socket; what it was asked for is answered by hand. */
class Scripted extends Dispatcher {
  readonly asked: Array<
    { readonly options: Dispatcher.DispatchOptions; readonly handler: Dispatcher.DispatchHandler }
  > = []
  readonly controller = {
    aborted: false,
    reason: null,
    paused: false,
    rawHeaders: null,
    rawTrailers: null,
    abort: () => {
      this.controller.aborted = true
    },
    pause: () => {
      this.controller.paused = true
    },
    resume: () => {
      this.controller.paused = false
    }
  }
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.asked.push({ options, handler })
    handler.onRequestStart?.(this.controller, null)
    return true
  }
  answer(headers: Record<string, string>, chunks: ReadonlyArray<Uint8Array>) {
    const [handler] = this.asked.map(({ handler: last }) => last).slice(-1)
    handler?.onResponseStart?.(this.controller, 200, headers, "OK")
    for (const chunk of chunks) handler?.onResponseData?.(this.controller, Buffer.from(chunk))
    return handler
  }
}

const posted = (headers: Record<string, string> = {}) => {
  const dispatcher = new Scripted()
  const told: Array<string> = []
  let bytes = 0
  const giveUp = DispatchSend.over(dispatcher)({
    method: "POST",
    url: new URL("http://host.example/mcp?a=1"),
    headers,
    body: "{}"
  }, {
    onHeaders: (status) => void told.push(`headers ${status}`),
    onData: ({ length }) => {
      bytes += length
    },
    onEnd: () => void told.push("end"),
    onError: (error) => void told.push(error instanceof TypeError ? `error ${error.message}` : "another error")
  })
  return { dispatcher, giveUp, told, bytes: () => bytes }
}

const gzip = promisify(Zlib.gzip)
const brotli = promisify(Zlib.brotliCompress)

/** What unpacks does so in threads of its own. */
const until = async (isDone: () => boolean) => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe("DispatchSend", () => {
  it("posts to the path of the url, and lets an entry say how its answers may be packed", () => {
    const [{ options } = assert.fail()] = posted({ "x-own": "1" }).dispatcher.asked
    assert.deepInclude(options, { origin: "http://host.example", path: "/mcp?a=1", method: "POST" })
    assert.deepInclude(options.headers, { "x-own": "1", "accept-encoding": "gzip, br" })
    const [{ options: plain } = assert.fail()] = posted({ "accept-encoding": "identity" }).dispatcher.asked
    assert.deepInclude(plain.headers, { "accept-encoding": "identity" })
  })

  it("tells of a request that cannot be sent in a later turn, and not once it is given up", async () => {
    for (const isGivenUp of [false, true]) {
      const dispatcher = new Agent()
      await dispatcher.destroy()
      const told: Array<unknown> = []
      const giveUp = DispatchSend.over(dispatcher)({
        method: "POST",
        url: new URL("http://host.example/mcp"),
        headers: {},
        body: "{}"
      }, {
        onHeaders: () => assert.fail("nothing was sent"),
        onData: () => assert.fail("nothing was sent"),
        onEnd: () => assert.fail("nothing was sent"),
        onError: (error) => void told.push(error)
      })
      assert.isEmpty(told)
      if (isGivenUp) giveUp()
      await Promise.resolve()
      assert.lengthOf(told, isGivenUp ? 0 : 1)
    }
  })

  it("unpacks what was packed, and gives nothing more of what was given up", async () => {
    for (const [encoding, pack] of [["gzip", gzip], ["br", brotli]] as const) {
      const whole = posted()
      whole.dispatcher.answer({ "content-encoding": encoding }, [await pack("x".repeat(100_000))])?.onResponseEnd?.(
        whole.dispatcher.controller,
        {}
      )
      await until(() => whole.told.includes("end"))
      assert.deepStrictEqual([whole.bytes(), whole.told], [100_000, ["headers 200", "end"]])
      assert.isFalse(whole.dispatcher.controller.aborted)
      const given = posted()
      given.dispatcher.answer({ "content-encoding": encoding }, [await pack("x".repeat(5_000_000))])
      await until(() => given.bytes() > 0)
      given.giveUp()
      const before = given.bytes()
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.isTrue(given.dispatcher.controller.aborted)
      assert.deepStrictEqual([given.bytes(), given.told], [before, ["headers 200"]])
    }
  })

  it("hangs up on a server whose packing is broken, or ends before its response does", async () => {
    const broken = posted()
    broken.dispatcher.answer({ "content-encoding": "gzip" }, [new Uint8Array(1000).fill(1)])
    await until(() => broken.told.length === 2)
    assert.deepStrictEqual(broken.told, ["headers 200", "error terminated"])
    assert.isTrue(broken.dispatcher.controller.aborted)
    const early = posted()
    const packed = await gzip("{}")
    early.dispatcher.answer({ "content-encoding": "gzip" }, [
      packed,
      new Uint8Array(1000).fill(1),
      new Uint8Array(1000).fill(1)
    ])
    await until(() => early.told.length === 2)
    assert.isTrue(early.dispatcher.controller.aborted)
  })

  it("reads no more while its receiver wants to wait, packed or not", async () => {
    for (const [encoding, pack] of [["identity", Buffer.from], ["gzip", gzip]] as const) {
      const dispatcher = new Scripted()
      const waiting: Array<() => void> = []
      let told = 0
      DispatchSend.over(dispatcher)({
        method: "POST",
        url: new URL("http://host.example/mcp"),
        headers: {},
        body: "{}"
      }, {
        onHeaders: () => {},
        onData: () => {
          told++
          return (goOn) => void waiting.push(goOn)
        },
        onEnd: () => {},
        onError: () => {}
      })
      const chunk = await pack(randomBytes(200_000))
      const handler = dispatcher.answer({ "content-encoding": encoding }, [])
      for (let sent = 0; !dispatcher.controller.paused; sent++) {
        assert.isBelow(sent, 100)
        handler?.onResponseData?.(dispatcher.controller, chunk)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await until(() => waiting.length > 0)
      assert.deepStrictEqual([told, waiting.length], [1, 1])
      await until(() => {
        for (const goOn of waiting.splice(0)) goOn()
        return !dispatcher.controller.paused
      })
    }
  })

  it("lets a server wait that packs faster than can be unpacked", async () => {
    const fast = posted()
    const packed = await gzip(new Uint8Array(2_000_000))
    const handler = fast.dispatcher.answer({ "content-encoding": "gzip" }, [])
    for (let sent = 0; !fast.dispatcher.controller.paused; sent++) {
      assert.isBelow(sent, 1000)
      handler?.onResponseData?.(fast.dispatcher.controller, packed)
    }
    await until(() => !fast.dispatcher.controller.paused)
    fast.giveUp()
  })
})
