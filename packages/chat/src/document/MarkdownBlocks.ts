/**
 * Texts of anybody inside Markdown, so that none of them ends its block or begins another, and each can be read back.
 */

/** Characters that end a line for Markdown but not for us, and our own way of writing them. */
const WRITTEN = new Map([["\r", "&#13;"], ["\0", "&#0;"]])
const READ = new Map([["13", "\r"], ["0", "\0"], ["38", "&"]])

const protect = (text: string): string =>
  text.replace(/&(?=#(?:13|38|0);)/g, "&#38;").replace(/[\r\0]/g, (character) => WRITTEN.get(character) ?? character)

const unprotect = (text: string): string => text.replace(/&#(13|38|0);/g, (_, code: string) => READ.get(code) ?? "")

/** A block quote: whatever is opened in it is closed where it ends. */
export const quote = (text: string): string => protect(text).split("\n").map((line) => `> ${line}`).join("\n")

/** The text of the lines of a block quote. */
export const unquote = (lines: ReadonlyArray<string>): string =>
  unprotect(lines.map((line) => line.replace(/^> ?/, "")).join("\n"))

/** A fence longer than any inside. */
export const fence = (text: string, language = ""): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const marks = "`".repeat(longest + 1)
  return `${marks}${language}\n${protect(text)}\n${marks}`
}

/** One line without a meaning of its own; its line breaks become spaces. */
export const inline = (text: string): string => text.replace(/[\n\r\0]+/g, " ").replace(/[\\`*_{}[\]<>()#|~&]/g, "\\$&")

/** The text of `inline`. */
export const plain = (line: string): string => line.replace(/\\([\\`*_{}[\]<>()#|~&])/g, "$1")
