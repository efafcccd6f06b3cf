/**
 * The table of applications: which shape their files have, and where they keep them.
 */
import type * as ConfigShape from "./ConfigShape.ts"
import type * as Folders from "./Folders.ts"

/**
 * An application whose files are known.
 *
 * @category models
 */
export interface Application {
  /** What `mcp import` calls it. */
  readonly id: string
  readonly title: string
  readonly shape: ConfigShape.ShapeName
  /** Its files in a person's own folders, the one that wins first. */
  readonly own: (folders: Folders.Folders) => ReadonlyArray<ReadonlyArray<string>>
  /** Its files in a project, below the project's folder. */
  readonly project: ReadonlyArray<string>
}

const at = (folders: ReadonlyArray<string>, ...parts: ReadonlyArray<string>) => folders.map((one) => [one, ...parts])

const EDITORS = ["Code", "Code - Insiders", "VSCodium"]

const inEditors = (support: ReadonlyArray<string>, ...parts: ReadonlyArray<string>) =>
  EDITORS.flatMap((editor) => at(support, editor, "User", ...parts))

/**
 * Every application whose files are known, sorted by name.
 *
 * @category models
 */
export const all: ReadonlyArray<Application> = [
  {
    id: "1mcp",
    title: "1MCP",
    shape: "1mcp",
    own: ({ config, named }) => [...at(named("ONE_MCP_CONFIG_DIR", ""), "mcp.json"), ...at(config, "1mcp", "mcp.json")],
    project: []
  },
  {
    id: "claude-code",
    title: "Claude Code",
    shape: "claude",
    own: ({ home, named }) => [...at(named("CLAUDE_CONFIG_DIR", ""), ".claude.json"), ...at(home, ".claude.json")],
    project: [".mcp.json"]
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    shape: "claude",
    own: ({ support }) => at(support, "Claude", "claude_desktop_config.json"),
    project: []
  },
  {
    id: "cline",
    title: "Cline",
    shape: "cline",
    own: ({ home, support }) => [
      ...at(home, ".cline", "data", "settings", "cline_mcp_settings.json"),
      ...inEditors(support, "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
    ],
    project: []
  },
  {
    id: "codex",
    title: "Codex",
    shape: "codex",
    own: ({ named }) => at(named("CODEX_HOME", ".codex"), "config.toml"),
    project: [".codex/config.toml"]
  },
  {
    id: "cursor",
    title: "Cursor",
    shape: "cursor",
    own: ({ home }) => at(home, ".cursor", "mcp.json"),
    project: [".cursor/mcp.json"]
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    shape: "gemini",
    own: ({ home }) => at(home, ".gemini", "settings.json"),
    project: [".gemini/settings.json"]
  },
  {
    id: "goose",
    title: "goose",
    shape: "goose",
    own: ({ config, support }) => [
      ...at(config, "goose", "config.yaml"),
      ...at(support, "Block", "goose", "config", "config.yaml")
    ],
    project: []
  },
  {
    id: "kode",
    title: "Kode",
    shape: "kode",
    own: ({ home }) => at(home, ".kode.json"),
    project: [".mcprc"]
  },
  {
    id: "opencode",
    title: "opencode",
    shape: "opencode",
    own: ({ config, named }) => [
      ...at(named("OPENCODE_CONFIG", "")),
      ...["opencode.jsonc", "opencode.json", "config.json"].flatMap((file) => at(config, "opencode", file))
    ],
    project: [".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"]
  },
  {
    id: "roo",
    title: "Roo Code",
    shape: "roo",
    own: ({ support }) =>
      inEditors(support, "globalStorage", "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json"),
    project: [".roo/mcp.json"]
  },
  {
    id: "vscode",
    title: "VS Code",
    shape: "vscode",
    own: ({ support }) => [...inEditors(support, "mcp.json"), ...inEditors(support, "settings.json")],
    project: [".vscode/mcp.json", ".vscode/settings.json", ".devcontainer/devcontainer.json"]
  },
  {
    id: "windsurf",
    title: "Windsurf",
    shape: "windsurf",
    own: ({ home }) => at(home, ".codeium", "windsurf", "mcp_config.json"),
    project: []
  }
]
