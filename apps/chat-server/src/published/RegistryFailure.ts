/** The failures between the wish for a published server and its entry. Nothing was written then. */
import * as Schema from "effect/Schema"
import { TOLD } from "../settings/ToldWords.ts"

/** The registry gave no answer that can be read: it is not reached, too slow, too long, broken, or its file is. */
export class RegistryUnreachable extends Schema.TaggedError<RegistryUnreachable>()("RegistryUnreachable", {
  ...TOLD,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The registry has no server of this name, or no such version of it. */
export class UnknownPublished extends Schema.TaggedError<UnknownPublished>()("UnknownPublished", {
  ...TOLD,
  nearest: Schema.Array(Schema.String)
}) {}

/** The server was deleted from the registry, or no way to install it can be used. */
export class NotInstallable extends Schema.TaggedError<NotInstallable>()("NotInstallable", TOLD) {}

/** Values are missing or wrong; `problems` names each. */
export class WrongInputs extends Schema.TaggedError<WrongInputs>()("WrongInputs", {
  ...TOLD,
  problems: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
}) {}

export type RegistryFailure = RegistryUnreachable | UnknownPublished

export type InstallFailure = RegistryFailure | NotInstallable | WrongInputs
