/** A running server over Node's fetch. */
import { NodeFetch } from "@boocode/mcp-node"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Remote } from "../backend/Remote.ts"
import * as RemoteClient from "../backend/RemoteClient.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** A redirect is no answer: it would carry arguments and the token to who knows whom. */
export const remote = (
  url: string,
  variables: Variables,
  token: Redacted.Redacted<string> | null = null
): Layer.Layer<Remote> =>
  RemoteClient.layer(url, token).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" })),
    Layer.provide(
      Layer.effect(FetchHttpClient.Fetch, Effect.map(NodeFetch.make(direct(variables)), ({ fetch }) => fetch))
    )
  )

/** A proxy has no way to this machine. */
const direct = (variables: Variables): Variables => ({
  ...variables,
  no_proxy: [variables["no_proxy"] ?? variables["NO_PROXY"] ?? "", "localhost,127.0.0.1,::1"].join(",")
})
