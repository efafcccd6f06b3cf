/** Parts of an answer that stand on their own: pages, pictures, diagrams, documents and long code. Pure. */

export type Kind = "html" | "svg" | "mermaid" | "markdown" | "code"

/** So many lines are a document, or code that somebody wants beside the chat. */
const LONG = { markdown: 12, html: 15, code: 25 }

/** No code, however long. */
const PLAIN = new Set(["", "text", "txt", "plain", "plaintext", "log", "output", "console", "diff", "patch"])

const linesIn = (text: string): number => text.split("\n").length

/** The language of a fence, which is the first word after it. */
export const languageOf = (info: string): string => /^[\w+#.-]+/.exec(info.trim())?.[0]?.toLowerCase() ?? ""

/** The kind of a block of code; null for one that is nothing but a part of the answer. */
export const kindOf = (language: string, text: string): Kind | null => {
  switch (language) {
    case "mermaid":
    case "mmd":
      return "mermaid"
    case "svg":
      return "svg"
    case "xml":
    case "html":
    case "htm":
    case "xhtml":
      if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)?<svg[\s>]/i.test(text)) return "svg"
      if (language === "xml") break
      return /^\s*(?:<!--[^]*?-->\s*)?<(?:!doctype|html)\b/i.test(text) || linesIn(text) >= LONG.html ? "html" : null
    case "md":
    case "markdown":
      return linesIn(text) >= LONG.markdown ? "markdown" : null
  }
  return PLAIN.has(language) || linesIn(text) < LONG.code ? null : "code"
}

export interface Name {
  readonly text: string
  /** The model named a file, not only a thing. */
  readonly isFile: boolean
}

const LONGEST_NAME = 80

const cleaned = (text: string | undefined): string | null => {
  const plain = text?.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_NAME) ?? ""
  return plain === "" ? null : plain
}

const FILE = /^[\w@.-]+(?:\/[\w@.-]+)*\.\w{1,10}$/

const fileIn = (info: string, text: string): string | null => {
  const told = /(?:file(?:name)?|title|path)\s*=\s*["']?([^"'\s}]+)/i.exec(info)?.[1] ??
    info.trim().split(/[\s:]+/).slice(1).find((word) => FILE.test(word))
  if (told !== undefined && FILE.test(told)) return told
  const [first = ""] = text.split("\n", 1)
  const comment = /^\s*(?:\/\/|#|--|;|\/\*|<!--)\s*(?:file(?:name)?:\s*)?(\S+)\s*(?:\*\/|-->)?\s*$/i.exec(first)?.[1]
  return comment !== undefined && FILE.test(comment) ? comment : null
}

const TITLES: Partial<Record<Kind, RegExp>> = {
  html: /<title[^>]*>([^<]*)</i,
  svg: /<title[^>]*>([^<]*)</i,
  markdown: /^#{1,3} +(.+?)#*$/m,
  mermaid: /^---\s*\n[^]*?^title: *(.+)$[^]*?^---/m
}

/** The name that the model gave it: that of a file, else its title. */
export const nameOf = (kind: Kind, info: string, text: string): Name | null => {
  const file = fileIn(info, text)
  if (file !== null) return { text: file, isFile: true }
  const title = cleaned(TITLES[kind]?.exec(text)?.[1])
  return title === null ? null : { text: title, isFile: false }
}

const ENDINGS: Readonly<Record<string, string>> = {
  bash: "sh",
  csharp: "cs",
  go: "go",
  htm: "html",
  java: "java",
  javascript: "js",
  kotlin: "kt",
  markdown: "md",
  mermaid: "mmd",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "sh",
  typescript: "ts",
  yml: "yaml"
}

/** The name under which it is saved. */
export const fileName = (kind: Kind, language: string, name: Name | null): string => {
  if (name?.isFile === true) return name.text.split("/").at(-1) ?? name.text
  const base = (name?.text ?? kind).normalize("NFC").replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "")
  const ending = kind === "code" ? ENDINGS[language] ?? language.replaceAll(/[^a-z0-9]/g, "") : ENDINGS[kind] ?? kind
  return `${base.toLowerCase() || kind}.${ending}`
}
