/** A collector of telemetry on a free loopback port: keeps what OTLP exporters send it as JSON. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import { createServer } from "node:http"

export interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string }
}

export interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes: ReadonlyArray<Attribute>
  readonly status: { readonly code: number }
}

export interface Collector {
  readonly url: string
  readonly spans: () => ReadonlyArray<Span>
  /** The names of the metrics that came. */
  readonly metrics: () => ReadonlySet<string>
  /** The bodies of the log records that came. */
  readonly logs: () => ReadonlyArray<string>
  /** The attributes of the program that sent. */
  readonly resource: () => ReadonlyArray<Attribute>
  /** The values of a header, of all requests. */
  readonly headers: (name: string) => ReadonlySet<string | undefined>
  /** Everything that came, as one text. */
  readonly text: () => string
}

/** Closes when the scope does. */
export const start: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function*() {
  const bodies: Array<{ readonly path: string; readonly text: string; readonly header: Headers }> = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
    }).on("end", () => {
      bodies.push({ path: request.url ?? "", text, header: new Headers(flat(request.headers)) })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const of = (path: string) => bodies.filter((body) => body.path === path).map(({ text }) => JSON.parse(text))
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => of("/v1/traces").flatMap((body) => body.resourceSpans[0].scopeSpans[0].spans),
    metrics: () =>
      new Set(
        of("/v1/metrics").flatMap((body) =>
          body.resourceMetrics[0].scopeMetrics[0].metrics.map(({ name }: { readonly name: string }) => name)
        )
      ),
    logs: () =>
      of("/v1/logs").flatMap((body) =>
        body.resourceLogs[0].scopeLogs[0].logRecords.map((record: { readonly body: unknown }) =>
          JSON.stringify(record.body)
        )
      ),
    resource: () => of("/v1/traces")[0]?.resourceSpans[0].resource.attributes ?? [],
    headers: (name) => new Set(bodies.map(({ header }) => header.get(name) ?? undefined)),
    text: () => bodies.map(({ text }) => text).join("\n")
  }
})

const flat = (headers: NodeJS.Dict<string | ReadonlyArray<string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
