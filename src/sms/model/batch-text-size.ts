/** Fewest messages of a stored answer about a batch: those of a smaller one are read as fast. */
export const MIN_TEXT_MESSAGES = 10
/** Most messages of a stored answer: it is made in one step. */
export const MAX_TEXT_MESSAGES = 500
