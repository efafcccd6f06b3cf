/** What can be done at a step. Each action starts something and does not wait for its end. */
import * as Effect from "effect/Effect"
import { type Ask, LIMITS, type Role } from "./Cast.ts"
import * as Census from "./Census.ts"
import * as Dice from "./Dice.ts"
import type { Findings } from "./Findings.ts"
import type { HttpPeer } from "./HttpPeer.ts"
import type { Operations } from "./Operations.ts"
import type { World } from "./World.ts"

export interface Stage {
  readonly world: World
  readonly operations: Operations
  readonly findings: Findings
  readonly peer: HttpPeer
}

interface Action {
  readonly weight: number
  readonly run: (stage: Stage, dice: Dice.Dice) => Effect.Effect<void>
}

/** Two shared cores now and then keep a process from running. */
const SLACK_MILLIS = 10_000
/** No more calls at a time than this to one server. */
const MOST = 24
/** A call may hasten the next attempt: the end of the last one, the attempt, and then the call. */
const REVIVED_MILLIS = LIMITS.closeMillis + LIMITS.startupMillis
/** Start and stop take turns: three that wait, each of them a stop and a start. */
const LIFE_MILLIS = 3 * (LIMITS.closeMillis + LIMITS.startupMillis) + SLACK_MILLIS

const anyRole = ({ world }: Stage, dice: Dice.Dice): Role | undefined => world.roles[dice.below(world.roles.length)]

const limitOf = (stage: Stage, name: string, isReady: boolean): number => {
  const concurrency = Number(stage.world.entries[name]?.["maxConcurrency"] ?? MOST)
  // Each round of those that wait may come upon a server that has to be started first.
  const rounds = Math.ceil(MOST / concurrency)
  const each = LIMITS.totalMillis + (isReady && rounds === 1 ? 0 : REVIVED_MILLIS)
  return rounds * each + SLACK_MILLIS
}

const textOf = (content: ReadonlyArray<object>): string =>
  content.map((block) => "text" in block ? String(block.text) : "").join("")

/** Makes a call, and checks that the answer is the one to it. */
const call = Effect.fnUntraced(function*(stage: Stage, name: string, ask: Ask, kind = "call") {
  const { findings, operations, world } = stage
  if (operations.of(name, /^call/) >= MOST) return null
  const { state } = yield* Effect.orDie(world.registry.server(name))
  let answered = false
  let told = 0
  const onProgress = ({ progress }: { readonly progress: number }) =>
    Effect.sync(() => {
      findings.count("progress notifications")
      if (answered) findings.violated(`${ask.tool} of ${name}: progress ${progress} was told after the answer`)
      if (progress < told) findings.violated(`${ask.tool} of ${name}: progress ${progress} was told after ${told}`)
      told = progress
    })
  const made = world.registry.call(`${name}_${ask.tool}`, ask.args, { onProgress }).pipe(
    Effect.map(({ content, isError }) => {
      answered = true
      const text = textOf(content)
      if (isError) return "isError"
      if (!ask.fits(text)) {
        const shown = JSON.stringify(text.slice(0, 200))
        findings.violated(`${ask.tool} of ${name} got the answer to something else, of ${text.length}: ${shown}`)
      }
      return "answered"
    })
  )
  return yield* operations.launch(kind, name, limitOf(stage, name, state === "ready"), made)
})

const usual = Effect.fnUntraced(function*({ findings, world }: Stage, role: Role, dice: Dice.Dice, id = "") {
  const make = role.asks[dice.below(role.asks.length)]
  if (make !== undefined) return make(dice, `step ${findings.step} ${id}`)
  const tools = (yield* world.registry.tools).filter(({ server }) => server === role.name)
  const tool = tools[dice.below(tools.length)]?.tool ?? "echo"
  return { tool, args: {}, fits: (text) => text.startsWith(tool) } satisfies Ask
})

const LIFE = /^(start|stop|restart)$/

const life = (kind: "start" | "stop" | "restart") =>
  Effect.fnUntraced(function*(stage: Stage, dice: Dice.Dice) {
    const { findings, operations, world } = stage
    const servers = yield* world.registry.servers
    // Starting what runs is refused; so most of the time somebody else is started.
    const off = servers.filter(({ state }) => state === "stopped" || state === "failed")
    const candidates = kind === "start" && off.length > 0 && dice.chance(0.8) ? off : servers
    const name = candidates[dice.below(candidates.length)]?.name
    // More than three at a time would only wait for each other.
    if (name === undefined || operations.of(name, LIFE) >= 3) return
    findings.note(`${kind} ${name}`)
    const done = Effect.tap(world.registry[kind](name), () => kind === "stop" ? isGone(stage, name) : Effect.void)
    yield* operations.launch(kind, name, LIFE_MILLIS, Effect.map(done, ({ state }) => state))
  })

/** A stop that was answered left nothing, unless somebody started the server since. */
const isGone = ({ findings, operations, world }: Stage, name: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const left = Census.processes(world.mark, [name]).filter(({ server }) => server === name)
    if (operations.of(name, LIFE) > 1 || left.length === 0) return
    findings.violated(`${name} was stopped, but ${left.map(({ command }) => command).join(", ")} runs`)
  })

const signal = (name: NodeJS.Signals) =>
  Effect.fnUntraced(function*(stage: Stage, dice: Dice.Dice) {
    const { findings, world } = stage
    const living = (yield* world.registry.servers).filter(({ pid }) => pid !== null)
    const chosen = living[dice.below(living.length)]
    if (chosen === undefined || chosen.pid === null) return
    findings.note(`${name} to ${chosen.name}`)
    findings.count(name)
    if (name === "SIGSTOP") world.frozen.add(chosen.pid)
    // It may have ended since.
    yield* Effect.ignore(Effect.try(() => process.kill(chosen.pid ?? 0, name)))
  })

const thaw = ({ findings, world }: Stage): Effect.Effect<void> =>
  Effect.forEach(world.frozen, (pid) => {
    world.frozen.delete(pid)
    findings.note(`SIGCONT to ${pid}`)
    // It may have ended since.
    return Effect.ignore(Effect.try(() => process.kill(pid, "SIGCONT")))
  }, { discard: true })

const ACTIONS: readonly [Action, ...ReadonlyArray<Action>] = [
  {
    weight: 30,
    run: (stage, dice) =>
      Effect.gen(function*() {
        const role = anyRole(stage, dice)
        if (role === undefined) return
        const ask = yield* usual(stage, role, dice)
        stage.findings.note(`call ${role.name} ${ask.tool}`)
        yield* call(stage, role.name, ask)
      })
  },
  {
    weight: 8,
    run: (stage, dice) =>
      Effect.gen(function*() {
        const role = anyRole(stage, dice)
        if (role === undefined) return
        const count = 2 + dice.below(15)
        stage.findings.note(`${count} calls of ${role.name}`)
        for (let index = 0; index < count; index++) {
          yield* call(stage, role.name, yield* usual(stage, role, dice, String(index)))
        }
      })
  },
  {
    weight: 10,
    run: (stage, dice) =>
      Effect.gen(function*() {
        const role = anyRole(stage, dice)
        if (role === undefined) return
        const ask = yield* usual(stage, role, dice)
        const millis = dice.below(400)
        stage.findings.note(`call ${role.name} ${ask.tool}, interrupted after ${millis} ms`)
        const operation = yield* call(stage, role.name, ask, "call, interrupted")
        if (operation === null) return
        const interrupt = stage.operations.interrupt(operation, 1000)
        yield* Effect.forkDetach(Effect.andThen(Effect.sleep(millis), interrupt))
      })
  },
  {
    weight: 5,
    run: (stage, dice) =>
      Effect.gen(function*() {
        const harmful = stage.world.roles.filter(({ harms }) => harms !== undefined)
        const role = harmful[dice.below(harmful.length)]
        const ask = role?.harms?.[0]?.(dice, "")
        if (role === undefined || ask === undefined) return
        stage.findings.note(`harm: ${role.name} ${ask.tool}`)
        yield* call(stage, role.name, ask, "call, harmful")
      })
  },
  {
    weight: 2,
    run: (stage, dice) => {
      const role = anyRole(stage, dice)
      const ask = { tool: "nothing", args: {}, fits: () => true }
      return role === undefined ? Effect.void : Effect.asVoid(call(stage, role.name, ask))
    }
  },
  { weight: 4, run: signal("SIGKILL") },
  { weight: 2, run: signal("SIGTERM") },
  { weight: 2, run: signal("SIGSTOP") },
  { weight: 3, run: thaw },
  { weight: 4, run: life("stop") },
  { weight: 9, run: life("start") },
  { weight: 6, run: life("restart") },
  {
    weight: 1,
    run: ({ findings, peer }) => {
      findings.note("the HTTP server forgets its sessions")
      return peer.forget
    }
  },
  {
    weight: 0.3,
    run: ({ findings, peer }) => {
      findings.note("the HTTP server is killed")
      return peer.kill
    }
  },
  {
    weight: 2,
    run: ({ operations, world: { registry } }) =>
      Effect.asVoid(
        operations.launch("settled", "all", LIFE_MILLIS, Effect.as(registry.settled, "settled"))
      )
  },
  {
    weight: 2,
    run: ({ operations, world: { registry } }) =>
      Effect.asVoid(operations.launch("view", "all", 1000, Effect.as(registry.view(["*", "!echo_*"]), "seen")))
  }
]

/** One step. */
export const act = (stage: Stage, dice: Dice.Dice): Effect.Effect<void> =>
  Effect.asVoid(Dice.weighted(dice, ACTIONS).run(stage, dice))

/**
 * After all that was done to it a registry is as good as new: each server that can be ready is ready after a restart,
 * and answers.
 */
export const recover = Effect.fnUntraced(function*(stage: Stage) {
  const { findings, operations, peer, world } = stage
  findings.note("recovery")
  yield* thaw(stage)
  yield* peer.ensure
  yield* operations.drain(LIFE_MILLIS, "the last step")
  yield* Effect.forEach(world.roles.filter((role) => isSound(stage, role)), ({ name }) =>
    Effect.gen(function*() {
      const restarted = yield* Effect.result(world.registry.restart(name))
      if (restarted._tag === "Failure") {
        findings.violated(`${name} cannot be restarted: ${restarted.failure.message}`)
        return
      }
      const answer = yield* Effect.result(world.registry.call(`${name}_echo`, { text: name }))
      const said = answer._tag === "Failure" ? answer.failure.message : textOf(answer.success.content)
      if (said !== name) findings.violated(`${name} was restarted, but does not answer: ${said}`)
    }), { concurrency: 4, discard: true })
  findings.count("recoveries")
})

const isSound = ({ peer, world }: Stage, { asks, isHopeless, name }: Role): boolean => {
  const entry = world.entries[name]
  // The HTTP server may have come back under another port than the one that is configured.
  if (entry === undefined || entry["enabled"] === false || (entry["url"] ?? peer.url) !== peer.url) return false
  return isHopeless !== true && asks.some((make) => make(Dice.make(0, 0), "").tool === "echo")
}
