/**
 * How long a step of an attempt at a connection took.
 */
import * as Schema from "effect/Schema"

/**
 * One step of an attempt: `start` (until something is asked), `headersHelper`, the method that was waited for, or
 * `its work`, which is what follows until the connection is lost.
 *
 * @category schemas
 */
export const StepTime = Schema.Struct({ step: Schema.String, millis: Schema.Number })

/**
 * One step of an attempt.
 *
 * @category models
 */
export type StepTime = typeof StepTime.Type
