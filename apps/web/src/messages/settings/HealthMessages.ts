/** The words of the page about the chat server itself. */
import { translated } from "../../language/Language.ts"

export const health = translated(
  "health",
  {
    title: "This server",
    link: "How the server does",
    about:
      "What the chat server counts since its start, read anew every 5 seconds. A monitoring system reads the same at /metrics.",
    reading: "Reading …",
    since: "Running for",
    memory: "Memory",
    heap: "of it objects",
    cpu: "Processor",
    ofOne: (percent: number) => `${percent} % of one`,
    delay: "Longest pause",
    running: "Answers running",
    streams: "Open pages and streams",
    answers: "Answers that ended",
    reason: "Reason",
    servers: "Servers",
    server: "Server",
    tools: "Tools",
    calls: "Calls",
    failed: "Failed",
    average: "Average time",
    restarts: "Restarts",
    models: "Models",
    model: "Model",
    input: "Tokens in",
    output: "Tokens out",
    cost: "Cost",
    requests: "Requests",
    route: "Route",
    many: "Answered",
    refused: "Refused or failed",
    csv: "Download all as CSV",
    figure: "Figure",
    labels: "Labels",
    value: "Value"
  } as const
)
