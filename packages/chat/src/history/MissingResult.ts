/**
 * What is said for a call that never got a result.
 */

/** What a model reads for it. @category constants */
export const MISSING_RESULT = "This call has no result: it was interrupted before it finished."

/** What a model reads for a call that waited for a person's yes. @category constants */
export const NOT_APPROVED = "This call was not run: nobody said whether it may."
