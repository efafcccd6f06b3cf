/**
 * An MCP server of both eras (SDK v2) that wants a token: it says so as RFC 9728 has it, reads each token anew, and one of
 * its tools wants a scope more than the others.
 */
import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes
} from "@modelcontextprotocol/server"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { z } from "zod"
import type { Authorization } from "./AuthorizationServer.ts"
import { SCOPES } from "./AuthorizationServer.ts"

/** A token that has nothing to do with the authorization server. */
export const STATIC_TOKEN = "a-token-that-a-person-wrote-down"

/** Gives its address. `more` answers other paths. */
export const start = async (
  authorization: () => Authorization,
  more: (path: string) => Promise<object> | undefined
): Promise<string> => {
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const url = new URL(`${origin}/mcp`)
  const handler = createMcpHandler(make)
  const count = (what: string) => {
    const { counters } = authorization()
    counters[what] = (counters[what] ?? 0) + 1
  }

  const gate = requireBearerAuth({
    verifier: {
      verifyAccessToken: async (token) => {
        if (token === STATIC_TOKEN) return staticInfo(url)
        const found = await authorization().read(token)
        if (found === null) throw new OAuthError(OAuthErrorCode.InvalidToken, "this token is worth nothing")
        return { ...found, token, resource: new URL(found.resource) }
      }
    },
    requiredScopes: [SCOPES[0]],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url
  })

  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const told = more(pathname)
    if (told !== undefined) return Response.json(await told, { headers: { connection: "close" } })
    if (pathname === "/.well-known/oauth-protected-resource/mcp") count("metadata")
    const documents = oauthMetadataResponse(request, {
      oauthMetadata: {
        issuer: authorization().issuer,
        authorization_endpoint: `${authorization().issuer}/auth`,
        token_endpoint: `${authorization().issuer}/token`,
        response_types_supported: ["code"]
      },
      resourceServerUrl: url,
      scopesSupported: [SCOPES[0]]
    })
    // Its own copy of the authorization server's document is for clients of before.
    if (documents !== undefined && !pathname.includes("authorization-server")) return documents
    if (pathname !== "/mcp") return new Response("not found", { status: 404 })
    const authInfo = await gate(request)
    if (authInfo instanceof Response) {
      count(`refused ${authInfo.status}`)
      return authInfo
    }
    return handler.fetch(request, { authInfo })
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) =>
    send(await answer(webRequest(origin, request)), response)
  return url.href
}

const staticInfo = (resource: URL) => ({
  token: STATIC_TOKEN,
  clientId: "none",
  scopes: [SCOPES[0]],
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
  resource
})

const make = (): McpServer => {
  const server = new McpServer({ name: "protected", version: "1.0.0" }, { capabilities: { tools: {} } })
  const text = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] })
  server.registerTool(
    "whoami",
    { description: "Says which client asks", inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    (_, { http }) => text({ client: http?.authInfo?.clientId, scopes: http?.authInfo?.scopes })
  )
  server.registerTool(
    "govern",
    {
      description: "Wants another scope",
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true },
      scopeChallenge: requireScopes(...SCOPES)
    },
    (_, { http }) => text({ scopes: http?.authInfo?.scopes })
  )
  return server
}

const webRequest = (origin: string, request: IncomingMessage): Request => {
  const headers = Object.entries(request.headers).flatMap(([name, value]): Array<[string, string]> =>
    value === undefined ? [] : [[name, String(value)]]
  )
  const hasBody = request.method !== "GET" && request.method !== "HEAD"
  const gone = new AbortController()
  request.once("close", () => request.complete ? undefined : gone.abort())
  return new Request(new URL(request.url ?? "/", origin), {
    method: request.method ?? "GET",
    headers,
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(request), duplex: "half" } : {})
  })
}

const send = async (answer: Response, response: ServerResponse) => {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) return void response.end()
  const reader = answer.body.getReader()
  response.once("close", () => void reader.cancel().catch(() => {}))
  for (let read = await reader.read(); !read.done; read = await reader.read()) response.write(read.value)
  response.end()
}
