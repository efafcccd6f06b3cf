/** A file of each application that can be connected: with comments, two servers, and something of its own. */
export const FULL: Readonly<Record<string, string>> = {
  "claude-code": `{
  "numStartups": 4,
  "mcpServers": {
    "docs": { "type": "stdio", "command": "npx", "args": ["-y", "docs"], "env": { "TOKEN": "t" } },
    "web": { "type": "http", "url": "https://x.example/mcp" }
  },
  "projects": { "/p": { "mcpServers": { "near": { "command": "y" } }, "history": [] } }
}
`,
  "claude-desktop":
    `{ "mcpServers": { "docs": { "command": "npx", "args": ["-y", "docs"] }, "web": { "command": "y" } } }`,
  cursor: `{
  // mine
  "mcpServers": {
    "docs": { "command": "npx", "args": ["-y", "docs"] }, // reads
    "web": { "url": "https://x.example/mcp" }
  }
}`,
  vscode: `{
\t"inputs": [{ "id": "key", "type": "promptString", "description": "Key" }],
\t"servers": {
\t\t"docs": { "type": "stdio", "command": "npx" },
\t\t/* the web */ "web": { "type": "http", "url": "https://x.example/mcp" },
\t},
}`,
  codex: `# mine
model = "o4"

[mcp_servers.docs] # reads
command = "npx"
args = ["-y", "docs"]

[mcp_servers.web]
url = "https://x.example/mcp"

[tui]
theme = "dark" # at night
`,
  gemini: `{
  "theme": "x",
  "mcpServers": { "docs": { "command": "npx" }, "web": { "httpUrl": "https://x.example/mcp" } }
}`,
  windsurf: `{ "mcpServers": { "docs": { "command": "npx" }, "web": { "serverUrl": "https://x.example/mcp" } } }\r\n`,
  opencode: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "docs": { "type": "local", "command": ["npx", "-y", "docs"] }, // reads
    "web": { "type": "remote", "url": "https://x.example/mcp", "enabled": true }
  },
  "theme": "x"
}`,
  zed: `// Zed
{
  "context_servers": {
    "docs": { "source": "custom", "command": "npx", "args": ["-y", "docs"] },
    "web": { "url": "https://x.example/mcp" }
  },
  "vim_mode": true,
}`,
  goose: `# mine
GOOSE_MODEL: x
extensions:
  developer:
    type: builtin
    name: developer
    enabled: true
  docs: # reads
    type: stdio
    name: docs
    cmd: npx
    args:
      - -y
      - docs
    enabled: true
  web:
    type: streamable_http
    name: web
    uri: https://x.example/mcp
    enabled: true
`
}
