/** Ready now when the answer is at hand, a promise when it takes several turns of the event loop. */
export type Awaitable<T> = T | Promise<T>
