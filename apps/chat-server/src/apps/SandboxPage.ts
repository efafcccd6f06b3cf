/**
 * The page between BooCode's page and the document of an app (the sandbox proxy of MCP Apps). It stands on an origin of its
 * own, passes messages on, and keeps the document from going anywhere else.
 */
import { randomBytes } from "node:crypto"

export interface SandboxPage {
  readonly html: string
  readonly policy: string
}

/**
 * `host` is the origin of the page that shows it, `source` the address of the document. Each message is taken from one window
 * alone: that of the host goes to the document, that of the document to the host. Those about the sandbox itself are never
 * passed on.
 */
export const make = (host: string, source: string, allow: string): SandboxPage => {
  const nonce = randomBytes(18).toString("base64")
  return {
    policy: [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      // The document cannot leave for another address, which would tell that address what it knows.
      `frame-src ${source}`,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${host}`
    ].join("; "),
    html: `<!doctype html>
<html><head><meta charset="utf-8"><title>App</title>
<style nonce="${nonce}">html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block;overflow:hidden;color-scheme:normal;background:transparent}</style>
</head><body><script nonce="${nonce}">
const host = ${JSON.stringify(host)}
const app = document.createElement("iframe")
app.setAttribute("sandbox", "allow-scripts allow-forms")
app.allow = ${JSON.stringify(allow)}
app.title = "App"
const isOurs = ({ data }) => typeof data === "object" && data !== null && String(data.method).startsWith("ui/notifications/sandbox-")
addEventListener("message", (event) => {
  if (event.source === parent && event.origin === host) app.contentWindow.postMessage(event.data, "*")
  else if (event.source === app.contentWindow && !isOurs(event)) parent.postMessage(event.data, host)
})
app.src = ${JSON.stringify(source)}
document.body.append(app)
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, host)
</script></body></html>
`
  }
}
