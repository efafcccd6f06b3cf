/** Flags that are a time with its unit. */
import { TimeText } from "@boocode/mcp-config"
import * as Flag from "effect/cli/Flag"
import * as Result from "effect/Result"
import { textFlag } from "./Options.ts"

/** Refuses a number without a unit, with both readings. */
export const timeFlag = (name: string, description: string): Flag.Flag<TimeText.Time> =>
  Flag.filterMap(
    textFlag(name, "DURATION", `${description}, with its unit: 2s, 500ms, "2 minutes"`),
    (text) => Result.getSuccess(TimeText.read(text)),
    (text) => Result.getOrElse(Result.flip(TimeText.read(text)), () => "")
  )
