import type { Applications } from '../applications/applications.ts'
import { DholeError } from '../error.ts'
import type { ApplicationOptions } from '../options.ts'
import type { AddedApplication, Administration, ListedApplication, ServerState, ShownKeys } from './administration.ts'
import { openOrLocked } from './registry.ts'
import type { OwnSettings } from './settings-change.ts'

/** The applications of the options of the plugin. The host alone adds, removes and changes them. */
export class OptionsAdministration implements Administration {
  readonly #options: Readonly<Record<string, ApplicationOptions>>
  readonly #applications: Applications
  readonly #defaultId: string

  /** @param options of the applications by name @param defaultId the first one */
  constructor(options: Readonly<Record<string, ApplicationOptions>>, applications: Applications, defaultId: string) {
    this.#options = options
    this.#applications = applications
    this.#defaultId = defaultId
  }

  add(): AddedApplication {
    throw ofHost()
  }

  checkRotation(): void {
    throw ofHost()
  }

  rotate(): string {
    throw ofHost()
  }

  async remove(): Promise<void> {
    throw ofHost()
  }

  settings(): OwnSettings {
    return { from: 'host', settings: {} }
  }

  async changeSettings(): Promise<void> {
    throw ofHost()
  }

  keys(): ShownKeys {
    throw ofHost()
  }

  async settle(): Promise<void> {
    throw ofHost()
  }

  async replaceTree(): Promise<void> {
    throw ofHost()
  }

  list(): readonly ListedApplication[] {
    const open = new Map(this.state().open.map((application) => [application.id, application]))
    return Object.keys(this.#options).map((id) => {
      const { profile, rules } = open.get(id) ?? {}
      return { id, profile, rules, isDefault: id === this.#defaultId }
    })
  }

  state(): ServerState {
    const open = this.#applications.open.map(({ id, database }): ServerState['open'][number] => {
      const { open: isOpen } = this.#options[id] ?? {}
      const initial = openOrLocked(isOpen !== undefined && isOpen !== false)
      return { id, profile: database.profile, rules: database.hasOwnRules ? 'own' : initial }
    })
    return { defaultId: this.#defaultId, fixedKeys: [], open, isOfHost: true }
  }
}

function ofHost(): DholeError {
  return new DholeError('admin-state', 'the applications are those of the options of the host: change them there')
}
