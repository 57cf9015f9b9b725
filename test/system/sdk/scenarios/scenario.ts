import type { ChildEvent, Client, ClientOptions, Sdk, Seen, Step } from './client.ts'

/** What an SDK can do beside what all versions can. */
export type Ability = 'increment' | 'startAfter' | 'tokens' | 'renewal' | 'admin'

/** What a scenario is given. */
export interface Stage {
  readonly sdk: Sdk
  /** Path of the scenario alone, without a slash at either end. */
  readonly at: string
  readonly argument: string
  /** A connected client, which is stopped afterwards. */
  client(options?: ClientOptions): Client
  /** Sends a request over REST with the super secret. */
  rest(method: string, target: string, body?: unknown): Promise<unknown>
  /** Makes a custom token. @param lifetime in seconds */
  token(uid: string, lifetime?: number): string
  /** The super secret. */
  readonly secret: string
  /** Tells the test something while the scenario goes on. */
  tell(notice: string): void
}

export interface Scenario {
  readonly needs?: Ability
  run(stage: Stage): Promise<unknown>
  /** What it returns, as JSON. */
  readonly expected: unknown
}

export type Scenarios = Readonly<Record<string, Scenario>>

/** Resolves with the first value that fits. */
export function awaited(client: Client, path: string, fits: (value: unknown) => boolean): Promise<unknown> {
  let stop: (() => void) | undefined
  const found = new Promise<unknown>((resolve, reject) => {
    stop = client.on(path, 'value', ({ value }) => fits(value) && resolve(value), { cancelled: reject })
  })
  return found.finally(() => stop?.())
}

const NAMES = {
  child_added: 'added',
  child_changed: 'changed',
  child_moved: 'moved',
  child_removed: 'removed',
} as const satisfies Partial<Record<ChildEvent, string>>

/** Events of the children of a list, such as `added b after a`. */
export function watchChildren(client: Client, path: string, steps: readonly Step[] = []): string[] {
  const events: string[] = []
  for (const event of ['child_added', 'child_changed', 'child_moved', 'child_removed'] as const) {
    const listener = ({ key, previous }: Seen) =>
      events.push(`${NAMES[event]} ${key}${event === 'child_removed' ? '' : ` after ${previous}`}`)
    client.on(path, event, listener, { steps })
  }
  return events
}

/** Resolves when a client has been told everything that another one has written before. */
export async function inStep(reader: Client, writer: Client, at: string): Promise<void> {
  const mark = Math.random()
  await writer.set(`${at}-mark`, mark)
  await awaited(reader, `${at}-mark`, (value) => value === mark)
}

/** What an operation fails with: code and message. */
export async function failureOf(operation: () => Promise<unknown>): Promise<string> {
  try {
    await operation()
    return 'done'
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string }
    return `${code ?? ''} ${message}`.trim()
  }
}
