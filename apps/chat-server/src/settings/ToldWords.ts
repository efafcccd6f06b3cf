/** The fields of every error that a person is told: what is wrong, and what to try. */
import * as Schema from "effect/Schema"

export const TOLD = { message: Schema.String, hint: Schema.String }
