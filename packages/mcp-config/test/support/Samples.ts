/** One file of every application, as people have them. */
import { readFileSync } from "node:fs"
import type { ConfigShape } from "../../src/Exchange.ts"

/** A sample and the shape it has. */
export interface Sample {
  readonly file: string
  readonly shape: ConfigShape.ShapeName
  readonly text: string
}

const sample = (file: string, shape: ConfigShape.ShapeName): Sample => ({
  file,
  shape,
  text: readFileSync(new URL(`../fixtures/applications/${file}`, import.meta.url), "utf8")
})

export const SAMPLES: ReadonlyArray<Sample> = [
  sample("native.jsonc", "native"),
  sample("opencode.jsonc", "opencode"),
  sample("opencode-v2.json", "opencode"),
  sample("claude-desktop.json", "claude"),
  sample("claude-code.json", "claude"),
  sample("cursor.json", "cursor"),
  sample("vscode.jsonc", "vscode"),
  sample("gemini.json", "gemini"),
  sample("codex.toml", "codex"),
  sample("kode.mcprc", "kode"),
  sample("cline.json", "cline"),
  sample("roo.json", "roo"),
  sample("1mcp.json", "1mcp"),
  sample("goose.yaml", "goose"),
  sample("windsurf.json", "windsurf"),
  sample("zed.jsonc", "zed")
]

/** The sample of a file's name. */
export const sampleOf = (file: string): Sample => {
  const found = SAMPLES.find((one) => one.file === file)
  return found ?? sample(file, "native")
}
