/**
 * Where the documents of apps are served: on a port of their own that serves nothing else, so that they share no origin with
 * the API. Where a browser cannot reach that port, the server's own sends them, in a sandbox by their policy alone.
 */
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { createServer, type RequestListener, type Server } from "node:http"
import * as HostGuard from "../access/HostGuard.ts"
import { SharedDocuments } from "../database/SharedDocuments.ts"
import * as PrivateAddress from "../settings/PrivateAddress.ts"
import { Settings } from "../settings/Settings.ts"
import * as AppDocuments from "./AppDocuments.ts"
import type { AppPolicy } from "./AppPolicy.ts"

/** The variable with the origin under which a proxy offers the port of the apps. */
const ORIGIN_VARIABLE = "BOOCODE_APPS_ORIGIN"

/** The port of the apps cannot be had, or their origin is none. Exit code 1; `boocode` prints the message and the hint. */
export class AppsUnavailable extends Schema.TaggedError<AppsUnavailable>()("AppsUnavailable", {
  why: Schema.String,
  hint: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return this.why
  }
}

export interface Shown {
  readonly html: string
  readonly policy: AppPolicy
  /** The origin of the page that asks. */
  readonly page: string
  /** The page could not reach the other port. */
  readonly isDirect: boolean
}

interface Host {
  /** Origins besides its own that the page frames, as its policy says it. */
  readonly framed: ReadonlyArray<string>
  /** The names of this server that no app is ever let reach. */
  readonly names: ReadonlyArray<string>
  /** Whether an origin is that of the apps: the API does not answer it. */
  readonly isApps: (origin: URL) => boolean
  /** Keeps a document until a browser fetches it. `origin` is null where the server's own port sends it. */
  readonly show: (shown: Shown) => Effect.Effect<{ readonly url: string; readonly origin: string | null }>
  /** A document that the server's own port sends. */
  readonly document: AppDocuments.AppDocuments["document"]
}

/** The place of apps. Without a layer there is no port for them. */
export class AppHost extends Context.Reference<Host>("chat-server/AppHost", {
  defaultValue: () => hostOf({ documents: AppDocuments.make(), names: [], origin: null })
}) {
  /** Takes the port. `host` is the address that the server binds, `port` null for any where only this machine reaches it. */
  static readonly layer = (host: string, port: number | null) => Layer.effect(AppHost, make(host, port))
}

interface Where {
  readonly documents: AppDocuments.AppDocuments
  readonly names: ReadonlyArray<string>
  /** Gives the origin of the apps for a page; null where there is none that its browser reaches. */
  readonly origin: Known | null
}

interface Known {
  readonly framed: string
  readonly of: (page: URL) => string | null
  readonly is: (origin: URL) => boolean
}

const hostOf = ({ documents, names, origin }: Where): Host => ({
  framed: origin === null ? [] : [origin.framed],
  names,
  isApps: (one) => origin !== null && origin.is(one),
  document: documents.document,
  show: ({ html, isDirect, page, policy }) => {
    const url = URL.parse(page)
    const apps = isDirect || url === null || origin === null ? null : origin.of(url)
    return Effect.map(
      documents.add({ html, policy, host: page, sandbox: apps }),
      (id) => ({ url: apps === null ? `${PATH}/${id}` : `${apps}/${id}`, origin: apps })
    )
  }
})

/** Where the server's own port has them. */
export const PATH = "/apps"

const make = Effect.fnUntraced(function*(host: string, port: number | null) {
  const { variables } = yield* Environment
  const settings = yield* Settings
  const written = variables[ORIGIN_VARIABLE] ?? ""
  const told = written === "" ? null : URL.parse(written)
  if (written !== "" && (told === null || `${told.origin}/` !== told.href || !/^https?:$/.test(told.protocol))) {
    return yield* new AppsUnavailable({
      why: `${ORIGIN_VARIABLE} is no origin: ${written}`,
      hint: "write it like https://apps.chat.example, without a path"
    })
  }
  const documents = AppDocuments.make(yield* SharedDocuments)
  const names = [...HostGuard.namesOf(settings).map(HostGuard.nameOf), host, ...told === null ? [] : [told.hostname]]
  const isLocal = PrivateAddress.isThisMachine(host)
  if (told === null && !isLocal && port === null) return hostOf({ documents, names, origin: null })
  const run = yield* FiberSet.makeRuntime()
  const answer = answering(documents, told?.origin ?? null)
  const bound = yield* listen(host, port ?? 0, (request, response) => void run(answer(request, response)))
  const origin = told === null ? isLocal ? ofMachine(host, bound) : ofNetwork(bound) : ofProxy(told)
  return hostOf({ documents, names, origin })
})

const ofProxy = (told: URL): Known => ({
  framed: told.origin,
  of: () => told.origin,
  is: ({ origin }) => origin === told.origin
})

/** A page that came by another way, such as a proxy or a tunnel, may not reach the port. */
const ofMachine = (host: string, port: number): Known => {
  const origin = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  return {
    framed: origin,
    of: ({ hostname, protocol }) => protocol === "http:" && PrivateAddress.isThisMachine(hostname) ? origin : null,
    is: (one) => one.port === String(port) && PrivateAddress.isThisMachine(one.hostname)
  }
}

/** Each browser reaches it under the name by which it reaches the page. */
const ofNetwork = (port: number): Known => ({
  framed: `http://*:${port}`,
  of: ({ hostname, protocol }) => protocol === "http:" ? `http://${hostname}:${port}` : null,
  is: (one) => one.port === String(port)
})

const listen = Effect.fnUntraced(function*(host: string, port: number, listener: RequestListener) {
  const unavailable = (why: string) =>
    new AppsUnavailable({
      why: `cannot listen for apps on ${host}, port ${port}: ${why}`,
      hint: "give another port with --apps-port; 0 takes a free one"
    })
  const { bound } = yield* Effect.acquireRelease(
    Effect.callback<{ readonly server: Server; readonly bound: number }, AppsUnavailable>((resume) => {
      const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, listener)
      server.once("error", ({ message }) => resume(Effect.fail(unavailable(message))))
      server.listen({ host, port }, () => {
        const address = server.address()
        resume(Effect.succeed({ server, bound: typeof address === "object" && address !== null ? address.port : port }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return bound
})

/** The two kinds of addresses that it has: the page around a document, and the document. */
const ADDRESS = /^\/([\w-]{32})(\/document)?$/

/** Without an origin of its own it is at the address by which the browser came. */
const answering = (documents: AppDocuments.AppDocuments, origin: string | null) =>
  Effect.fnUntraced(function*(...[request, response]: Parameters<RequestListener>) {
    const { headers: { host = "" }, method, url = "" } = request
    const base = origin ?? URL.parse(`http://${host}`)?.origin
    const [, id, isDocument] = method === "GET" && base !== undefined ? ADDRESS.exec(url) ?? [] : []
    const asked = isDocument === undefined ? documents.sandbox(id ?? "", base ?? "") : documents.document(id ?? "")
    const found = id === undefined ? null : yield* asked
    const { html, policy } = found ?? { html: "There is nothing here.\n", policy: "default-src 'none'" }
    response.writeHead(found === null ? 404 : 200, { ...HEADERS, "content-security-policy": policy })
    response.end(html)
  })

/** Those of every document, beside its policy. */
export const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  // A process of its own, where the browser has one to give: ports of one name share it otherwise, and an app that works holds up the page.
  "origin-agent-cluster": "?1"
} as const
