/** The words of the timeline of a turn. */
import { translated } from "../../language/Language.ts"

export const timeline = translated(
  "timeline",
  {
    title: "Timeline of this answer",
    reading: "Reading …",
    unknown: "The times of this answer are not kept: it was imported, or is of an earlier version.",
    picture: (bars: number, all: string) => `${bars} bars over ${all}`,
    kinds: {
      queue: "Waited for the answer before",
      request: "Model",
      summary: "Summing up older turns",
      pause: "Pause before the next try",
      call: "Tool",
      approval: "Waited for your yes",
      question: "Waited for your answer"
    },
    requestNumber: (number: number) => `Model, request ${number}`,
    ofServer: (server: string) => `server ${server}`,
    took: (took: string) => `took ${took}`,
    from: (from: string, until: string) => `${from} to ${until}`,
    first: (after: string) => `first word after ${after}`,
    tokens: (input: string, output: string) => `${input} tokens in, ${output} out`,
    failed: "failed",
    goesOn: "goes on",
    all: "Whole answer",
    model: "Model",
    tools: "Tools",
    you: "Waiting for you",
    cost: "Cost",
    pick: "Point at a bar, or move to it with the keyboard, for its figures.",
    legend: { first: "until the first word", answer: "answer", call: "tool", wait: "waits for you", failed: "failed" },
    asTable: "As a table",
    columns: {
      what: "What",
      from: "Begins",
      until: "Ends",
      millis: "Takes",
      first: "First word",
      input: "Tokens in",
      output: "Tokens out",
      cost: "Cost",
      state: "Outcome"
    },
    done: "done",
    json: "JSON",
    csv: "CSV",
    svg: "SVG",
    save: (kind: string) => `Save as ${kind}`
  } as const
)
