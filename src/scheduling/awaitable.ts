/** A value that is available at once, or a promise when it takes several turns of the event loop. */
export type Awaitable<T> = T | Promise<T>
