/**
 * The part of a sandbox that runs inside, before the program: the tools as functions, the console, and one text that crosses
 * the border in each direction a turn. It keeps what it uses of JavaScript, so that a program which replaces `JSON` or
 * `Promise` harms itself alone. Nothing here is trusted outside.
 */

/** The name that a program has in the stacks of its errors. */
export const PROGRAM = "program.ts"

/** An expression that gives a function of `{ limits, functions }`, which gives `take`, `settle` and `watch`. */
export const GUEST = String.raw`((settings) => {
"use strict"
const { limits, functions } = settings
const { parse, stringify } = JSON
const { apply } = Reflect
const { create, defineProperty, hasOwn, keys } = Object
const { indexOf, slice } = String.prototype
const { join, slice: firsts } = Array.prototype
const { then } = Promise.prototype
const { get, set } = WeakMap.prototype
const listOf = Array.from, toInteger = parseInt, text = String
const ErrorOf = Error, TypeErrorOf = TypeError, PromiseOf = Promise, MapOf = Map, SetOf = Set, ProxyOf = Proxy
const globals = globalThis

let called = 0, described = 0, open = 0, logged = 0, out = "", end = "null"
const waits = create(null)
const faults = new WeakMap()

const fault = (error, kind, during) => {
  apply(set, faults, [error, { kind, during }])
  return error
}
const hidden = (object, key, value) => defineProperty(object, key, { value, configurable: true, writable: true })
const rejected = (error) => new PromiseOf((_, reject) => reject(error))
const messageOf = (error) => error instanceof ErrorOf ? text(error.message) : shown(error)

const lineOf = (stack) => {
  if (typeof stack !== "string") return null
  const at = apply(indexOf, stack, ["${PROGRAM}:"])
  const line = at < 0 ? 0 : toInteger(apply(slice, stack, [at + ${PROGRAM.length + 1}, at + ${
  PROGRAM.length + 12
}]), 10)
  return line > 0 ? line : null
}

const add = (kind, id, name, line, given) => {
  out += (out === "" ? "[" : ",[") + stringify(kind) + "," + id + "," + stringify(name) + "," + line + "," + stringify(given) + "]"
}

const ask = (kind, id, name, given, trace) => new PromiseOf((resolve, reject) => {
  add(kind, id, name, lineOf(trace.stack), given)
  waits[id] = { resolve, reject, name, trace }
  open++
})

const argumentsOf = (name, given) => {
  if (given === undefined) return "{}"
  let written
  try {
    written = stringify(given)
  } catch (error) {
    throw new TypeErrorOf(name + ": its arguments cannot be written as JSON: " + messageOf(error))
  }
  if (typeof written !== "string" || written[0] !== "{") {
    throw new TypeErrorOf(name + " takes one object, with its arguments by name")
  }
  if (written.length > limits.argumentLength) {
    throw new TypeErrorOf(name + ": its arguments are " + written.length + " characters of JSON, and " + limits.argumentLength + " are the most")
  }
  return written
}

const call = (name, given) => {
  const trace = new ErrorOf()
  try {
    if (called >= limits.calls) {
      throw fault(new ErrorOf("this program has made " + called + " calls, the most that one may make: return what you have, and go on in another program"), "calls", name)
    }
    if (open >= limits.waiting) {
      throw fault(new ErrorOf(open + " calls wait for their answers, the most that may: await some before you make more"), "calls", name)
    }
    const written = argumentsOf(name, given)
    return ask("call", ++called, name, written, trace)
  } catch (error) {
    return rejected(error)
  }
}

const describe = (name) => {
  const trace = new ErrorOf()
  if (described >= limits.calls || open >= limits.waiting) {
    return rejected(fault(new ErrorOf("this program has asked for too many descriptions"), "calls", null))
  }
  return ask("describe", -++described, text(name), "", trace)
}

/* What JSON would lose, for values and the console. */
const readable = (_key, value) => {
  if (typeof value === "bigint") return text(value)
  if (value instanceof ErrorOf) return text(value.name) + ": " + messageOf(value)
  if (value instanceof SetOf) return listOf(value)
  if (!(value instanceof MapOf)) return value
  const object = create(null)
  for (const [key, of] of value) {
    if (typeof key !== "string") return listOf(value)
    object[key] = of
  }
  return object
}

const shown = (value) => {
  if (typeof value === "string") return value
  try {
    if (value instanceof ErrorOf) return readable("", value)
    return stringify(value, readable) ?? text(value)
  } catch (error) {
    return "(" + (error instanceof ErrorOf ? text(error.message) : "cannot be shown") + ")"
  }
}

/* A short line still costs its keeper something. */
const LINE = 100

const log = (...values) => {
  if (logged > limits.outputLength) return
  let line = ""
  for (let at = 0; at < values.length; at++) line += (at === 0 ? "" : " ") + shown(values[at])
  logged += line.length + LINE
  if (logged > limits.outputLength) line = "(the console is full: the lines from here on are lost)"
  add("console", 0, "", null, line)
}

const finish = (value, error) => {
  end = '{"value":' + (value === undefined ? "null" : stringify(value)) + ',"error":' + error + "}"
}
const failure = (kind, message, line, during) =>
  '{"kind":' + stringify(kind) + ',"message":' + stringify(message) + ',"line":' + line +
  ',"during":' + (typeof during === "string" ? stringify(during) : "null") + "}"

const returned = (value) => {
  if (value === undefined) return finish(undefined, "null")
  let written
  try {
    written = stringify(value, readable)
  } catch (error) {
    return finish(undefined, failure("output", "the value cannot be written as JSON: " + messageOf(error), null, null))
  }
  if (typeof written !== "string") {
    return finish(undefined, failure("output", "the value is a " + typeof value + ", which JSON has not: return what is in it", null, null))
  }
  if (written.length > limits.outputLength) {
    return finish(undefined, failure("output", "the value is " + written.length + " characters of JSON, and " + limits.outputLength + " are the most: return less of it", null, null))
  }
  finish(written, "null")
}

const threw = (error) => {
  const known = typeof error === "object" && error !== null ? apply(get, faults, [error]) : undefined
  const isError = error instanceof ErrorOf
  const name = isError ? text(error.name) : ""
  const message = isError ? text(error.message) : shown(error)
  const line = isError ? lineOf(error.stack) : null
  finish(undefined, failure(known ? known.kind : "threw", name === "" || known ? message : name + ": " + message, line, known && known.during))
}

const settleOne = (answer) => {
  const wait = waits[answer[0]]
  if (wait === undefined) return
  delete waits[answer[0]]
  open--
  if (answer[1]) return wait.resolve(answer[2])
  const isNamed = apply(indexOf, answer[2], [wait.name]) === 0
  hidden(wait.trace, "message", isNamed ? answer[2] : wait.name + ": " + answer[2])
  wait.reject(fault(wait.trace, "threw", wait.name))
}

const namespace = (server) => {
  const members = create(null)
  const read = (target, key) => {
    if (typeof key !== "string" || hasOwn(target, key) || key === "then" || key === "toJSON") return target[key]
    const some = apply(join, apply(firsts, keys(target), [0, 20]), [", "])
    throw new TypeErrorOf(server + " has no tool " + key + "; it has " + some)
  }
  return [members, new ProxyOf(members, { get: read })]
}

const [tools, toolsSeen] = namespace("tools")
const servers = create(null)
const publish = (name, value) => defineProperty(globals, name, { value, configurable: true, writable: true })
const published = (server) => {
  if (hasOwn(servers, server)) return servers[server]
  if (server in globals) return null
  const [members, seen] = namespace(server)
  publish(server, seen)
  servers[server] = members
  return members
}

publish("tools", toolsSeen)
publish("boo", { describe })
publish("console", { log, info: log, debug: log, warn: log, error: log })
for (const { server, tool, name } of functions) {
  const made = (given) => call(name, given)
  hidden(made, "name", name)
  tools[name] = made
  const members = server === null ? null : published(server)
  if (members !== null) members[tool] = made
}

return {
  take: () => {
    const taken = '{"asks":[' + out + '],"end":' + end + ',"isOpen":' + (open > 0) + "}"
    out = ""
    return taken
  },
  settle: (answers) => {
    const given = parse(answers)
    for (let at = 0; at < given.length; at++) settleOne(given[at])
  },
  watch: (promise) => {
    apply(then, new PromiseOf((resolve) => resolve(promise)), [returned, threw])
  }
}
})`
