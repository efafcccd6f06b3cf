/** Entries of a project file, as it declares them. */

/** What every one of them says; each test says the rest. */
export const DECLARED = {
  file: "/repo/.mcp.json",
  folder: "/repo",
  scope: "project",
  type: "stdio",
  command: null,
  args: [],
  cwd: null,
  env: {},
  envFile: null,
  envFileValues: null,
  inheritEnv: [],
  url: null,
  headers: {},
  headersHelper: null,
  tools: null,
  ask: [],
  pin: null
} as const
