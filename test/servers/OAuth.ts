/**
 * An MCP server that wants a token, and the authorization server that gives it. Prints `{"mcp", "issuer"}`. At the MCP
 * server's origin `/counters` reads what was asked for how often; `/expire` and `/forget` end tokens; `/slow/MILLIS` makes
 * token requests take so long.
 */
import * as AuthorizationServer from "./oauth/AuthorizationServer.ts"
import * as ProtectedServer from "./oauth/ProtectedServer.ts"

const control = (path: string): Promise<object> | undefined => {
  const [, verb, value] = path.split("/")
  switch (verb) {
    case "counters":
      return Promise.resolve(authorization.counters)
    case "expire":
    case "forget":
      return authorization[verb]().then(() => ({}))
    case "slow":
      authorization.slow(Number(value))
      return Promise.resolve({})
    default:
      return undefined
  }
}

const mcp = await ProtectedServer.start(() => authorization, control)
const authorization = await AuthorizationServer.start(() => mcp)
process.stdout.write(`${JSON.stringify({ mcp, issuer: authorization.issuer })}\n`)
