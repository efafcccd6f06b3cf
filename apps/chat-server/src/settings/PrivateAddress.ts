/**
 * Knows the addresses that only this machine and its networks reach (R77). An address that is not certainly public
 * counts as private.
 */
import ipaddr from "ipaddr.js"

type Address = ReturnType<typeof ipaddr.parse>

/** Whether a text can be such a rule: a network, an address, or a name without port and path. */
export const isRule = (text: string): boolean =>
  networkOf(text) !== null || !text.includes("/") && /^[\p{L}\p{N}._-]+$/u.test(text) && !/^[\d.]+$/.test(text)

/** The kind of an address, for a sentence; null for a public one, "unreadable" for a text that is no address. */
export const kindOf = (text: string): string | null => {
  const address = addressOf(text)
  if (address === null) return "unreadable"
  const range = address.range()
  // Only this part of IPv6 is given to the public; the rest is for machines, networks and ways around.
  const isPublic = range === "unicast" && (address.kind() === "ipv4" || isWithin(address, GLOBAL))
  return isPublic ? null : KINDS[range] ?? "reserved"
}

const GLOBAL: readonly [Address, number] = [ipaddr.parse("2000::"), 3]

const KINDS: Readonly<Record<string, string>> = {
  broadcast: "broadcast",
  carrierGradeNat: "private",
  linkLocal: "link-local",
  loopback: "loopback",
  multicast: "multicast",
  private: "private",
  uniqueLocal: "private",
  unspecified: "unspecified"
}

/** The host of a url as it is compared and resolved: no brackets, no dot at the end, no capitals. */
export const nameOf = (host: string): string => host.toLowerCase().replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "")

/** Names that mean this machine whatever a resolver says (RFC 6761). */
export const isLocalName = (host: string): boolean => /(^|\.)localhost$/.test(nameOf(host))

/** Whether a host is this machine, by its name or by its address. */
export const isThisMachine = (host: string): boolean => isLocalName(host) || kindOf(nameOf(host)) === "loopback"

/** Whether a host is an address, in whichever spelling a URL takes. */
export const isAddress = (host: string): boolean => addressOf(host) !== null

/** An IPv4 address inside an IPv6 one is that address. */
const addressOf = (text: string): Address | null => {
  const plain = nameOf(text).replace(/%.*$/, "")
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : null
}

/** The addresses that one household has: one of IPv4, a whole /64 of IPv6. */
export const householdOf = (text: string): string => {
  const address = addressOf(text)
  return address?.kind() === "ipv6" ? address.toNormalizedString().split(":").slice(0, 4).join(":") : String(address)
}

const networkOf = (rule: string): readonly [Address, number] | null => {
  if (ipaddr.isValidCIDR(rule)) return ipaddr.parseCIDR(rule)
  const address = ipaddr.IPv4.isValidFourPartDecimal(rule) || ipaddr.IPv6.isValid(rule) ? ipaddr.process(rule) : null
  return address === null ? null : [address, address.kind() === "ipv4" ? 32 : 128]
}

const isWithin = (address: Address, [base, bits]: readonly [Address, number]): boolean =>
  address.kind() === base.kind() && address.match([base, bits])

/** Whether an address is one of these rules, or in a network of theirs. */
export const isAmong = (rules: ReadonlyArray<string>) => {
  const networks = rules.map(networkOf).filter((network) => network !== null)
  return (text: string): boolean => {
    const address = addressOf(text)
    return address !== null && networks.some((network) => isWithin(address, network))
  }
}

/**
 * Why a host with these addresses may not be reached; null when all of them are public or allowed. The rules, as the setting
 * `privateAddresses` has them, allow networks, addresses, and names whatever these resolve to.
 */
export const refusal = (rules: ReadonlyArray<string>) => {
  const isAllowed = isAmong(rules)
  const names = new Set(rules.filter((rule) => networkOf(rule) === null).map(nameOf))
  return (host: string, addresses: ReadonlyArray<string>): string | null => {
    if (names.has(nameOf(host))) return null
    const bad = addresses.find((address) => (kindOf(address) !== null || isLocalName(host)) && !isAllowed(address))
    if (bad === undefined) return null
    const kind = kindOf(bad) ?? "loopback"
    return nameOf(host) === nameOf(bad) ? `${bad} is a ${kind} address` : `${nameOf(host)} is ${bad}, a ${kind} address`
  }
}
