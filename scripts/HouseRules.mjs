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

export default {
  meta: { name: "house" },
  rules: {
    floors,
    "plain-comment": plainComment,
    "no-async": noAsync,
    "no-run": noRun,
    "no-throw": noThrow,
    "no-try": noTry
  }
}
