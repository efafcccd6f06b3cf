/**
 * Loaded into a program before anything else: gives names the addresses that the variable SCRIPTED_NAMES says, one after the
 * other at each look-up, the last for ever. Other names are looked up as always.
 */
import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"

const script: Record<string, Array<string>> = JSON.parse(process.env["SCRIPTED_NAMES"] ?? "{}")

const next = (host: string): string | undefined => {
  const left = script[host]
  return left !== undefined && left.length > 1 ? left.shift() : left?.[0]
}

const real = { lookup: dns.lookup, promise: dns.promises.lookup }

const answer = (address: string, all: boolean | undefined) => {
  const family = address.includes(":") ? 6 : 4
  return all === true ? [{ address, family }] : { address, family }
}

Object.assign(dns.promises, {
  lookup: async (host: string, options: { all?: boolean } = {}) => {
    const address = next(host)
    return address === undefined ? real.promise(host, options) : answer(address, options.all)
  }
})

Object.assign(dns, {
  lookup: (host: string, options: dns.LookupOptions, callback: (...answer: ReadonlyArray<unknown>) => void) => {
    const address = next(host)
    if (address === undefined) return Reflect.apply(real.lookup, dns, [host, options, callback])
    const { all } = options
    const family = address.includes(":") ? 6 : 4
    queueMicrotask(() => all === true ? callback(null, [{ address, family }]) : callback(null, address, family))
  }
})

syncBuiltinESMExports()
