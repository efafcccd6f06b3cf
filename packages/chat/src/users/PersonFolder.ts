/** The folder that a person has in the workspace when there are several people. */

/** The folder of the workspace that has those of people. */
export const USERS = "users"

/** The ids that are safe as the name of a folder. */
export const SAFE_ID = /^[A-Za-z0-9_-]{1,64}$/

/** Whether a path is that of the folder of a person. Nobody else ever has their id. */
export const isOf = (person: string) => (path: string): boolean =>
  path.split(/[\\/]/).slice(-2).join("/") === `${USERS}/${person}`
