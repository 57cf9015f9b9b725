import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ResultOf } from '../../../src/admin/operations.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { bytesText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { Moment, momentText } from '../parts/moment.tsx'
import { applications, loadApplications, serverKind } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'
import { toast, toastError } from '../shell/toasts.tsx'
import { BackupList } from './backup-list.tsx'
import { BackupsElsewhere } from './backups-elsewhere.tsx'

type State = ResultOf<'backup-state'>

/** How often progress is asked for while something is under way, and otherwise, in ms. */
const BUSY_MS = 1000
const IDLE_MS = 10_000

/** Makes backups, lists them, and restores from them; or says how they are made where the server cannot. */
export function BackupsPage() {
  return serverKind.value === 'files' ? <FileBackups /> : <BackupsElsewhere />
}

const everyMs = (state: State | undefined): number => (state?.running === undefined ? IDLE_MS : BUSY_MS)

function FileBackups() {
  const backups = usePolled((signal) => call('backups', {}, signal), [])
  const state = usePolled((signal) => call('backup-state', {}, signal), [], everyMs)
  const { running, last } = state.value.value ?? {}
  const ended = last && `${last.work} ${last.name} ${last.at}`
  useEffect(() => {
    if (ended === undefined) return
    // It may have made a backup, or brought back other rules, and may have begun and ended unseen.
    backups.refresh()
    loadApplications().catch(toastError)
  }, [ended])
  return (
    <>
      <MakeBackup isDisabled={running !== undefined} onBegin={state.refresh} />
      <Fetched of={state}>{(value) => <Progress state={value} />}</Fetched>
      <h2>Backups</h2>
      <Fetched of={backups}>
        {(found) => <BackupList backups={found} isDisabled={running !== undefined} onBegin={state.refresh} />}
      </Fetched>
    </>
  )
}

interface MakeBackupProps {
  readonly isDisabled: boolean
  readonly onBegin: () => void
}

function MakeBackup({ isDisabled, onBegin }: MakeBackupProps) {
  const all = applications.value ?? []
  const left = useSignal<ReadonlySet<string>>(new Set())
  const ids = all.filter((id) => !left.value.has(id))
  const make = async () => {
    const { name } = await call('backup-make', ids.length === all.length ? {} : { ids })
    toast(`The backup “${name}” has begun.`)
    onBegin()
  }
  return (
    <section aria-label="Make a backup">
      <p class="hint">
        A backup is made beside running writes, and every row of it is examined. It holds no keys: store those apart.
      </p>
      {all.length > 1 && (
        <fieldset>
          <legend>Applications</legend>
          {all.map((id) => (
            <label key={id} class="check">
              <input
                type="checkbox"
                checked={!left.value.has(id)}
                onChange={({ currentTarget }) => {
                  const next = new Set(left.value)
                  if (currentTarget.checked) next.delete(id)
                  else next.add(id)
                  left.value = next
                }}
              />
              {id}
            </label>
          ))}
        </fieldset>
      )}
      <div class="actions">
        <ActionButton kind="primary" disabled={isDisabled || ids.length === 0} run={make}>
          Make a backup now
        </ActionButton>
      </div>
    </section>
  )
}

function Progress({ state: { running, done, total, last } }: { readonly state: State }) {
  if (running !== undefined) {
    const what = running.work === 'backup' ? 'Making the backup' : 'Restoring from'
    return (
      <div class="card">
        <p>
          {what} “{running.name}”{running.id !== undefined && `: ${running.id}`}, {bytesText(done)}
          {total > 0 && ` of about ${bytesText(total)}`}
        </p>
        <progress aria-label="Progress" {...(total > 0 ? { value: Math.min(done, total), max: total } : {})} />
      </div>
    )
  }
  if (last === undefined) return null
  const { work, name, at, error } = last
  const what = work === 'backup' ? 'backup' : 'restore from'
  return (
    <p class={error === undefined ? 'state ok' : 'state problem'} role="status">
      {error === undefined ? (
        <>
          The last {what} “{name}” succeeded at <Moment at={at} />.
        </>
      ) : (
        `The last ${what} “${name}” failed at ${momentText(at)}: ${error}`
      )}
    </p>
  )
}
