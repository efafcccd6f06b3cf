/**
 * What the guards promise, under a model of the engine: it sends a request again whenever it does not know what became of
 * it, to whichever node owns the server then; nodes die, stand still and come back, and owners move.
 */
import { assert, describe, it } from "@effect/vitest"
import process from "node:process"
import { CallRecord } from "../../src/model/CallRecord.ts"
import { Standstill } from "../../src/model/Standstill.ts"

const SCHEDULES = process.env["BOOCODE_TEST_LONG"] === undefined ? 1000 : 4000
const HORIZON = 120_000

/** A sequence of numbers from 0 to 1 that a seed decides. */
const randoms = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

interface Instance {
  readonly id: number
  readonly record: CallRecord
}

interface Node {
  isDead: boolean
  /** It does not run until then. */
  frozenUntil: number
  /** Whether it believes that it owns the server; the lock may be gone while it stood still. */
  believes: boolean
  standstill: Standstill
  instance: Instance | null
}

interface Guards {
  readonly record: boolean
  readonly standstill: boolean
}

/** Runs one schedule, and gives how often each call ran, and the most instances that took calls at one time. */
const run = (seed: number, guards: Guards) => {
  const random = randoms(seed)
  const between = (from: number, to: number) => from + random() * (to - from)
  const queue: Array<{ at: number; run: () => void }> = []
  /** The next one is the last of the queue. */
  const after = (at: number, run: () => void) => {
    let low = 0
    let high = queue.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((queue[middle]?.at ?? 0) > at) low = middle + 1
      else high = middle
    }
    queue.splice(low, 0, { at, run })
  }
  let now = 0
  let instances = 0
  let lockedBy = 0
  const ran = new Map<number, number>()
  const takers = { most: 0 }
  const nodes: Array<Node> = [0, 1, 2].map((index) => ({
    isDead: false,
    frozenUntil: 0,
    believes: index === 0,
    standstill: new Standstill(0),
    instance: null
  }))
  const isRunning = (node: Node) => !node.isDead && node.frozenUntil <= now
  /** An instance counts as live when a call that is meant for it would be taken. */
  const live = () =>
    nodes.filter((node) =>
      isRunning(node) && node.believes && node.instance !== null &&
      !(guards.standstill && node.standstill.isInDoubt(now))
    ).length

  const moveTo = (index: number) => {
    const old = nodes[lockedBy]
    if (old !== undefined && isRunning(old)) {
      old.believes = false
      old.instance = null
    }
    lockedBy = index
    const next = nodes[index]
    if (next !== undefined) next.believes = true
  }
  const survivors = () => nodes.flatMap((node, index) => isRunning(node) ? [index] : [])
  const someOther = () => {
    const others = survivors().filter((index) => index !== lockedBy)
    return others[Math.floor(random() * others.length)]
  }

  /** A holder opens the server on the node that believes to own it, and makes one call on it. */
  const caller = (call: number) => {
    const owner = nodes.find((node) => isRunning(node) && node.believes)
    if (owner === undefined || (guards.standstill && owner.standstill.isInDoubt(now))) {
      return after(now + 100, () => caller(call))
    }
    owner.instance ??= { id: instances += 1, record: new CallRecord() }
    const meant = owner.instance.id
    const holder = `holder ${call}`
    owner.instance.record.join(holder)
    takers.most = Math.max(takers.most, live())
    deliver(call, holder, meant, owner, now + between(0, 50))
  }
  /** The engine: a request that is not answered goes to the node that owns the server then, also when it may have run. */
  const deliver = (call: number, holder: string, meant: number, to: Node, at: number) =>
    after(at, () => {
      const again = () => {
        const next = nodes.find((node) => isRunning(node) && node.believes) ?? to
        deliver(call, holder, meant, next, now + between(100, 3000))
      }
      if (now > HORIZON) return
      if (to.isDead) return again()
      if (to.frozenUntil > now) {
        // It stays in the buffer of the node that stands still, and the sender loses patience.
        deliver(call, holder, meant, to, to.frozenUntil + between(0, 900))
        return again()
      }
      if (!to.believes) return again()
      const isMeant = to.instance?.id === meant && !(guards.standstill && to.standstill.isLate(now))
      const isTaken = guards.record
        ? isMeant && to.instance?.record.admit(holder, 1) === true
        : to.instance !== null
      if (!isTaken) return
      ran.set(call, (ran.get(call) ?? 0) + 1)
      // The answer gets lost with the connection, or the node dies before it is there.
      if (random() < 0.4) again()
    })

  /** Gives the lock to a node that runs, as soon as there is one. */
  const handOver = (from: Node) => {
    if (nodes[lockedBy] !== from) return
    const other = someOther()
    if (other === undefined) after(now + 1000, () => handOver(from))
    else moveTo(other)
  }
  const die = (owner: Node) => {
    owner.isDead = true
    owner.believes = false
    owner.instance = null
    after(now + between(1000, 5000), () => {
      handOver(owner)
      // Another process takes its place.
      owner.isDead = false
      owner.frozenUntil = 0
      owner.standstill = new Standstill(now)
    })
  }
  const freeze = (owner: Node) => {
    const end = now + between(500, 60_000)
    owner.frozenUntil = end
    // The database ends the session of a node that is silent for 35 s, and the next node takes over.
    after(now + 35_000, () => owner.frozenUntil === end && now < end ? handOver(owner) : undefined)
    after(end, () => {
      if (owner.frozenUntil !== end) return
      // Its timer comes a little after what lay in its buffers, and its look at the locks up to 10 s later.
      after(now + between(0, 1000), () => {
        if (owner.standstill.beat(now) && guards.standstill) owner.instance = null
      })
      after(now + between(0, 10_000), () => {
        if (nodes[lockedBy] === owner) return
        owner.believes = false
        owner.instance = null
      })
    })
  }
  const misfortune = (): void => {
    const owner = nodes[lockedBy]
    if (owner === undefined || !isRunning(owner) || survivors().length < 2) return
    const kind = random()
    if (kind < 0.3) die(owner)
    else if (kind < 0.6) handOver(owner)
    else freeze(owner)
  }
  for (let call = 1; call <= 20; call++) after(between(0, HORIZON / 2), () => caller(call))
  for (let count = 0; count < 4; count++) after(between(0, HORIZON / 2), misfortune)
  for (let second = 1000; second < HORIZON; second += 1000) {
    after(
      second,
      () => nodes.forEach((node) => isRunning(node) && !node.standstill.isLate(now) ? node.standstill.beat(now) : false)
    )
  }
  let steps = 0
  while (queue.length > 0 && (steps += 1) < 20_000) {
    const next = queue.pop()
    if (next === undefined) break
    now = Math.max(now, next.at)
    next.run()
    takers.most = Math.max(takers.most, live())
  }
  return { twice: [...ran.values()].filter((count) => count > 1).length, most: takers.most, calls: ran.size }
}

const all = (guards: Guards, schedules: number) => {
  const runs = Array.from({ length: schedules }, (_, seed) => run(seed, guards))
  return {
    twice: runs.reduce((sum, { twice }) => sum + twice, 0),
    most: Math.max(...runs.map(({ most }) => most)),
    calls: runs.reduce((sum, { calls }) => sum + calls, 0)
  }
}

describe(`In ${SCHEDULES} random schedules of deaths, standstills and moves`, () => {
  it("no call runs twice, and one instance at most takes calls", () => {
    const { calls, most, twice } = all({ record: true, standstill: true }, SCHEDULES)
    assert.isAbove(calls, SCHEDULES)
    assert.strictEqual(twice, 0)
    assert.strictEqual(most, 1)
  })

  it("calls would run twice without the record of calls", () => {
    assert.isAbove(all({ record: false, standstill: true }, 100).twice, 0)
  })

  it("two instances would take calls without the notice of a standstill", () => {
    assert.isAbove(all({ record: true, standstill: false }, 400).most, 1)
  })
})
