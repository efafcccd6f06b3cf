/**
 * Lint rules of this house that oxlint does not have: the floors, and what is left to Effect.
 */
import { dirname, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { refusal } from "./Floors.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const rule = (create) => ({ meta: { type: "problem" }, create })

const floors = rule((context) => {
  const file = relative(root, context.filename).replaceAll("\\", "/")
  const check = (node) => {
    const why = typeof node.source?.value === "string"
      ? refusal(file, node.source.value, node.importKind === "type")
      : undefined
    if (why !== undefined) context.report({ node, message: why })
  }
  return {
    ImportDeclaration: check,
    ImportExpression: check,
    ExportNamedDeclaration: check,
    ExportAllDeclaration: check
  }
})

const noThrow = rule((context) => ({
  ThrowStatement: (node) => context.report({ node, message: "Fail with a typed error instead of throwing." })
}))

const noTry = rule((context) => ({
  TryStatement: (node) => context.report({ node, message: "Use Effect.try, Effect.tryPromise or Result.try." })
}))

const noAsync = rule((context) => {
  const check = (node) => {
    if (node.async) context.report({ node, message: "Use Effect.gen; wrap a foreign promise in Effect.tryPromise." })
  }
  return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check }
})

const noRun = rule((context) => ({
  MemberExpression: (node) => {
    if (node.object.type !== "Identifier" || node.object.name !== "Effect") return
    if (node.property.type !== "Identifier" || !/^run[A-Z]/.test(node.property.name)) return
    context.report({ node, message: "Only an application's entry point runs effects." })
  }
}))

/** A sentence that begins so hides its subject. A question may begin so. */
const RIDDLE = /(?:^|[.:!?] )((?:Who|Whose|Whom|Whoever|What|Whatever|Of|The same)\b[^.?]*)(?:\.|$)/

const plainComment = rule((context) => ({
  Program: () => {
    for (const comment of context.sourceCode.getAllComments()) {
      const text = comment.value.replace(/^[ *]+/gm, "").replace(/\s+/g, " ").trim()
      const found = RIDDLE.exec(text)?.[1]
      if (found !== undefined) {
        context.report({ node: comment, message: `Name the thing first: "${found.slice(0, 40)}…" hides its subject.` })
      }
    }
  }
}))

/** Attributes and properties of the page that a person reads or hears. */
const SAID = new Set([
  "alt",
  "about",
  "aria-description",
  "aria-label",
  "heading",
  "label",
  "placeholder",
  "text",
  "title"
])

/** Two letters that follow each other: signs, and a lone letter of a key, are the same in every language. */
const WORD = /\p{L}{2}/u

/** Several words in a row are said to somebody. A list of class names, a selector, and a media type have no such form. */
const SENTENCE = /(?:^|\s)\p{L}[\p{Ll}']+,? \p{Ll}{2,}(?:[ .,:]|$)/u

/** A word between two values: `${one} where ${other}`. */
const LINK = /^ \p{Ll}{2,} ?$|^\p{Ll}{2,} $/u

/** An address is the same in every language. */
const ADDRESS = /^(?:https?:\/\/|\/)\S*$/

const SAID_PROPERTIES = new Set([...SAID, "message", "meta", "words"])

/** Names of products, formats and units, and words of the languages that stand for themselves. */
const NAMES = new Set(["BooCode", "GitHub", "JSON", "MCP", "OAuth", "PNG", "SVG"])

/** Every text that an expression of the page can become; calls say what they say elsewhere. */
const textsOf = (node) => {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? [{ node, text: node.value }] : []
    case "TemplateLiteral":
      return [
        { node, text: node.quasis.map(({ value }) => value.cooked).join(" ") },
        ...node.expressions.flatMap(textsOf)
      ]
    case "ConditionalExpression":
      return [...textsOf(node.consequent), ...textsOf(node.alternate)]
    case "LogicalExpression":
      return [...textsOf(node.left), ...textsOf(node.right)]
    case "BinaryExpression":
      return node.operator === "+" ? [...textsOf(node.left), ...textsOf(node.right)] : []
    case "JSXExpressionContainer":
      return textsOf(node.expression)
    default:
      return []
  }
}

/** A command or a key of a file is the same in every language. */
const isCode = ({ parent }) => parent.openingElement?.name.name === "code"

/** What a person reads stands in a table of `messages`, so that every language has it. */
const pageWords = rule((context) => {
  const refuse = (node, text) =>
    context.report({
      node,
      message: `"${text.trim().slice(0, 40)}" is said to a person: it belongs in a table of messages.`
    })
  const check = (node) => {
    for (const { node: at, text } of textsOf(node)) {
      if (WORD.test(text) && !NAMES.has(text.trim()) && !ADDRESS.test(text)) refuse(at, text)
    }
  }
  const isNoWords = (node) => {
    for (let up = node.parent; up !== null && up !== undefined; up = up.parent) {
      // A class list, an address, and what is thrown at a programmer.
      if (up.type === "JSXAttribute" && !SAID.has(up.name.name)) return true
      if (up.type === "Property" && /^(?:class|key)$/.test(up.key.name)) return true
      if (up.type === "BinaryExpression" && /^[!=]==$/.test(up.operator)) return true
      if (up.type === "ImportDeclaration" || up.type === "ThrowStatement") return true
      if (
        up.type === "CallExpression" &&
        /^(?:querySelector(?:All)?|closest|matches|matchMedia)$/.test(up.callee.property?.name ?? up.callee.name ?? "")
      ) {
        return true
      }
    }
    return false
  }
  const sentence = (node, text) => {
    if (SENTENCE.test(text) && !isNoWords(node)) refuse(node, text)
  }
  return {
    JSXText: (node) => {
      if (WORD.test(node.value) && !isCode(node)) refuse(node, node.value)
    },
    JSXExpressionContainer: (node) => {
      const isChild = node.parent.type === "JSXElement" || node.parent.type === "JSXFragment"
      if (isChild && !isCode(node)) check(node.expression)
    },
    JSXAttribute: (node) => {
      if (SAID.has(node.name.name)) check(node.value)
    },
    Literal: (node) => {
      if (typeof node.value === "string") sentence(node, node.value)
    },
    Property: (node) => {
      if (SAID_PROPERTIES.has(node.key.name)) check(node.value)
    },
    TemplateLiteral: (node) => {
      const texts = node.quasis.map(({ value }) => value.cooked)
      // A document for the sandbox.
      if (texts[0].startsWith("<!doctype html>")) return
      if (texts.some((text) => LINK.test(text)) && !isNoWords(node)) refuse(node, texts.join(" "))
      else sentence(node, texts.join(" "))
    }
  }
})

export default {
  meta: { name: "house" },
  rules: {
    floors,
    "page-words": pageWords,
    "plain-comment": plainComment,
    "no-async": noAsync,
    "no-run": noRun,
    "no-throw": noThrow,
    "no-try": noTry
  }
}
