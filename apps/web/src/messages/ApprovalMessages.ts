/** The words about calls that wait for a yes, and about those that wrote. */
import { translated } from "../language/Language.ts"
import { count } from "./Numbers.ts"

export const approval = translated(
  "approval",
  {
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
    asksByMode: "It asks because the tool writes, and no rule allows it.",
    in: "in",
    longer: "Allow longer for",
    longerAbout: "What “This chat”, “An hour” and “Always” allow",
    every: (tool: string) => `${tool}, whatever the arguments`,
    everyWhere: (tool: string, conditions: string) => `${tool} where ${conditions}`,
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
      added + removed === 0 ? "Nothing would change." : `${count(added, "line")} added, ${removed} removed`,
    same: (lines: number) => lines === 1 ? "1 line that stays" : `${lines} lines that stay`,
    showAll: "Show all of it"
  } as const
)

/** The words about the writes of a call, and undoing them. */
export const written = translated(
  "written",
  {
    by: {
      person: "Allowed by your yes to this call.",
      grant: (_: string) => "Allowed by an earlier yes.",
      rule: (source: string) => `Allowed by the rule at ${source}.`,
      default: "No rule asked about it."
    },
    unknown: "Nobody knows whether this was written: the call was cut off.",
    undo: "Undo",
    undoOf: (tool: string) => `Undo what ${tool} wrote`,
    undone: "Undone.",
    notUndoable: (why: string) => `It cannot be undone: ${why}.`,
    journal: "What was written in this chat",
    reading: "reading what was written",
    nothing: "No tool has written anything in this chat.",
    turn: (turn: number) => `turn ${turn}`,
    outcomes: { failed: "failed", unknown: "outcome not known" },
    arguments: "Arguments",
    argumentsOf: (tool: string) => `Arguments of ${tool}`
  } as const
)
