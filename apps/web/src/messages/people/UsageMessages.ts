/** The words of the calls that wait for everybody, and of the usage over days. */
import { translated } from "../../language/Language.ts"
import { count } from "../Numbers.ts"

export const waitingCalls = translated(
  "waitingCalls",
  {
    heading: "Waiting for a yes",
    none: "No call waits for a yes.",
    about: "A yes is for the person whose chat it is. You can deny a call.",
    label: (tool: string, user: string) => user === "" ? tool : `${tool} of ${user}`,
    builtIn: "built in",
    ofServer: (server: string) => `server ${server}`,
    since: (time: string) => `since ${time}`,
    deny: "Deny",
    denyOf: (tool: string, user: string) => user === "" ? `Deny ${tool}` : `Deny ${tool} of ${user}`,
    denyTitle: (tool: string) => `Deny ${tool}?`,
    reason: "Reason",
    reasonAbout: (user: string) => `Optional. ${user} and the model read it, and that an admin denied the call.`,
    owner: "The person"
  } as const
)

export const usageDays = translated(
  "usageDays",
  {
    title: "Usage",
    aboutAll: "What everybody used of models, and which tools were called. Days are those of UTC.",
    aboutOwn: "What you used of models, and which tools were called for you. Days are those of UTC.",
    range: "Days",
    days: (days: number) => `${days} days`,
    measure: "Shown",
    measures: { cost: "Cost", tokens: "Tokens", requests: "Requests", calls: "Tool calls" },
    by: "By",
    groups: { day: "Day", person: "Person", model: "Model", agent: "Agent", server: "Server", tool: "Tool" },
    chart: (measure: string, days: number) => `${measure} of the last ${days} days`,
    total: (days: number) => `in ${count(days, "day")}`,
    nothing: "Nothing in these days.",
    unknownCost: "Requests to models without known prices count as $0.",
    toolsCost: "A call of a tool costs nothing by itself. The tokens of its result are in the cost of the model.",
    kept: (days: number) => days === 0 ? "Calls are not kept here." : `Calls are kept for ${count(days, "day")}.`,
    none: "none",
    builtIn: "built in",
    gone: "a removed person",
    input: "Tokens in",
    output: "Tokens out",
    cost: "Cost",
    requests: "Requests",
    calls: "Calls",
    failed: "Failed",
    refused: "Refused",
    average: "Average time",
    table: (by: string) => `Usage by ${by.toLowerCase()}`,
    csv: "Download as CSV",
    ofFailed: (failed: number) => `${failed} failed`,
    reading: "Reading …"
  } as const
)
