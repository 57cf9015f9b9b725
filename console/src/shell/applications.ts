import { computed, signal } from '@preact/signals'
import type { ResultOf } from '../../../src/admin/operations.ts'
import { call } from './call.ts'
import { session } from './session.ts'

/** Applications that the session may open; `undefined` until they are known. */
export const applications = signal<readonly string[] | undefined>(undefined)

/** Those of them that have no rules and are open to everybody. */
export const openApplications = signal<readonly string[]>([])

/** Where the applications are: files of the server, PostgreSQL, or a program that has Dhole as a plugin. */
export const serverKind = signal<'files' | 'database' | 'host'>('files')

/** Application that is chosen on pages of the whole server, where the address names none. */
const lastChosen = signal('')

/** Remembers the application that the address names. */
export function rememberApplication(id: string): void {
  lastChosen.value = id
}

/** The application that pages of an application open. */
export const chosenApplication = computed(() => {
  const known = applications.value ?? []
  const own = session.value?.application
  if (own !== undefined) return own
  return known.includes(lastChosen.value) ? lastChosen.value : (known[0] ?? '')
})

/** Takes over which of the applications of a list are open to everybody. */
export function noteOpen(listed: ResultOf<'list'>): void {
  openApplications.value = listed.filter(({ rules }) => rules === 'open').map(({ id }) => id)
}

/** Asks the server which applications there are. @throws CallError */
export async function loadApplications(): Promise<void> {
  const own = session.value?.application
  if (own !== undefined) {
    applications.value = [own]
    return
  }
  const [listed, state] = await Promise.all([call('list', {}), call('state', {})])
  serverKind.value = state.isOfHost === true ? 'host' : state.isInDatabase === true ? 'database' : 'files'
  if (applications.value === undefined) {
    const byDefault = listed.find(({ isDefault }) => isDefault)?.id
    if (lastChosen.value === '' && byDefault !== undefined) lastChosen.value = byDefault
  }
  noteOpen(listed)
  applications.value = listed.map(({ id }) => id)
}
