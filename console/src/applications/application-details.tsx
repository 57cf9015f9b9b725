import type { ResultOf } from '../../../src/admin/operations.ts'
import { bytesText, durationText, numberText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'
import { hrefOf } from '../shell/router.ts'
import { session } from '../shell/session.ts'
import { ChangeSettings } from './change-settings.tsx'
import { RemoveApplication } from './remove-application.tsx'
import { RotateKeys } from './rotate-keys.tsx'

type Settings = ResultOf<'application-settings'>
type Fact = readonly [name: string, value: string]

/** Settings and limits of one application, and what can be done with it. */
export function ApplicationDetails({ id }: { readonly id: string }) {
  const settings = usePolled((signal) => call('application-settings', { id }, signal), [id])
  const from = settings.value.value?.own.from
  return (
    <>
      <h2>{id}</h2>
      <Fetched of={settings}>
        {(value) => (
          <>
            <SettingsInForce settings={value} />
            <WhereChanged key={JSON.stringify(value.own)} settings={value} onChanged={settings.refresh} />
          </>
        )}
      </Fetched>
      {from !== 'host' && <RotateKeys id={id} />}
      {session.value?.role === 'operator' && from === 'registration' && <RemoveApplication id={id} />}
    </>
  )
}

interface WhereChangedProps {
  readonly settings: Settings
  readonly onChanged: () => void
}

/** The form that changes the settings, or where else they are changed. */
function WhereChanged({ settings, onChanged }: WhereChangedProps) {
  const { from } = settings.own
  if (from === 'server') {
    return (
      <p class="hint">
        This is the default application: the settings of the server are its settings, such as PROFILE, INDEX_POLICY,
        INDEXES, MAX_WRITE_BYTES, MAX_READ_BYTES, SMS_TIME_ZONE. Change them and start the server again. The server has
        this application as long as APP_ID names it.
      </p>
    )
  }
  if (from === 'host') {
    return (
      <p class="hint">
        The settings are those of the program that runs Dhole: change the options that it gives to <code>dhole()</code>.
      </p>
    )
  }
  if (session.value?.role !== 'operator') return <p class="hint">The operator of the server changes the settings.</p>
  return <ChangeSettings settings={settings} onChanged={onChanged} />
}

function SettingsInForce({ settings }: { readonly settings: Settings }) {
  const { id, limits, messages } = settings
  return (
    <>
      <p>
        <a href={hrefOf('tree', [id])}>Tree</a>, <a href={hrefOf('rules', [id])}>rules</a>,{' '}
        <a href={hrefOf('messages', [id])}>text messages</a>
      </p>
      <Facts
        title="Settings"
        facts={[
          ['Dialect of queries', settings.profile === 'firebase' ? 'Firebase' : 'Wilddog'],
          ['Indexes', settings.indexPolicy === 'require' ? 'only declared ones' : 'built when a query needs one'],
          ['Rules', settings.hasOwnRules ? 'its own' : 'none yet'],
          ['Size of writes', settings.writeSizeLimit],
        ]}
      />
      <Facts
        title="Limits of one request"
        facts={[
          ['Longest text of a leaf', bytesText(limits.maxLeafBytes)],
          ['Largest write', bytesText(limits.maxWriteBytes)],
          ['Largest read', bytesText(limits.maxReadBytes)],
          ['Longest read', durationText(limits.maxReadMs)],
        ]}
      />
      <Facts
        title="Text messages"
        facts={[
          ['Time zone', messages.timeZone],
          ['Form of numbers', messages.mobile],
          ['Kept for', `${numberText(messages.retentionDays)} days`],
          ['Time between batch queries', durationText(messages.intervalMs)],
        ]}
      />
    </>
  )
}

function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
