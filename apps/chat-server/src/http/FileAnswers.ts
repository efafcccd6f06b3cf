/** Answers that carry what people, models and servers wrote as files, so that no browser runs anything of it. */
import type { Attachments } from "@boocode/chat"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { KeptFile } from "./KeptFile.ts"

/** Nothing in the file may load or run anything, wherever it is shown. */
const INERT = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "cache-control": "private, max-age=31536000, immutable"
}

/** Images that are nothing but images. An imported chat may call a page or a script one. */
const SHOWN: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

/** An attachment: an image may be shown where it is linked, anything else is saved. */
export const attachment = ({ attachment, data }: Attachments.AttachedFile): HttpServerResponse.HttpServerResponse => {
  const isImage = attachment.kind === "image" && SHOWN.has(attachment.mediaType)
  return HttpServerResponse.uint8Array(data, {
    contentType: isImage ? attachment.mediaType : "application/octet-stream",
    headers: { ...INERT, "content-disposition": disposition(isImage ? "inline" : "attachment", attachment.name) }
  })
}

/** Sound that browsers play. */
const PLAYED = /^audio\/(?:aac|flac|mp3|mp4|mpeg|ogg|wav|webm|x-m4a|x-wav)$/

/** The bytes that a tool gave: sound is played and an image shown where it is linked, anything else is saved. */
export const ofResult = (bytes: Uint8Array, { mimeType, name }: KeptFile): HttpServerResponse.HttpServerResponse => {
  const isShown = SHOWN.has(mimeType) || PLAYED.test(mimeType)
  return HttpServerResponse.uint8Array(bytes, {
    contentType: isShown ? mimeType : "application/octet-stream",
    headers: { ...INERT, "content-disposition": disposition(isShown ? "inline" : "attachment", name) }
  })
}

const FILES = {
  json: { type: "application/json", suffix: ".json" },
  markdown: { type: "text/markdown; charset=utf-8", suffix: ".md" }
} as const

export const chat = (
  title: string,
  format: keyof typeof FILES,
  text: string
): HttpServerResponse.HttpServerResponse => {
  const { suffix, type } = FILES[format]
  const name = `${safeName(title, "chat")}${suffix}`
  return HttpServerResponse.text(text, {
    contentType: type,
    headers: { ...INERT, "cache-control": "no-store", "content-disposition": disposition("attachment", name) }
  })
}

const NAME_CHARACTERS = 100

/** A name that is one on every system: no folder, no control character, no leading dot, not empty. */
export const safeName = (name: string, otherwise: string): string => {
  const plain = name.normalize("NFC").replaceAll(/[\p{C}\\/:*?"<>|%]+/gu, " ").replaceAll(/\s+/g, " ").trim()
  return [...plain.replace(/^[.\s]+/, "")].slice(0, NAME_CHARACTERS).join("").replace(/[.\s]+$/, "") || otherwise
}

/** RFC 6266: what old clients read, then the name itself. */
const disposition = (how: "inline" | "attachment", name: string): string => {
  const safe = safeName(name, "file")
  const ascii = safe.replaceAll(/[^\x20-\x7E]/g, "_")
  const encoded = encodeURIComponent(safe).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `${how}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
