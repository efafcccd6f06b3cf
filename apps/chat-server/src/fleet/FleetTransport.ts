/**
 * The connections between nodes: TLS with the fleet's secret as the shared key. A peer without it gets no further than
 * the handshake, and reads nothing. Small messages are not held back.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Runners from "effect/cluster/Runners"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { createHash } from "node:crypto"
import { connect } from "node:tls"
import { FleetSettings } from "./FleetSettings.ts"

/** Keys of each connection are made anew, so that a secret that leaks later opens no recording. */
const TLS = { ciphers: "ECDHE-PSK-CHACHA20-POLY1305", minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const
const IDENTITY = "boocode-fleet"
const OPEN_LIMIT = "1 second"

const keyOf = (secret: Redacted.Redacted): Buffer =>
  createHash("sha256").update(`${IDENTITY} ${Redacted.value(secret)}`).digest()

/** Listens on every address of the machine: the fleet's address may be one that a proxy or a container maps. */
export const server = Layer.unwrap(Effect.map(FleetSettings, ({ port, secret }) => {
  const key = keyOf(secret)
  return NodeSocketServer.layerTls({
    ...TLS,
    pskCallback: (_socket, identity) => identity === IDENTITY ? key : null,
    host: "::",
    port,
    noDelay: true,
    handshakeTimeout: 5000
  })
}))

/** A connection to another node, opened when there is something to say. */
export const client = Layer.effect(
  Runners.RpcClientProtocol,
  Effect.gen(function*() {
    const serialization = yield* RpcSerialization.RpcSerialization
    const { secret } = yield* FleetSettings
    const key = keyOf(secret)
    return {
      codecFor: serialization.codecFor,
      make: Effect.fnUntraced(function*({ host, port }) {
        const socket = yield* NodeSocket.fromDuplex(opened(host, port, key), { openTimeout: OPEN_LIMIT })
        return yield* RpcClient.makeProtocolSocket().pipe(
          Effect.provideService(Socket.Socket, socket),
          Effect.provideService(RpcSerialization.RpcSerialization, serialization)
        )
      }, Effect.orDie)
    }
  })
)

const opened = (host: string, port: number, psk: Buffer) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      connect({
        ...TLS,
        host,
        port,
        pskCallback: () => ({ psk, identity: IDENTITY }),
        // Both sides prove that they have the secret; there is no certificate.
        checkServerIdentity: () => undefined
      })
    ),
    (connection) => Effect.sync(() => void connection.destroy())
  ).pipe(
    Effect.tap((connection) =>
      Effect.callback<void, Socket.SocketError>((resume) => {
        connection.setNoDelay(true)
        connection.once("secureConnect", () => resume(Effect.void))
        connection.on("error", (cause) =>
          resume(Effect.fail(
            new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
          )))
      })
    )
  )
