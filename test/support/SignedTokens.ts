/** Tokens that a service has signed, whose keys are at an address. */
import * as Effect from "effect/Effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { createServer } from "node:http"

export type Claims = Readonly<Record<string, string | number>>

/** `sign` takes a key that is not there where `isOurs` is false. */
export const start = Effect.gen(function*() {
  const [ours, another] = yield* Effect.promise(() => Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]))
  const key = yield* Effect.promise(() => exportJWK(ours.publicKey))
  const jwks = yield* Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((_, response) =>
        response.writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ keys: [{ ...key, kid: "1", alg: "ES256" }] }))
      )
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port ?? 0 : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}/keys`,
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
  return {
    jwks: jwks.url,
    sign: (claims: Claims, isOurs: boolean) =>
      Effect.promise(() =>
        new SignJWT({ ...claims }).setProtectedHeader({ alg: "ES256", kid: "1" })
          .sign((isOurs ? ours : another).privateKey)
      )
  }
})
