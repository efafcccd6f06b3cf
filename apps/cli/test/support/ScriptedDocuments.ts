/** Documents that scripted services give. */
import type { Agent, ChatSummary } from "@boocode/chat"
import type { DataFolder } from "@boocode/chat-server/DataFolder"

export const FOLDER: typeof DataFolder.Service = {
  folder: "/data",
  dataFile: "/data/mcp.json",
  isNamed: false,
  configFile: null,
  agentsFile: "/data/AGENTS.md",
  settingsFile: "/data/settings.json",
  envFile: "/data/.env",
  workspace: "/data/workspace",
  state: "/state"
}

export const ASSISTANT: Agent = {
  name: "Assistant",
  description: null,
  model: null,
  tools: null,
  steps: 25,
  temperature: null,
  prompt: "",
  file: null,
  line: null
}

export const SUMMARY: ChatSummary = {
  id: "c",
  title: "Rain in May",
  titledBy: "message",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: "2026-05-01T10:00:00.000Z",
  updatedAt: "2026-05-02T10:00:00.000Z",
  running: null,
  waiting: 0,
  approvals: 0,
  questions: 0
}
