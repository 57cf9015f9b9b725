import { Fetched } from '../parts/fetched.tsx'
import { serverKind } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { send } from '../shell/connection.ts'
import { usePolled } from '../shell/polled.ts'
import { serverUrl } from '../shell/server-paths.ts'

/** How often the state is asked for, in ms. */
const EVERY_MS = 15_000

/** Answers of `/ready`. */
const REASONS: Readonly<Record<string, string>> = {
  stopping: 'The server is stopping.',
  storage: 'A tree cannot be read or written.',
  slow: 'The disk has not answered for three seconds.',
}

const STORED_IN = {
  files: 'files',
  database: 'PostgreSQL',
  host: 'the storage of the program that runs Dhole',
} as const

interface State {
  readonly isReady: boolean
  readonly text: string
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** Whether the server works just now. */
export function Status() {
  const state = usePolled(readState, [], EVERY_MS)
  return (
    <section aria-labelledby="status-title">
      <h2 id="status-title">State</h2>
      <Fetched of={state}>
        {({ isReady, text, facts }) => (
          <>
            <p class={isReady ? 'state ok' : 'state problem'} role="status">
              {text}
            </p>
            <dl class="facts">
              {facts.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </Fetched>
    </section>
  )
}

async function readState(signal: AbortSignal): Promise<State> {
  const [ready, state, process] = await Promise.all([
    readiness(signal),
    call('state', {}, signal),
    call('process', {}, signal),
  ])
  const open = state.open.length
  return {
    ...ready,
    facts: [
      ['Address', process.url ?? location.origin],
      ['Process', String(process.pid)],
      ['Open applications', String(open)],
      ['Stored in', STORED_IN[serverKind.value]],
    ],
  }
}

async function readiness(signal: AbortSignal): Promise<Pick<State, 'isReady' | 'text'>> {
  const reply = await send(serverUrl('/ready'), { signal })
  if (reply.ok) return { isReady: true, text: 'All is well: reads and writes go through.' }
  const { reason = '' } = (await reply.json().catch(() => ({}))) as { readonly reason?: string }
  return { isReady: false, text: REASONS[reason] ?? `The server is not ready (${reply.status}).` }
}
