/** Finds what a refusal over HTTP says to a person: the words in it, without the JSON or the HTML around them. */
import * as JsonRpc from "../base/JsonRpc.ts"

/** Where answers that are no JSON-RPC put their words. */
const KEYS = ["message", "error_description", "detail", "error", "title"]

/** The words of a body, whatever it is. */
export const wordsOf = (body: string): string => {
  const value = JsonRpc.decode(body)
  const words = JsonRpc.isObject(value) ? ofObject(value) : null
  return (words ?? (/<[a-z!]/i.test(body) ? ofPage(body.slice(0, PAGE_START)) : body)).replace(/\s+/g, " ").trim()
}

/** A page that says nothing so early says nothing, and taking it apart costs time. */
const PAGE_START = 2000

const ofObject = (value: JsonRpc.Message): string | null => {
  const { error } = value
  if (JsonRpc.isObject(error)) return value["jsonrpc"] === "2.0" ? JsonRpc.wordsOf(value) : ofObject(error)
  const words = KEYS.map((key) => value[key]).find((word) => typeof word === "string" && word !== "")
  return typeof words === "string" ? words : null
}

/** A page for people says it in its title; without one it is short. */
const ofPage = (page: string): string =>
  /<(title|h1)\b[^>]*>([^<]+)</i.exec(page)?.[2] ?? page.replace(/<(script|style)\b.*?<\/\1>|<[^>]*>/gis, " ")
