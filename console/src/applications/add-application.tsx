import { useSignal } from '@preact/signals'
import { ActionButton } from '../parts/action-button.tsx'
import { Choice, TextArea, TextField } from '../parts/fields.tsx'
import { objectOf } from '../parts/json-text.ts'
import { loadApplications } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { showKeys } from './shown-keys.tsx'

const ACCESS = {
  locked: 'only the super secret, until it has rules',
  open: 'every client, until it has rules',
  rules: 'what these rules allow',
} as const

/** The form of a new application. */
export function AddApplication({ onAdded }: { readonly onAdded: () => void }) {
  const id = useSignal('')
  const profile = useSignal<'default' | 'wilddog' | 'firebase'>('default')
  const indexPolicy = useSignal<'default' | 'allow' | 'require'>('default')
  const access = useSignal<keyof typeof ACCESS>('locked')
  const rules = useSignal('')
  const limits = useSignal('')
  const sms = useSignal('')
  const add = async () => {
    const settings = {
      ...(profile.value === 'default' ? {} : { profile: profile.value }),
      ...(indexPolicy.value === 'default' ? {} : { indexPolicy: indexPolicy.value }),
      ...(access.value === 'open' ? { open: true } : {}),
      ...(access.value === 'rules' ? { rules: rules.value } : {}),
      ...(limits.value.trim() === '' ? {} : { limits: objectOf('Limits', limits.value) }),
      ...(sms.value.trim() === '' ? {} : { sms: objectOf('Text messages', sms.value) }),
    }
    const name = id.value.trim()
    const { secret, smsKey, hasData } = await call('add', { id: name, settings })
    const note = hasData ? 'There was a tree of that name: its data and its rules are there again.' : undefined
    await showKeys(`Keys of “${name}”`, { 'super secret': secret, 'SMS key': smsKey }, note)
    id.value = ''
    onAdded()
    await loadApplications()
  }
  return (
    <section aria-labelledby="add-title">
      <h2 id="add-title">Add an application</h2>
      <div class="fields">
        <TextField label="Name" value={id} hint="up to 63 lower-case letters, digits and -" />
        <Choice label="Access" value={access} choices={ACCESS} />
        <Choice
          label="Dialect of queries"
          value={profile}
          choices={{ default: 'of the server', wilddog: 'Wilddog', firebase: 'Firebase' }}
        />
        <Choice
          label="Indexes"
          value={indexPolicy}
          choices={{ default: 'as the server', allow: 'built when a query needs one', require: 'only declared ones' }}
        />
      </div>
      {access.value === 'rules' && <TextArea label="Rules" value={rules} rows={6} />}
      <details>
        <summary>Limits and text messages</summary>
        <div class="fields">
          <TextArea label="Limits (JSON)" value={limits} placeholder='{"maxWriteBytes": 1000000}' />
          <TextArea
            label="Text messages (JSON)"
            value={sms}
            placeholder='{"timeZone": "Europe/Berlin", "retentionDays": 30}'
          />
        </div>
      </details>
      <div class="actions">
        <ActionButton kind="primary" disabled={id.value.trim() === ''} run={add}>
          Add application
        </ActionButton>
      </div>
    </section>
  )
}
