import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as PrivateAddress from "../../src/settings/PrivateAddress.ts"

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Quad = Schema.Tuple([Byte, Byte, Byte, Byte])
type Quad = typeof Quad.Type

/** An address of a network that only this machine and its neighbours reach. */
const PRIVATE_NETWORKS: ReadonlyArray<(quad: Quad) => Quad> = [
  ([, b, c, d]) => [127, b, c, d],
  ([, b, c, d]) => [10, b, c, d],
  ([, b, c, d]) => [172, 16 + b % 16, c, d],
  ([, , c, d]) => [192, 168, c, d],
  ([, , c, d]) => [169, 254, c, d],
  ([, b, c, d]) => [100, 64 + b % 64, c, d],
  ([, b, c, d]) => [0, b, c, d],
  ([a, b, c, d]) => [224 + a % 32, b, c, d]
]

const hex = (byte: number): string => byte.toString(16).padStart(2, "0")
const number = ([a, b, c, d]: Quad): number => ((a * 256 + b) * 256 + c) * 256 + d

/** Every way in which a url may spell one IPv4 address. */
const SPELLINGS: ReadonlyArray<(quad: Quad) => string> = [
  (quad) => quad.join("."),
  (quad) => `${quad.join(".")}.`,
  (quad) => String(number(quad)),
  (quad) => `0x${number(quad).toString(16)}`,
  (quad) => `0${number(quad).toString(8)}`,
  (quad) => quad.map((byte) => `0x${hex(byte)}`).join("."),
  (quad) => quad.map((byte) => `0${byte.toString(8)}`).join("."),
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  (quad) => `[::ffff:${quad.join(".")}]`,
  ([a, b, c, d]) => `[::ffff:${hex(a)}${hex(b)}:${hex(c)}${hex(d)}]`,
  ([a, b, c, d]) => `[0:0:0:0:0:FFFF:${hex(a)}${hex(b)}:${hex(c)}${hex(d)}]`,
  ([a, b, c, d]) => `[::${hex(a)}${hex(b)}:${hex(c)}${hex(d)}]`,
  ([a, b, c, d]) => `[64:ff9b::${hex(a)}${hex(b)}:${hex(c)}${hex(d)}]`,
  ([a, b, c, d]) => `[2002:${hex(a)}${hex(b)}:${hex(c)}${hex(d)}::1]`
]

/** The host as the server has it: what a url makes of it. */
const hostOf = (spelling: string): string => PrivateAddress.nameOf(new URL(`http://${spelling}:8080/mcp`).hostname)

const refuse = PrivateAddress.refusal([])
const isRefused = (host: string, addresses = [host]): boolean => refuse(host, addresses) !== null

const Case = Schema.Struct({
  quad: Quad,
  network: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: PRIVATE_NETWORKS.length - 1 })),
  spelling: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: SPELLINGS.length - 1 }))
})

describe("PrivateAddress", () => {
  it.prop(
    "R77: refuses every spelling of an address that is not public",
    [Arbitrary.schema(Case)],
    ([{ network, quad, spelling }]) => {
      const address = PRIVATE_NETWORKS[network]?.(quad) ?? quad
      return isRefused(hostOf(SPELLINGS[spelling]?.(address) ?? ""))
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "R77: refuses a name one of whose addresses is not public, whatever the others are",
    [Arbitrary.schema(Case)],
    ([
      { network, quad }
    ]) => {
      const address = (PRIVATE_NETWORKS[network]?.(quad) ?? quad).join(".")
      return isRefused("mcp.example", ["93.184.216.34", address]) &&
        isRefused("mcp.example", [address, "93.184.216.34"])
    }
  )

  it("R77: knows the addresses that machines keep for themselves, IPv6 included", () => {
    const kinds = {
      "169.254.169.254": "link-local",
      "::1": "loopback",
      "::": "unspecified",
      "0.0.0.0": "unspecified",
      "fd00:ec2::254": "private",
      "fe80::1%eth0": "link-local",
      "fec0::1": "reserved",
      "ff02::1": "multicast",
      "255.255.255.255": "broadcast",
      "100.100.100.200": "private",
      "198.18.0.1": "reserved",
      "192.0.2.1": "reserved",
      "2001:db8::1": "reserved",
      "5f00::1": "reserved",
      "not an address": "unreadable"
    }
    for (const [address, kind] of Object.entries(kinds)) {
      assert.strictEqual(PrivateAddress.kindOf(address), kind, address)
    }
  })

  it("lets public addresses through", () => {
    for (const address of ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "172.32.0.1", "100.128.0.1", "11.0.0.1"]) {
      assert.isFalse(isRefused(hostOf(address.includes(":") ? `[${address}]` : address)), address)
    }
    assert.isFalse(isRefused("mcp.example", ["93.184.216.34", "2606:2800:220:1::1"]))
  })

  it("R77: takes names for this machine by their name, whatever they resolve to", () => {
    for (const name of ["localhost", "localhost.", "a.localhost", "LOCALHOST"]) {
      assert.isTrue(isRefused(PrivateAddress.nameOf(name), ["93.184.216.34"]), name)
    }
    assert.isFalse(isRefused("notlocalhost", ["93.184.216.34"]))
  })

  it("allows what the settings name: networks, addresses and hosts, and nothing beside them", () => {
    const some = PrivateAddress.refusal(["10.1.0.0/16", "192.168.1.5", "MCP.internal.", "fd00::/8"])
    assert.isNull(some("10.1.2.3", ["10.1.2.3"]))
    assert.isNull(some("::ffff:10.1.2.3", ["::ffff:10.1.2.3"]))
    assert.isNotNull(some("10.2.0.1", ["10.2.0.1"]))
    assert.isNull(some("a.example", ["192.168.1.5", "fd00::7"]))
    assert.isNotNull(some("a.example", ["192.168.1.5", "192.168.1.6"]))
    assert.isNull(some("mcp.internal", ["127.0.0.1"]))
    assert.isNotNull(some("evil.mcp.internal", ["127.0.0.1"]))
  })

  it("says what it refuses", () => {
    assert.strictEqual(refuse("mcp.example", ["10.0.0.1"]), "mcp.example is 10.0.0.1, a private address")
    assert.strictEqual(refuse("127.0.0.1", ["127.0.0.1"]), "127.0.0.1 is a loopback address")
  })

  it("takes networks, addresses and names for rules, and nothing with a port or a path", () => {
    for (const rule of ["10.0.0.0/8", "10.0.0.1", "fd00::/8", "::1", "mcp.internal"]) {
      assert.isTrue(PrivateAddress.isRule(rule), rule)
    }
    for (const rule of ["", "10.0", "10.0.0.0/33", "http://a", "a/b", "a:80", "*.internal"]) {
      assert.isFalse(PrivateAddress.isRule(rule), rule)
    }
  })
})
