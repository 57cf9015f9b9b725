import { type Signal, useSignal } from '@preact/signals'
import type { ResultOf } from '../../../src/admin/operations.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Choice, TextArea, TextField } from '../parts/fields.tsx'
import { objectOf } from '../parts/json-text.ts'
import { loadApplications } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { toast } from '../shell/toasts.tsx'

type Settings = ResultOf<'application-settings'>

const LIMITS = {
  maxWriteBytes: 'Largest write (bytes)',
  maxReadBytes: 'Largest read (bytes)',
  maxReadMs: 'Longest read (ms)',
  maxLeafBytes: 'Longest text of a leaf (bytes)',
  writeNodesPerSecond: 'Speed that writeSizeLimit assumes (nodes per second)',
} as const

const MESSAGES = {
  timeZone: 'Time zone',
  mobile: 'Form of numbers (a regular expression)',
  retentionDays: 'Kept for (days)',
  intervalMs: 'Time between batch queries (ms)',
} as const
const TEXTS: ReadonlySet<string> = new Set(['timeZone', 'mobile'])

type Fields<Name extends string> = Readonly<Record<Name, Signal<string>>>

interface ChangeSettingsProps {
  readonly settings: Settings
  /** Called when they are changed. */
  readonly onChanged: () => void
}

/** The form that changes the settings of an application. */
export function ChangeSettings({ settings, onChanged }: ChangeSettingsProps) {
  const { id, own, limits, messages } = settings
  const before = own.settings
  const profile = useSignal<'default' | 'wilddog' | 'firebase'>(before.profile ?? 'default')
  const indexPolicy = useSignal<'default' | 'allow' | 'require'>(before.indexPolicy ?? 'default')
  const access = useSignal<'locked' | 'open' | 'loopback'>(accessOf(before.open))
  const indexes = useSignal(before.indexes === undefined ? '' : JSON.stringify(before.indexes))
  const limitFields = useFields(LIMITS, before.limits ?? {})
  const messageFields = useFields(MESSAGES, before.sms ?? {})
  const change = async () => {
    const changes = {
      profile: profile.value === 'default' ? null : profile.value,
      indexPolicy: indexPolicy.value === 'default' ? null : indexPolicy.value,
      ...(access.value === accessOf(before.open) ? {} : { open: OPEN[access.value] }),
      indexes: indexes.value.trim() === '' ? null : allOf(before.indexes, objectOf('Declared indexes', indexes.value)),
      limits: given(limitFields, LIMITS),
      sms: given(messageFields, MESSAGES),
    }
    await call('change-settings', { id, changes, expected: { ...before } })
    toast(`The settings of “${id}” are in force.`)
    onChanged()
    await loadApplications()
  }
  return (
    <section aria-labelledby="change-title">
      <h3 id="change-title">Change the settings</h3>
      <p class="hint">An empty field follows the server. Streams of the application end and begin anew.</p>
      <div class="fields">
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
        {before.rules === undefined && <Choice label="Access without rules" value={access} choices={ACCESS} />}
        <Inputs fields={limitFields} titles={LIMITS} inForce={limits} />
        <Inputs fields={messageFields} titles={MESSAGES} inForce={messages} />
      </div>
      <TextArea label="Declared indexes (JSON)" value={indexes} placeholder='{"/users": ["name"]}' />
      <div class="actions">
        <ActionButton kind="primary" run={change}>
          Change the settings
        </ActionButton>
      </div>
    </section>
  )
}

const ACCESS = {
  locked: 'only with the super secret',
  open: 'every client may read and write',
  loopback: 'every client on the machine of the server',
} as const
const OPEN = { locked: null, open: true, loopback: 'loopback' } as const

function accessOf(open: boolean | 'loopback' | undefined): keyof typeof ACCESS {
  if (open === 'loopback') return 'loopback'
  return open === true ? 'open' : 'locked'
}

interface InputsProps<Name extends string> {
  readonly fields: Fields<Name>
  readonly titles: Readonly<Record<Name, string>>
  /** What is in force, shown where nothing of its own is set. */
  readonly inForce: Readonly<Record<Name, string | number>>
}

function Inputs<Name extends string>({ fields, titles, inForce }: InputsProps<Name>) {
  return (
    <>
      {namesOf(titles).map((name) => (
        <TextField key={name} label={titles[name]} value={fields[name]} placeholder={String(inForce[name])} />
      ))}
    </>
  )
}

function useFields<Name extends string>(
  titles: Readonly<Record<Name, string>>,
  values: Readonly<Partial<Record<Name, string | number>>>,
): Fields<Name> {
  const entries = namesOf(titles).map((name) => [name, useSignal(String(values[name] ?? ''))] as const)
  return Object.fromEntries(entries) as unknown as Fields<Name>
}

/** What is typed into fields; `null` of an empty one. @throws Error that names a field without a number */
function given<Name extends string>(fields: Fields<Name>, titles: Readonly<Record<Name, string>>) {
  return Object.fromEntries(
    namesOf(titles).map((name) => {
      const text = fields[name].value.trim()
      if (text === '') return [name, null]
      if (TEXTS.has(name)) return [name, text]
      if (/^\d{1,15}$/.test(text)) return [name, Number(text)]
      throw new Error(`${titles[name]}: expected a whole number, found “${text}”`)
    }),
  )
}

/** Members that take the place of others: `null` where one is left out. */
function allOf(before: object | undefined, after: Readonly<Record<string, unknown>>) {
  return { ...Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null])), ...after }
}

function namesOf<Name extends string>(titles: Readonly<Record<Name, string>>): readonly Name[] {
  return Object.keys(titles) as Name[]
}
