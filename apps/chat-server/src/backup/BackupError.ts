/** The reasons against a backup, and against bringing one back. */
import * as Schema from "effect/Schema"

const TOLD = {
  message: Schema.String,
  hint: Schema.String,
  file: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}

/** No backup was written. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", TOLD) {}

/** Nothing was restored: everything is as it was. */
export class RestoreRefused extends Schema.TaggedError<RestoreRefused>()("RestoreRefused", TOLD) {}

/** A restore has begun, and could not end. The next start goes on with it. */
export class RestoreUnfinished extends Schema.TaggedError<RestoreUnfinished>()("RestoreUnfinished", TOLD) {}
