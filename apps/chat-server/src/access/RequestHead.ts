/** A request without its body, for guards: one of the router, or one of Node's that comes past it. */
import * as Cookies from "effect/http/Cookies"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"

export interface RequestHead
  extends Pick<HttpServerRequest.HttpServerRequest, "cookies" | "method" | "remoteAddress" | "source" | "url">
{
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The head of Node's request; null where a header has several values, which no client has to send. */
export const ofNode = (source: IncomingMessage): RequestHead | null =>
  isPlain(source.headers) ? new NodeHead(source, source.headers) : null

/** A class, because V8 takes long to make an object with properties that are computed. */
class NodeHead implements RequestHead {
  readonly source: IncomingMessage
  readonly method: string
  readonly url: string
  readonly headers: RequestHead["headers"]

  constructor(source: IncomingMessage, headers: RequestHead["headers"]) {
    this.source = source
    this.method = source.method ?? ""
    this.url = source.url ?? ""
    this.headers = headers
  }
  get cookies() {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }
  get remoteAddress() {
    return Option.fromNullishOr(this.source.socket.remoteAddress)
  }
}

/** Node keeps this one alone as a list. */
const isPlain = (headers: IncomingHttpHeaders): headers is Record<string, string | undefined> =>
  headers["set-cookie"] === undefined
