/** What a call that waits for a yes says. */
import { count } from "./Numbers.ts"

export const approval = {
  question: (tool: string, server: string | null) =>
    server === null ? `May ${tool} (built in) be called?` : `May ${tool} of the server ${server} be called?`,
  builtIn: "built in",
  writes: "writes",
  mayDelete: "may delete or overwrite",
  openWorld: "open world",
  onlyReads: "says it only reads",
  notTrusted: "server not trusted",
  argumentsOf: (tool: string) => `Arguments of ${tool}`,
  once: "Allow once",
  chat: "This chat",
  hour: "An hour",
  always: "Always",
  deny: "No …",
  sendNo: "Deny",
  why: "Why not? The model reads this",
  back: "Back",
  edit: "Edit",
  leave: "Leave them as they were",
  asksBecause: "This rule asks:",
  asksByMode: "It asks because no rule allows it.",
  in: "in",
  longer: "A longer yes is for",
  longerAbout: "What “This chat”, “An hour” and “Always” allow",
  every: (tool: string) => `${tool}, whatever the arguments`,
  own: "Conditions of your own",
  change: "Change …",
  done: "Done",
  conditions: "Conditions of a longer yes",
  conditionsAbout:
    "All of them must hold. * matches any text; {\"in\": […]} one of some values; {\"max\": 10} a number.",
  condition: (name: string) => `${name} is`,
  remove: (name: string) => `Remove the condition about ${name}`,
  add: "Add a condition about",
  notCondition: "Write a pattern, {\"in\": […]}, {\"min\": …} or {\"max\": …}.",
  difference: (tool: string) => `What ${tool} would change`,
  changes: (added: number, removed: number) =>
    added + removed === 0
      ? "Nothing would change."
      : [
        added === 0 ? [] : [`${count(added, "line")} more`],
        removed === 0 ? [] : [`${count(removed, "line")} less`]
      ].flat().join(", "),
  same: (lines: number) => count(lines, "line") + " as it is now",
  removed: "Taken away:",
  added: "Added:",
  showAll: "Show all of it"
} as const
