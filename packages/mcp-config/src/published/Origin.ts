/** `from` of an entry: the published server that it was installed from, with the version. */
import * as CommandEntry from "../exchange/CommandEntry.ts"

export interface Origin {
  readonly name: string
  readonly version: string
}

/** `io.github.user/weather@1.2.3`. */
export const print = ({ name, version }: Origin): string => `${name}@${version}`

/** Null for a text that is none. */
export const parse = (text: string): Origin | null => {
  const [, name, version] =
    /^([a-zA-Z0-9.-]{1,150}\/[a-zA-Z0-9._-]{1,100})@([0-9A-Za-z][0-9A-Za-z.+_-]{0,99})$/.exec(text) ??
      []
  return name === undefined || version === undefined ? null : { name, version }
}

/** A name for the server here: that of the published one, or its publisher's where it is called like every server. */
export const localName = (name: string): string => {
  const [publisher = "", own = ""] = name.split("/")
  const last = publisher.split(".").at(-1) ?? ""
  const tidy = CommandEntry.tidy(own)
  return /^(?:|mcp|server|mcp-server)$/.test(tidy) ? CommandEntry.tidy(last) || "server" : tidy
}

/** Such a name that is not taken, with a number behind it where that takes one. */
export const freeName = (name: string, taken: ReadonlySet<string>): string => {
  const wanted = localName(name)
  const numbered = Array.from({ length: taken.size + 1 }, (_, at) => `${wanted}-${at + 2}`)
  return [wanted, ...numbered].find((one) => !taken.has(one)) ?? wanted
}
