/** The reach of an app's document: as much as it declares, and never more (MCP Apps, `_meta.ui.csp`). */
import { JsonRpc } from "@boocode/mcp-client/Text"
import type * as Schema from "effect/Schema"
import * as PrivateAddress from "../settings/PrivateAddress.ts"

/** The origins that an app is granted, in the spelling of a browser, each once and sorted. */
export interface AppPolicy {
  /** Where it may send and ask. */
  readonly connect: ReadonlyArray<string>
  /** Where its scripts, styles, fonts and pictures may come from. */
  readonly load: ReadonlyArray<string>
  /** The pages that it may show in frames of its own. */
  readonly frame: ReadonlyArray<string>
  readonly base: ReadonlyArray<string>
  /** Whether it may write into the clipboard. No camera, microphone or place is ever granted. */
  readonly clipboard: boolean
}

/**
 * Grants what `_meta.ui` declares, but nothing that is no origin, no address of this machine or of a network of its own, no
 * name without a dot, and none of the `own` names of this server.
 */
export const of = (ui: Schema.JsonObject, own: ReadonlyArray<string>): AppPolicy => {
  const csp = JsonRpc.isObject(ui["csp"]) ? ui["csp"] : {}
  const names = own.map(PrivateAddress.nameOf)
  const granted = (key: string) => {
    const declared = csp[key]
    const texts = Array.isArray(declared) ? declared : []
    return [...new Set(texts.map((text) => originOf(text, names)).filter((origin) => origin !== null))].sort()
  }
  return {
    connect: granted("connectDomains"),
    load: granted("resourceDomains"),
    frame: granted("frameDomains"),
    base: granted("baseUriDomains"),
    clipboard: JsonRpc.isObject(ui["permissions"]) && JsonRpc.isObject(ui["permissions"]["clipboardWrite"])
  }
}

/** Nothing of a policy's own syntax fits: no space, quote, semicolon, comma or star but one at the beginning of a name. */
const ORIGIN = /^(https?|wss?):\/\/(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?\/?$/i

const originOf = (text: Schema.Json, own: ReadonlyArray<string>): string | null => {
  const [, scheme, star = "", host, port] = typeof text === "string" ? ORIGIN.exec(text) ?? [] : []
  if (scheme === undefined || host === undefined) return null
  // A browser reads 0x7f.1 as 127.0.0.1.
  const url = URL.parse(`${scheme}://${host}${port === undefined ? "" : `:${port}`}`)
  if (url === null) return null
  const name = PrivateAddress.nameOf(url.hostname)
  const isPrivate = PrivateAddress.isAddress(name)
    ? PrivateAddress.kindOf(name) !== null || star !== ""
    : PrivateAddress.isLocalName(name)
  const isOwn = own.some((one) => one === name || (star !== "" && one.endsWith(`.${name}`)))
  return isPrivate || isOwn ? null : `${url.protocol}//${star}${url.host}`
}

/**
 * The policy of the document's answer. `ancestors` are the origins that may show it. It is in a sandbox whatever frames it:
 * its origin is opaque, so it has no cookies, no storage and no way to other documents. Without `'self'`, which would mean
 * the server that sent it.
 */
export const header = ({ base, connect, frame, load }: AppPolicy, ancestors: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    line("script-src", ["'unsafe-inline'", ...load]),
    line("style-src", ["'unsafe-inline'", ...load]),
    line("img-src", ["data:", ...load]),
    line("media-src", ["data:", ...load]),
    line("font-src", load),
    line("connect-src", connect),
    line("frame-src", frame),
    line("base-uri", base),
    "object-src 'none'",
    // Forms are allowed for what scripts make of them; none is sent.
    "form-action 'none'",
    line("frame-ancestors", ancestors),
    "sandbox allow-scripts allow-forms"
  ].join("; ")

const line = (directive: string, sources: ReadonlyArray<string>): string =>
  `${directive} ${sources.length === 0 ? "'none'" : sources.join(" ")}`
